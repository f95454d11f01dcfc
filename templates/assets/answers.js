// The engine behind the form of the home page, the sliders of a pair and the page of own builds, in a
// worker; in the page where no worker may run (pages read from a folder). It answers as combo pages do:
// all that decides is custom-engine.js.
(() => {
  "use strict";
  const BUILDS = 16;  // An engine remembers what it worked out; after so many builds it begins anew.
  const ROWS = 20;  // Rows of a table that are shown at once; laying out hundreds holds a page up.
  let engine, data, builds = 0;
  let listed = {}, opened = {};  // On the page of own builds: the build that was judged last, the model.

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

  // The page of own builds. What its form says of an address, as plain values.
  const formOf = ({ build, combo, asked }) => ({
    combo, network: build.network,
    nodes: [...build.nodes].map(({ gpus, count, link, ram_bytes, ram_bytes_per_s, operating_system, display_attached }) => ({
      gpus: [...gpus].map(({ gpu, count, memory_bytes }) => ({ gpu, count, memory_bytes })),
      count, link, ram_bytes, ram_bytes_per_s, operating_system, display_attached,
    })),
    context: asked.context_tokens, users: asked.sequences, kv: asked.kv_bits, goal: asked.goal, runtime: asked.runtime,
  });
  const named = (combo) => {
    if (!combo.id.startsWith("custom:")) return combo.name;
    const counts = new Map();
    for (const { gpus } of combo.nodes) for (const { gpu } of gpus) counts.set(gpu.name, (counts.get(gpu.name) ?? 0) + 1);
    const ram = combo.nodes[0].ram_bytes, parts = [...counts].map(([name, count]) => `${count}× ${name}`);
    const gpus = [...parts, ...(ram ? [`${Math.round(ram / 2 ** 30)} GB RAM`] : [])].join(" + ");
    return combo.nodes.length > 1 ? `${gpus} in ${combo.nodes.length} machines` : gpus;
  };
  // A table: its block, what stands before its rows, the rows, what stands behind, the end.
  function* blocks(results) {
    const found = [];
    for (let at = 0; at < sitegen.blocks_of(results); at++) {
      const pieces = [];
      for (const piece of sitegen.block_pieces(results, at)) {
        pieces.push(piece);
        yield;
      }
      const more = at && pieces.length > 4 ? pieces.splice(2 + ROWS, pieces.length - 4 - ROWS) : [];
      found.push({ html: pieces.join(""), more: more.length, rest: more.join("") });
    }
    return found;
  }
  // The form, the list unless the page shows it, and the model that the address opens.
  function* building({ build: text, shown }) {
    const { catalog } = data, state = sitegen.read_state(text, catalog), address = sitegen.write_state(state, catalog);
    const combo = sitegen.combo_of(catalog, state.build, state.combo), all = sitegen.state_of_list(state), close = sitegen.write_state(all, catalog);
    const unread = [...sitegen.unread(text, catalog)], lost = unread.some((part) => /^(?:combo|machine)=/.test(part));
    yield { form: formOf(state), address, unread, lost };
    if (lost) {
      yield { model: null };
      return;
    }
    if (shown !== close || listed.address !== close) {
      const found = yield* picks(all, combo);
      yield;
      const results = sitegen.results(found, combo, all, catalog);
      yield;
      listed = { address: close, models: new Set([...found].map((one) => one.model.id)) };
      yield { list: { address: close, summary: sitegen.summary_html(results), blocks: yield* blocks(results) } };
    }
    yield { model: listed.models.has(state.model) ? detailed(state, combo, address, close) : null };
  }
  const detailed = (state, combo, address, close) => {
    const { catalog } = data, whole = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
    const details = sitegen.details(whole, catalog);
    opened = { address, whole, engine, asked: state.asked };
    return {
      address, close, id: state.model, heading: details.heading, html: sitegen.details_html(details),
      assessment: whole.id, machine: named(combo), name: whole.model.name,
    };
  };
  // What takes longer than the verdict: commands, curves, losses, other checkpoints.
  function* furthering({ further: address }) {
    const { catalog } = data;
    if (opened.address !== address) {
      const state = sitegen.read_state(address, catalog);
      detailed(state, sitegen.combo_of(catalog, state.build, state.combo), address, "");
    }
    const { whole, engine, asked } = opened;
    yield { commands: sitegen.commands_html(sitegen.commands(whole)) };
    yield { more: sitegen.further_html(sitegen.further(whole, sitegen.curves_of(engine, whole, asked))) };
    const lost = [];
    for (const one of sitegen.after_losses(engine, whole, asked)) {
      lost.push(one);
      yield;
    }
    yield { more: sitegen.losses_html(sitegen.losses(whole, lost, catalog)) };
    const ways = [];
    for (const one of sitegen.other_ways(engine, whole, asked)) {
      ways.push(one);
      yield;
    }
    yield { more: sitegen.others_html(sitegen.others(ways)) };
  }

  // Yields nothing after a piece of work, and what is to be shown once it is known.
  function* answering(question) {
    yield* opening();
    const { address, use, page } = question, { catalog } = data;
    if (builds++ % BUILDS === 0) engine = sitegen.open_engine(catalog, data.evidence, data.losses, data.ratings);
    if ("build" in question) return yield* building(question);
    if ("further" in question) return yield* furthering(question);
    if (page) {  // One model on its own page: all about its verdict.
      const { build, combo, model, asked } = sitegen.read_state(address, catalog);
      const found = sitegen.verdict_of(engine, sitegen.combo_of(catalog, build, combo), catalog.models[model], asked);
      yield { details: sitegen.write_details(sitegen.details(found, catalog), page) };
      return;
    }
    const state = sitegen.home_state(address, catalog, 0);
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const view = (answer) => sitegen.first_view(answer, state, catalog);
    if (state.model) {
      const found = sitegen.verdict_of(engine, combo, catalog.models[state.model], state.asked);
      const shown = view(sitegen.of_model(combo, found));
      yield { answer: sitegen.answer_html(shown, "/"), instead: sitegen.instead_html(shown, "/") };
      return;
    }
    const users = state.asked.sequences, wanted = sitegen.use_named(use);
    const { asked, found, first } = yield* served(address, combo, wanted, users);
    const fewer = asked.asked.sequences < users;
    const shown = (answer) => sitegen.first_view(fewer ? sitegen.for_fewer(answer, users) : answer, asked, catalog);
    if (first.pick !== null) yield { answer: sitegen.answer_html(shown(first), "/") };
    const whole = shown(sitegen.with_others(engine, combo, found, wanted));
    const instead = sitegen.instead_html(whole, "/");
    yield first.pick !== null ? { instead } : { answer: sitegen.answer_html(whole, "/"), instead };
  }
  // The best model for a number of users; where no rated one serves so many, for the most that one does.
  function* served(address, combo, wanted, users) {
    const all = yield* best(address, combo, wanted, users);
    if (all.first.pick !== null || users === 1) return all;
    const one = yield* best(address, combo, wanted, 1);
    if (one.first.pick === null) return one;
    for (let fewer = sitegen.fewer_users(users); fewer > 1; fewer = sitegen.fewer_users(fewer)) {
      const some = yield* best(address, combo, wanted, fewer);
      if (some.first.pick !== null) return some;
    }
    return one;
  }
  function* best(address, combo, wanted, users) {
    const asked = sitegen.home_state(address, data.catalog, users), suited = sitegen.for_use(asked, wanted);
    const found = yield* picks(asked, combo), seeing = suited === asked ? found : yield* picks(suited, combo);
    return { asked, found, first: sitegen.best_for_use(engine, combo, seeing, wanted) };
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
  const here = new Set();
  self.onmessage = async ({ data: asked }) => {
    try {
      if (asked.scripts) {
        importScripts(...asked.scripts);
        await taken(opening(), Infinity, () => true, () => {});
        return;
      }
      last = asked.number;
      for (const address of asked.needs ?? []) if (!here.has(address)) importScripts(address);
      for (const address of asked.needs ?? []) here.add(address);
      await taken(answering(asked), 50, () => last === asked.number, (part) => self.postMessage({ number: asked.number, ...part }));
      if (last === asked.number) self.postMessage({ number: asked.number, done: true });
    } catch (error) {
      self.postMessage({ number: asked.number, failed: String(error?.message ?? error) });
    }
  };
})();
