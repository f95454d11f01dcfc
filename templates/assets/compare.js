// Puts two to four rows of the table of all combos side by side; the address says which.
(() => {
  "use strict";
  const NAMES = ["a", "b", "c", "d"], LETTERS = "cbn";
  const form = document.getElementById("side"), status = form.querySelector("[role=status]");
  const beside = document.getElementById("beside"), table = document.getElementById("combos");
  if (!table.tBodies) return; // a catalog without combos has a sentence there
  const known = document.getElementById("known").content;
  const models = [...known.querySelectorAll("li > a")];
  const marks = [...known.querySelectorAll("p > .tier")];
  const make = (tag, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const copies = (element) => [...element.cloneNode(true).childNodes];
  const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.combo, row]));
  const heads = [...table.tHead.rows[0].cells].map((cell) => ({
    name: cell.firstChild.textContent.trim(),
    note: cell.querySelector("small")?.textContent ?? "",
  }));

  function region(id, caption, first, chosen, lines) {
    const title = make("span", { id: `${id}-caption` }, caption);
    const top = make("tr", {}, make("th", { scope: "col" }, first),
      ...chosen.map((row) => make("th", { scope: "col" }, ...copies(row.cells[0]))));
    const body = lines.map(([head, cells]) => make("tr", {},
      make("th", { scope: "row" }, ...head),
      ...cells.map((inside) => make("td", {}, ...inside))));
    const made = make("div", { className: "table", tabIndex: 0 }, make("table", { id },
      make("caption", {}, title), make("thead", {}, top), make("tbody", {}, ...body)));
    made.setAttribute("role", "region");
    made.setAttribute("aria-labelledby", title.id);
    return made;
  }

  function figures(chosen) {
    const lines = heads.slice(1).map(({ name, note }, at) => [
      note ? [name, " ", make("small", {}, note)] : [name],
      chosen.map((row) => copies(row.cells[at + 1])),
    ]);
    return region("figures", "Side by side", "Figure", chosen, lines);
  }

  function verdicts(chosen) {
    const letters = chosen.map((row) => row.dataset.tiers);
    const differ = models.map((_, at) => at)
      .filter((at) => letters.some((of) => of[at] !== letters[0][at]));
    const mark = (letter) => (LETTERS.includes(letter)
      ? [marks[LETTERS.indexOf(letter)].cloneNode(true)] : ["not judged"]);
    const lines = differ.map((at) => [
      [models[at].cloneNode(true)], letters.map((of) => mark(of[at])),
    ]);
    const same = make("p", { className: "note" },
      `${models.length - differ.length} of ${models.length} models have the same verdict on each.`);
    if (!differ.length) return [same];
    const caption = `Models with different verdicts (${differ.length})`;
    return [region("differences", caption, "Model", chosen, lines), same];
  }

  const selects = NAMES.slice(0, Number(form.dataset.most)).map((name, at) => {
    const select = make("select", { name, autocomplete: "off" }, make("option", { value: "" }, "–"),
      ...[...rows].map(([id, row]) => make("option", { value: id }, row.cells[0].textContent)));
    form.insertBefore(make("label", {}, `Combo ${at + 1} `, select), status);
    return select;
  });

  function show() {
    const ids = [...new Set(selects.map((select) => select.value).filter((id) => rows.has(id)))];
    const chosen = ids.map((id) => rows.get(id));
    beside.replaceChildren(...(chosen.length > 1 ? [figures(chosen), ...verdicts(chosen)] : []));
    status.textContent = chosen.length > 1
      ? `${chosen.length} combos side by side.` : "Choose two combos or more.";
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const address = new URLSearchParams(location.search);
    for (const { name, value } of selects) {
      if (value) address.set(name, value); else address.delete(name);
    }
    const query = address.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
    show();
  });
  const asked = new URLSearchParams(location.search);
  for (const select of selects) {
    const id = asked.get(select.name) ?? "";
    select.value = rows.has(id) ? id : "";
  }
  form.hidden = false;
  show();
})();
