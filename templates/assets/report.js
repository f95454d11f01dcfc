// The link that reports a wrong number takes along the row that the address names. A row that is
// pointed at, or has the focus, gets a sign that leads to it: in the page they would weigh too much.
"use strict";
const link = document.querySelector("a.report");
const fill = () => {
  const named = document.getElementById(sitegenHash());
  const row = named && named.closest("tr");
  if (!link || !row) return;
  const address = new URL(link.href);
  const lines = address.searchParams.get("body").split("\n");
  const place = lines.length - 3;
  const column = (cell) => {
    const heads = cell.closest("table").tHead.rows[0].cells;
    return heads[cell.cellIndex].textContent.trim() + ": " + cell.innerText.trim();
  };
  const value = Array.from(row.cells, column).join("; ").replace(/\s+/g, " ");
  lines[place] = "Row: " + location.href.replace(/^file:.*#/, "#");
  lines[place + 1] = "Value on the page: " + value.slice(0, 600);
  address.searchParams.set("body", lines.join("\n"));
  link.href = address.href;
};
const sign = ({ target }) => {
  const row = target.closest?.("main tbody tr[id]");
  if (!row || row.querySelector(".permalink")) return;
  const head = row.cells[0], here = document.createElement("a");
  Object.assign(here, { className: "permalink", href: "#" + row.id, textContent: "#" });
  here.setAttribute("aria-label", `Link to ${(head.querySelector("a") ?? head).textContent.trim()} here`);
  (head.querySelector("small") ?? head).append("\u00a0", here);
};
addEventListener("pointerover", sign);
addEventListener("focusin", sign);
addEventListener("hashchange", fill);
fill();
