import { readFileSync } from "node:fs";
import { join } from "node:path";

export default () =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "entries.json"), "utf-8"));
