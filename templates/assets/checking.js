// The linter behind the page of checks, in a worker; in the page where no worker may run (pages
// read from a folder). All that decides is check-engine.js, which is made of the Python linter.
(() => {
  "use strict";
  let data, engine;
  const opened = new Map();

  const begin = () => {
    if (engine) return;
    const steps = sitegenCheck.opening(self.sitegenData, self.sitegenCheckFacts.positions);
    let step = steps.next();
    while (!step.done) step = steps.next();
    data = step.value;
    engine = sitegenCheck.open_engine(data.catalog, data.evidence, data.losses, data.ratings);
  };
  const factsOf = (combo) => {
    if (!opened.has(combo)) opened.set(combo, sitegenCheck.opened(engine, self.sitegenCheckFacts.tables, combo));
    return opened.get(combo);
  };
  const span = (one) => one && { low: one.low, mid: one.mid, high: one.high };
  const compared = (start, facts, today) => {
    const found = sitegenCheck.compared(start, facts, today);
    return {
      runtime: start.runtime, version: start.version, gpus: [...start.gpus], asked: { ...start.asked },
      command: found.command, model: found.model, checkpoint: found.checkpoint,
      why_not: found.why_not, record: found.record, failed: start.failed, serves: start.serves,
      figures: [...found.figures].map((one) => ({ ...one, predicted: span(one.predicted) })),
    };
  };
  const answer = ({ text, combo, known, today }) => {
    begin();
    // One character for each, so that columns are those of the text.
    const plain = text.replace(/\r\n?/g, "\n").replace(/[\u{10000}-\u{10ffff}]/gu, "\u25a1");
    const facts = factsOf(combo), start = sitegenCheck.start_of(plain);
    const { kind, told, found } = sitegenCheck.checked(plain, facts);
    return {
      kind, told,
      problems: found.problems.map(({ span: place, code, message, hint, severity, source_line }) => {
        const [what, why] = self.sitegenCheckFacts.codes[code] ?? [code, ""];
        return { line: place.line, column: place.column, code, message, hint, severity, source: source_line, what, why };
      }),
      launches: found.launches, without_hardware: found.without_hardware,
      unknown_models: [...new Set(found.unknown_models)], other_versions: found.other_versions,
      unnamed_models: found.unnamed_models, calls: found.calls,
      by_name: found.by_name.map(({ place, name, meant }) => ({ line: place.split(":").at(-1), name, meant })),
      unweighed: found.unweighed.map(({ place, why }) => ({ line: place.split(":").at(-1), why })),
      unlisted: found.unlisted.map((said) => said.split(":").slice(1).join(":")),
      unread: found.unread.map((place) => place.split(":").at(-1)),
      seen: sitegenCheck.known_errors_in(plain, known).map((one) => ({ id: one.id, share: one.share, line: one.line })),
      start: start === null ? null : compared(start, facts, today),
    };
  };
  self.sitegenChecking = { answer, begin };
  if (typeof document !== "undefined") return;

  self.onmessage = ({ data: asked }) => {
    try {
      if (asked.scripts) {
        importScripts(...asked.scripts);
        begin();
        self.postMessage({ ready: true });
        return;
      }
      self.postMessage({ number: asked.number, ...answer(asked) });
    } catch (error) {
      self.postMessage({ number: asked.number, failed: String(error?.message ?? error) });
    }
  };
})();
