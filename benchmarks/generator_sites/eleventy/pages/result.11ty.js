import { read } from "../eleventy.config.js";

export const data = {
  pagination: { data: "results", size: 1, alias: "entry" },
  permalink: ({ entry }) => `${entry.url}index.json`,
};

export const render = ({ entry }) => JSON.stringify(read(entry.number, "result.json"));
