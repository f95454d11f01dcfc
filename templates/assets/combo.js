// A filter over all models of a combo. Its page has the best; the rest comes from the page of all
// models as soon as a reader asks, and an old address of a row leads there.
(() => {
  "use strict";
  const part = document.getElementById("every-model"), form = document.getElementById("choose-model");
  const { models } = part.dataset, controls = [...form.elements].filter((one) => one.name && one.tagName !== "BUTTON");
  const status = form.querySelector("[role=status]"), every = form.elements.every;
  const tables = () => [...part.querySelectorAll("table")];
  let complete = !models, loading, best = "";

  const AT = { rating: 1, speed: 2, context: 3 };
  const number = (row, name) => {  // as tables are sorted: stated, or what the cell begins with
    const cell = row.cells[AT[name]];
    return parseFloat(cell?.dataset.value ?? cell?.textContent.replaceAll(",", ""));
  };
  // A row has its points in the order in which the form lists the uses, "-" where it is not rated.
  const uses = [...form.elements.use.options].map((one) => one.value).filter(Boolean);
  const ratings = (row) => Object.fromEntries((row.dataset.ratings ?? "").split(" ")
    .map((one, at) => [uses[at], one]).filter(([, points]) => points && points !== "-"));

  const load = () => loading ??= fetch(models).then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  }).then((text) => {
    const other = new DOMParser().parseFromString(text, "text/html");
    const regions = [...other.querySelectorAll("#every-model .table")];
    for (const region of regions) {
      for (const link of region.querySelectorAll("a[href]")) {
        link.href = new URL(link.getAttribute("href"), new URL(models, location.href)).href;
      }
    }
    for (const old of part.querySelectorAll(".table")) old.remove();
    part.append(...regions.map((one) => document.adoptNode(one)));
    complete = true;
  });

  function ordered(rows, use) {
    const rated = (row) => Number(ratings(row)[use] ?? -1);
    return use ? [...rows].sort((a, b) => rated(b) - rated(a)) : rows;
  }
  function matches(row, asked, tier) {
    if (asked.tier && `tier-${asked.tier}` !== tier) return false;
    if (!sitegenNamed(asked.name)(row.cells[0].textContent)) return false;
    if (asked.use && !(asked.use in ratings(row))) return false;
    return ["speed", "context"].every((one) => !asked[one] || number(row, one) >= Number(asked[one]));
  }
  const published = new Map();
  function apply() {
    const asked = Object.fromEntries(controls.map(({ name, value }) => [name, value]));
    let kept = 0, total = 0;
    for (const table of tables()) {
      if (!published.has(table)) published.set(table, [...table.tBodies[0].rows]);
      const rows = published.get(table);
      const stay = rows.filter((row) => matches(row, asked, table.id));
      for (const row of rows) {
        row.hidden = !stay.includes(row);
        const points = ratings(row)[asked.use || "overall"];
        if (points) row.cells[AT.rating].textContent = points;
      }
      if (asked.use !== best) table.tBodies[0].append(...ordered(rows, asked.use));
      table.closest(".table").hidden = !stay.length;
      kept += stay.length;
      total += rows.length;
    }
    best = asked.use;
    every.hidden = complete;
    status.textContent = !complete ? `The ${total} best rated` : kept ? `${kept} of ${total} models` : `None of ${total} models`;
  }
  async function asked() {
    if (!complete) {
      status.textContent = "Loading every model…";
      try {
        await load();
      } catch {
        loading = undefined;
        location.href = models;  // from a folder
        return;
      }
    }
    apply();
  }
  form.addEventListener("input", asked);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  every.addEventListener("click", asked);
  form.hidden = false;
  for (const control of controls) control.value = "";
  apply();

  const moved = () => {
    const anchor = sitegenHash(), unknown = /^(m|tier)-/.test(anchor) && !document.getElementById(anchor);
    if (models && unknown) location.replace(models + location.hash);
    else if (unknown) sitegenUnknown([anchor], "No row has this name.");
  };
  addEventListener("hashchange", moved);
  moved();
})();
