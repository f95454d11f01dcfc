import markdownIt from "markdown-it";
import { read } from "../eleventy.config.js";

const markdown = markdownIt();
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;" };
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);
const cell = (value) =>
  typeof value === "string"
    ? escaped(value)
    : `<a href="${escaped(value.href)}">${escaped(value.text)}</a>`;
const row = (cells) => `<tr>${cells.map((one) => `<td>${cell(one)}</td>`).join("")}</tr>`;
const head = (one) => `<th${one.numeric ? ' class="n"' : ""}>${escaped(one.name)}</th>`;
const table = ({ columns, rows }) =>
  `<table><thead><tr>${columns.map(head).join("")}</tr></thead><tbody>${rows
    .map(row)
    .join("\n")}</tbody></table>\n`;

export const data = {
  pagination: { data: "entries", size: 1, alias: "entry" },
  permalink: ({ entry }) => `${entry.url}index.html`,
};

export function render({ entry }) {
  const { title, parts } = read(entry.number, "entry.json");
  const body = parts.map((part) => (part.columns ? table(part) : markdown.render(part.markdown)));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>
<nav><a href="/">Home</a> <a href="/combos/">Hardware</a> <a href="/models/">Models</a> <a href="/gpus/">GPUs</a> <a href="/guides/">Guides</a></nav>
<main>${body.join("")}</main>
</body>
</html>
`;
}
