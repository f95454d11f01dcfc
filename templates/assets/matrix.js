// The matrix of models and GPUs: cuts it anew from the whole grid, and moves in it by arrow keys.
(() => {
  "use strict";
  const form = document.getElementById("cut"), table = document.getElementById("matrix");
  if (!table || !self.sitegenMatrix) return;
  const { rest, names: NAMES, hardware, rows: ROWS, columns: COLUMNS, comfortably } = form.dataset, root = form.dataset.root.replace("index.html", "");
  const data = sitegenMatrix, head = table.tHead.rows[0], body = table.tBodies[0];
  const status = form.querySelector("[role=status]"), region = table.parentElement;
  const more = { rows: document.getElementById("more-models"), columns: document.getElementById("more-gpus") };
  const controls = [...form.elements].filter((one) => one.name);
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", TIGHT = "abcdefghi";
  const LETTERS = "cbn", NONE = 2, FEW = 4;
  const made = (tag, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const place = (text, at) => DIGITS.indexOf(text[at]) * 64 + DIGITS.indexOf(text[at + 1]);

  // A column: [tier, too close, speed, context, GPUs that these are of, file] for each model.
  const EACH = 6, ABSENT = ["", 0, 0, ""];
  function figures(text, at, model, count) {
    const context = data.contexts[place(text, at + 2)];
    return [data.speeds[place(text, at)], Number(context || data.longest[model]), count, data.files[place(text, at + 4)]];
  }
  function listed([, letters, text], count) {
    let at = -EACH;
    return [...letters].map((letter, model) => {
      const tier = LETTERS.indexOf(letter.toLowerCase()), close = letter < "a";
      if (tier === NONE) return [tier, close, ...ABSENT];
      return [tier, close, ...figures(text, at += EACH, model, count)];
    });
  }
  function following([fewest, text, tight, close], step, count) {
    const tights = new Map(tight.split(" ").filter(Boolean).map((one) => one.split(":").map(Number)));
    const closes = new Set(close.split(" ").filter(Boolean).map(Number));
    let at = -EACH;
    return [...fewest].map((sign, model) => {
      if (sign === "0") return [NONE, false, ...ABSENT];
      at += EACH;
      const letter = TIGHT.indexOf(sign), needed = letter < 0 ? Number(sign) : letter + 1;
      if (needed <= step) return [letter < 0 ? 0 : 1, closes.has(model), ...figures(text, at, model, count || needed)];
      return tights.has(model) && tights.get(model) <= step ? [1, false, ...ABSENT] : [NONE, false, ...ABSENT];
    });
  }
  const columns = data.columns.map(([at, gib], rank) => {
    const gpu = data.gpus[at];
    return { gpu, gib: gib || gpu.gib, chip: Boolean(gib), rank, name: gib ? `${gpu.name}, ${gib} GiB` : gpu.name };
  });
  const known = new Map();
  function verdicts(column, count) {
    const { gpu, gib, chip } = column, key = chip ? gib : count;
    const id = `${column.rank} ${count}`;
    if (!known.has(id)) {
      const [...one] = gpu.at[key];
      const sizes = Object.keys(gpu.at).map(Number);
      const step = chip ? sizes.indexOf(gib) + 1 : count;
      known.set(id, { address: one[0], cells: one.length > 1 ? listed(one, chip ? 1 : count) : following(gpu.need, step, chip ? 1 : 0) });
    }
    return known.get(id);
  }

  function says(model, machine, count, [tier, close, speed, context, of, file]) {
    let words = `${model} on ${machine}: ${data.tiers[tier][2]}`;
    if (close) words += ` (${data.tiers[tier][3]})`;
    if (file) words += `, ${file}`;
    if (speed) words += `, ${speed} tokens per second`;
    if (context) words += `, ${context.toLocaleString("en")} tokens of context`;
    return of && of < count ? `${words} (on ${of} of them)` : words;
  }
  function cell(model, column, count, found, address) {
    const [word, glyph, shown] = data.tiers[found[0]];
    const machine = count > 1 ? `${count}× ${column.name}` : column.name;
    const link = made("a", { href: `${root}custom/index.html#${address}&model=${data.models[model]}` }, made("span", {}, `${glyph} ${shown}`));
    const fewer = found[4] < count;
    if (found[2]) link.append(" ", made("small", fewer ? { className: "fewer" } : {}, `${found[2]} tok/s${fewer ? ` on ${found[4]}` : ""}`));
    if (found[5]) link.append(" ", made("small", { className: "file" }, found[5]));
    link.setAttribute("aria-label", says(data.names[model], machine, count, found));
    return made("td", { className: word }, link);
  }

  const asked = () => Object.fromEntries(controls.map((one) => [one.name, one.type === "checkbox" ? (one.checked ? "1" : "") : one.value.trim()]));
  let shown = { rows: Number(ROWS), columns: Number(COLUMNS) };
  let loading, naming, spelled;
  const script = (src) => new Promise((done, failed) => {
    document.head.append(made("script", { src, onload: done, onerror: failed }));
  });
  const load = () => loading ??= script(rest).then(() => {
    const start = data.gpus.length - sitegenMatrixRest.length;
    sitegenMatrixRest.forEach((one, at) => Object.assign(data.gpus[start + at], one));
  });

  // GPUs are read as in the field of the home page; by their names alone where its list does not load.
  const names = () => naming ??= Promise.all([NAMES, hardware].map(script))
    .then(() => sitegenHardware.opened(sitegenNames).listed, () => null).then((listed) => { spelled = { listed }; });
  const counts = [...form.elements.count.options].map((one) => Number(one.text));
  let typed = 0;
  function meant(gpu) {
    const found = gpu && spelled.listed?.(gpu);
    if (!found) return sitegenNamed(gpu);
    if (found.count !== typed) {  // "2x 3090" chooses two, until the list beside it says otherwise.
      typed = found.count;
      const nearest = Math.max(1, ...counts.filter((one) => one <= typed));
      form.elements.count.value = nearest === 1 ? "" : String(nearest);
      remember();
    }
    return (_, one) => found.sizes.get(one.gpu.id)?.some((size) => !one.chip || size === one.gib);
  }

  function apply() {
    if (asked().gpu && !spelled) {
      names().then(apply);
      return;
    }
    const chosen = meant(asked().gpu), { gpu, vendor, gib, count: many, model, size, use, every } = asked();
    const count = Number(many) || 1, named = sitegenNamed(model);
    const fitting = columns.filter((one) => (!vendor || one.gpu.vendor === vendor) && (!gib || one.gib >= Number(gib))
      && chosen(`${one.name} ${one.gpu.id}`, one) && (one.chip ? count === 1 : true));
    if (fitting.slice(0, shown.columns).some((one) => !one.gpu.at)) {
      table.classList.add("waiting");
      load().then(apply, () => { status.textContent = "We could not load the other GPUs."; });
      return;
    }
    const able = fitting.filter((one) => !one.gpu.at || one.chip || one.gpu.at[count]);
    const cut = able.slice(0, shown.columns).sort((a, b) => a.gib - b.gib || (a.gpu.id < b.gpu.id ? -1 : 1));
    const found = cut.map((one) => verdicts(one, count));
    const points = data.points[use || "overall"] ?? [];
    const right = [...data.models.keys()].filter((at) => (!size || data.billions[at] <= Number(size)) && named(`${data.names[at]} ${data.models[at]}`)
      && (!use || points[at]));
    const least = Math.ceil(cut.length / FEW);
    const running = every ? right : right.filter((at) => found.filter(({ cells }) => cells[at][0] === 0).length >= least);
    if (use) running.sort((a, b) => points[b] - points[a]);
    const rows = running.slice(0, shown.rows);
    head.replaceChildren(head.cells[0], ...cut.map((one) => made("th", { scope: "col" },
      made("a", { href: `${root}gpus/${one.gpu.id}/index.html` }, one.name), " ", made("small", {}, one.chip ? "" : `${one.gib} GiB`))));
    body.replaceChildren(...rows.map((at) => {
      const name = made("th", { scope: "row" }, made("a", { href: `${root}models/${data.models[at]}/index.html` }, data.names[at]));
      name.append(" ", made("small", {}, String(points[at] || "not rated")));
      return made("tr", {}, name, ...cut.map((one, place) => cell(at, one, count, found[place].cells[at], found[place].address)));
    }));
    table.classList.remove("waiting");
    region.hidden = !rows.length || !cut.length;
    region.classList.toggle("wide", cut.length > Number(COLUMNS) || table.offsetWidth > region.clientWidth);
    const gpus = count > 1 ? `sets of ${count} GPUs` : "GPUs and memory sizes";
    if (!able.length) status.textContent = "No GPU matches.";
    else if (!rows.length) status.textContent = right.length ? `${right.length === 1 ? "The matching model does" : `The ${right.length} matching models do`} not fit these ${comfortably}.` : "No model matches.";
    else status.textContent = `${rows.length} of ${running.length} models on ${cut.length} of ${able.length} ${gpus}`;
    if (gpu && typed && !counts.includes(typed)) status.textContent += `. We list 1, 2, 4 or 8 GPUs, not ${typed}; this is for ${count}.`;
    more.rows.hidden = rows.length >= running.length;
    more.columns.hidden = cut.length >= able.length;
    rove();
  }
  // One cell is in the order of the Tab key; arrows move on from there.
  let current;
  function rove() {
    const links = [...body.querySelectorAll("td a")];
    for (const link of links) link.tabIndex = -1;
    current = links[0];
    if (current) current.tabIndex = 0;
  }
  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -99], End: [0, 99] };
  body.addEventListener("keydown", (event) => {
    const move = MOVES[event.key], from = event.target.closest("td");
    if (!move || !from || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const rows = body.rows, row = from.parentElement;
    const at = Math.min(rows.length - 1, Math.max(0, row.sectionRowIndex + move[0]));
    const cells = rows[at].cells, next = Math.min(cells.length - 1, Math.max(1, from.cellIndex + move[1]));
    current.tabIndex = -1;
    current = cells[next].querySelector("a");
    current.tabIndex = 0;
    current.focus();
  });

  // What a cell says in full, beside it, while it is pointed at or has the focus.
  const box = made("div", { id: "says", hidden: true });
  box.setAttribute("aria-hidden", "true");
  document.body.append(box);
  function tell(event) {
    const link = event.target.closest?.("#matrix td a");
    box.hidden = !link;
    if (!link) return;
    box.textContent = link.getAttribute("aria-label");
    const { left, bottom, top } = link.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    box.style.left = `${Math.max(8, Math.min(left, wide - box.offsetWidth - 8)) + scrollX}px`;
    const below = bottom + box.offsetHeight + 12 < innerHeight;
    box.style.top = `${(below ? bottom + 6 : top - box.offsetHeight - 6) + scrollY}px`;
  }
  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, tell);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") box.hidden = true; });
  region.addEventListener("scroll", () => { box.hidden = true; });

  function remember() {
    const address = new URLSearchParams();
    for (const [name, value] of Object.entries(asked())) if (value) address.set(name, value);
    const query = address.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }
  let waiting = 0;
  const changed = () => {
    shown = { rows: Number(ROWS), columns: Number(COLUMNS) };
    remember();
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(apply);
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  for (const [name, button] of Object.entries(more)) {
    button.addEventListener("click", () => {
      shown[name] += Number(name === "rows" ? ROWS : COLUMNS);
      apply();
    });
  }
  const given = new URLSearchParams(location.search);
  const unread = sitegenFill(controls, given, "");
  if (unread.length) sitegenUnknown(unread);
  const other = Object.values(asked()).some(Boolean);
  form.querySelector("details").open = Boolean(asked().vendor || asked().gib || asked().size || asked().every);
  if (other) apply();
  else {
    rove();
    more.rows.hidden = body.rows.length >= Number(form.dataset.models);
    more.columns.hidden = columns.length <= Number(COLUMNS);
  }
})();
