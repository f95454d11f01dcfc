import { readFileSync } from "node:fs";
import { join } from "node:path";

export const read = (number, name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "entries", number, name), "utf-8"));

export default function (config) {
  config.addWatchTarget("./entries/");
  return { dir: { input: "pages", output: "_site" }, templateFormats: ["11ty.js"] };
}
