// The engine behind the form of the home page and the sliders of a pair, in a worker; in the page
// where no worker may run (pages read from a folder). It answers as combo pages do: all that decides is custom-engine.js.
(() => {
  "use strict";
  const BUILDS = 16;  // An engine remembers what it worked out; after so many builds it begins anew.
  let engine, data, builds = 0;

  function* opening() {
    data ??= yield* sitegen.opening(self.sitegenData);
  }
  function* picks(state, combo) {
    const found = [];
    for (const model of data.catalog.surveyed_models) {
      let one = null;
      for (one of sitegen.verdict_steps(engine, combo, model, state.asked, false)) yield;
      if (one !== null) found.push(one);
    }
    return sitegen.in_order(found);
  }
  // Yields nothing after a piece of work, and what is to be shown once it is known.
  function* answering({ address, use, page }) {
    yield* opening();
    const { catalog } = data;
    if (builds++ % BUILDS === 0) engine = sitegen.open_engine(catalog, data.evidence, data.losses, data.ratings);
    if (page) {  // One model on its own page: all about its verdict.
      const { build, combo, model, asked } = sitegen.read_state(address, catalog);
      const found = sitegen.verdict_of(engine, sitegen.combo_of(catalog, build, combo), catalog.models[model], asked);
      yield { details: sitegen.write_details(sitegen.details(found, catalog), page) };
      return;
    }
    const state = sitegen.home_state(address, catalog);
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const view = (answer) => sitegen.first_view(answer, state, catalog);
    if (state.model) {
      const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
      const shown = view(sitegen.of_model(combo, found));
      yield { answer: sitegen.answer_html(shown, "/"), instead: sitegen.instead_html(shown, "/") };
      return;
    }
    const found = yield* picks(state, combo), wanted = sitegen.use_named(use);
    const first = sitegen.best_for_use(engine, combo, found, wanted);
    if (first.pick !== null) yield { answer: sitegen.answer_html(view(first), "/") };
    const whole = view(sitegen.with_others(engine, combo, found, wanted));
    const instead = sitegen.instead_html(whole, "/");
    yield first.pick !== null ? { instead } : { answer: sitegen.answer_html(whole, "/"), instead };
  }

  const pause = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(0);
  });
  // Take the steps in slices, so that a newer question is heard; true where nothing came between.
  const taken = async (steps, slice, wanted, say) => {
    for (let end = performance.now() + slice; ;) {
      const step = steps.next();
      if (step.done) return true;
      if (step.value) say(step.value);
      if (performance.now() < end) continue;
      await pause();
      if (!wanted()) return false;
      end = performance.now() + slice;
    }
  };
  self.sitegenAnswers = { answering, opening, taken };
  if (typeof document !== "undefined") return;

  let last = 0;
  self.onmessage = async ({ data: asked }) => {
    try {
      if (asked.scripts) {
        importScripts(...asked.scripts);
        await taken(opening(), Infinity, () => true, () => {});
        return;
      }
      last = asked.number;
      await taken(answering(asked), 50, () => last === asked.number, (part) => self.postMessage({ number: asked.number, ...part }));
      if (last === asked.number) self.postMessage({ number: asked.number, done: true });
    } catch (error) {
      self.postMessage({ number: asked.number, failed: String(error?.message ?? error) });
    }
  };
})();
