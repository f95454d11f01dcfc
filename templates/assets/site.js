// What a page gains with scripts: sortable tables, and "/" for the search field.
(() => {
  "use strict";
  const asked = () => new URLSearchParams(location.search);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const made = (tag, properties) => Object.assign(document.createElement(tag), properties);

  function remember(state) {
    const address = asked();
    for (const [name, values] of state) {
      address.delete(name);
      for (const value of values) if (value) address.append(name, value);
    }
    const query = address.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }
  window.sitegenRemember = remember;

  // What an address has after "#", whatever it is: a broken escape stays as it was written.
  window.sitegenHash = () => {
    const text = location.hash.slice(1);
    try { return decodeURIComponent(text); } catch { return text; }
  };

  // Sorting: ascending, descending, as published. Always from the published order, so that an
  // address means one order; what is unknown comes last both ways.
  const orders = new Map();
  const words = new Intl.Collator("en", { numeric: true });

  function sortable(table) {
    const heads = all("thead th", table), body = table.tBodies[0], published = [...body.rows];
    const first = heads.find((head) => head.hasAttribute("aria-sort"));
    const start = first && [first, first.getAttribute("aria-sort")];
    let now = start;
    const status = made("p", { className: "unseen" });
    status.setAttribute("role", "status");
    table.parentElement.after(status);

    function key(row, at, numeric) {
      const cell = row.cells[at], text = cell.textContent.trim();
      if (numeric) {
        const stated = parseFloat(cell.dataset.value ?? text.replaceAll(",", ""));
        return isNaN(stated) ? null : stated;
      }
      return !text || cell.querySelector(":scope > .absent:only-child") ? null : text;
    }
    function show(order) {
      now = order;
      for (const head of heads) head.removeAttribute("aria-sort");
      let rows = published;
      if (order) {
        const [head, way] = order, at = heads.indexOf(head), sign = way === "ascending" ? 1 : -1;
        const numeric = head.dataset.sort === "number";
        const keys = new Map(published.map((row) => [row, key(row, at, numeric)]));
        rows = [...published].sort((a, b) => {
          const one = keys.get(a), two = keys.get(b);
          if (one === null || two === null) return (one === null) - (two === null);
          return sign * (numeric ? one - two : words.compare(one, two));
        });
        head.setAttribute("aria-sort", way);
      }
      body.append(...rows);
    }
    function choose(head) {
      let next = [head, "ascending"];
      if (now && now[0] === head) next = now[1] === "ascending" ? [head, "descending"] : start;
      if (start && next[0] === start[0] && next[1] === start[1]) next = start;
      show(next);
      if (next === start) orders.delete(table.id);
      else orders.set(table.id, `${table.id}:${head.dataset.name}:${next[1]}`);
      remember([["sort", orders.values()]]);
      status.textContent = next
        ? `Sorted by ${next[0].firstElementChild.textContent}, ${next[1]}.` : "In the published order.";
    }
    for (const head of heads.filter((head) => head.dataset.sort)) {
      const button = made("button", { type: "button" });
      const note = head.querySelector("small");
      if (note) note.remove();
      const name = head.textContent.trim();
      head.dataset.name = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      button.textContent = name;
      head.replaceChildren(button, ...(note ? [" ", note] : []));
      button.addEventListener("click", () => choose(head));
    }
    for (const state of asked().getAll("sort")) {
      const [id, name, way] = state.split(":");
      const head = id === table.id && heads.find((head) => head.dataset.name === name);
      if (head && (way === "ascending" || way === "descending")) {
        orders.set(id, state);
        show([head, way]);
      }
    }
  }

  // "/" leads to the search field from anywhere but a field, unless the reader switched it off.
  function slash(field) {
    let before = null;
    const off = () => { try { return localStorage.slash === "off"; } catch { return false; } };
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = document.activeElement;
      if (event.isComposing || at.isContentEditable || at.matches("input,textarea,select")) return;
      if (off()) return;
      event.preventDefault();
      before = at;
      field.focus();
      field.select();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      field.blur();
      if (before) before.focus({ preventScroll: true });
      before = null;
    });
  }

  // The machine that a reader told the home page, kept on this device: null, or its name and address
  // {text, address}, what follows the # of the home page and of /custom/. Other scripts may ask.
  window.sitegenMachine = () => {
    try { return JSON.parse(localStorage.getItem("sitegen-machine")); } catch { return null; }
  };
  const chip = document.querySelector(".my-machine"), mine = chip && sitegenMachine();
  if (mine?.address) {
    chip.href += `#${mine.address}`;
    chip.querySelector("b").textContent = mine.text;
    chip.hidden = false;
  }

  // Menus of the head close when a reader goes on.
  const menu = () => document.querySelector(".menu[open]");
  document.addEventListener("click", ({ target }) => {
    if (menu() && !menu().contains(target)) menu().open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    const open = key === "Escape" && menu();
    if (!open) return;
    if (open.contains(document.activeElement)) open.firstElementChild.focus();
    open.open = false;
  });

  for (const table of all("table:has(th[data-sort])")) sortable(table);
  const field = document.querySelector("input[type=search]");
  if (field) slash(field);
})();
