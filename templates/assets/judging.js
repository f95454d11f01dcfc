// The engine behind the list of the page of own builds, in a worker, so that the page stays free; in
// the page where no worker may run (pages read from a folder). All that decides is custom-engine.js.
(() => {
  "use strict";
  const ROWS = 20;  // Rows of a table that are shown at once; laying out hundreds holds a page up.
  const BUILDS = 16;  // An engine remembers what it worked out; after so many builds it begins anew.
  let data, engine, builds = 0;

  const open = (given) => { data = given; };
  // Yields after each piece of work; returns the models that are judged, and what is to be shown.
  function* judging(address) {
    const { catalog } = data;
    if (builds++ % BUILDS === 0) engine = sitegen.open_engine(catalog, data.evidence, data.losses, data.ratings);
    const state = sitegen.read_state(address, catalog), judged = [];
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    yield;
    for (const model of catalog.surveyed_models) {
      let one = null;
      for (one of sitegen.verdict_steps(engine, combo, model, state.asked, false)) yield;
      if (one !== null) judged.push(one);
    }
    const ordered = sitegen.in_order(judged);
    yield;
    const results = sitegen.results(ordered, combo, state, catalog), blocks = [];
    yield;
    for (let at = 0; at < sitegen.blocks_of(results); at++) {
      const pieces = [];
      for (const piece of sitegen.block_pieces(results, at)) {
        pieces.push(piece);
        yield;
      }
      // A table: its block, what stands before its rows, the rows, what stands behind, the end.
      const more = at && pieces.length > 4 ? pieces.splice(2 + ROWS, pieces.length - 4 - ROWS) : [];
      blocks.push({ html: pieces.join(""), more: more.length, rest: more.join("") });
    }
    return { models: judged.map((one) => one.model.id), summary: sitegen.summary_html(results), blocks };
  }

  const pause = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(0);
  });
  // Take all steps in slices; undefined where nobody waits for the result any more.
  const taken = async (steps, slice, wanted = () => true) => {
    for (let end = performance.now() + slice(); ;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() < end) continue;
      await pause();
      if (!wanted()) return undefined;
      end = performance.now() + slice();
    }
  };
  self.sitegenJudging = { judging, open, pause, taken };
  if (typeof document !== "undefined") return;

  let last = 0, opened;
  self.onmessage = async ({ data: asked }) => {
    try {
      if (asked.scripts) {
        importScripts(...asked.scripts);
        opened = taken(sitegen.opening(self.sitegenData), () => Infinity).then(open);
        return;
      }
      last = asked.number;
      await opened;
      const found = await taken(judging(asked.address), () => 50, () => last === asked.number);
      if (found) self.postMessage({ number: asked.number, ...found });
    } catch (error) {
      self.postMessage({ number: asked.number, failed: String(error?.message ?? error) });
    }
  };
})();
