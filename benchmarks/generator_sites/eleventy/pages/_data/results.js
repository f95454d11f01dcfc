import entries from "./entries.js";

export default () => entries().filter((entry) => entry.result);
