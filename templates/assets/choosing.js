// Rows of an index to choose: rows carry their values as data attributes, and every control tests one
// of them; what is typed is looked for in the first cell. Tables without such rows are left alone.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const tests = {
    is: (has, wanted) => has.split(" ").includes(wanted),
    least: (has, wanted) => Number(has) >= Number(wanted),
    most: (has, wanted) => Number(has) <= Number(wanted),
    words: (has, wanted) => sitegenNamed(wanted)(has),
  };

  function choosing(form) {
    const controls = all("[name]", form), status = form.querySelector("[role=status]");
    const groups = all("main table[id]").map((table) => ({
      region: table.parentElement,
      rows: [...table.tBodies[0].rows].filter((row) => Object.keys(row.dataset).length),
      counts: [table.querySelector(".count"), ...all(`.toc a[href="#${table.id}"]`)],
    })).filter(({ rows }) => rows.length);
    for (const group of groups) {
      group.texts = group.counts.map((count) => count && count.textContent);
    }
    const has = (row, { name, dataset }) => (dataset.test === "words"
      ? row.cells[0].textContent : row.dataset[name]);
    function apply(user) {
      const set = controls.filter((control) => control.value.trim() && control.validity.valid);
      let kept = 0, total = 0;
      for (const { region, rows, counts, texts } of groups) {
        const stay = rows.filter((row) => set.every((control) => {
          const value = has(row, control);
          return value !== undefined && tests[control.dataset.test](value, control.value.trim());
        }));
        for (const row of rows) row.hidden = !stay.includes(row);
        region.hidden = !stay.length;
        kept += stay.length;
        total += rows.length;
        const told = set.length ? `(${stay.length} of ${rows.length})` : `(${rows.length})`;
        counts.forEach((count, at) => {
          if (count) count.textContent = texts[at].replace(/\([^()]*\)$/, told);
        });
      }
      const noun = form.dataset.choosing;
      status.textContent = kept ? `${kept} of ${total} ${noun}` : `None of ${total} ${noun}`;
      if (user) sitegenRemember(controls.map(({ name, value }) => [name, [value]]));
    }
    const asked = new URLSearchParams(location.search);
    const unread = sitegenFill(controls, asked, "");
    if (unread.length) sitegenUnknown(unread);
    form.addEventListener("input", () => apply(true));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => apply(true)));
    form.hidden = false;
    apply(false);
  }
  for (const form of all("form[data-choosing]")) choosing(form);
})();
