// The form of the page that judges a composed build. The engine, the words and the tables come from
// custom-engine.js, which the build translates from the Python that makes every other page.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("build"), machines = $("machines");
  const OPENED = 16;  // An engine remembers what it worked out; after so many models it begins anew.
  let slice = 5;  // Milliseconds of work between two looks at what the reader does; more once all is warm.
  let engine, data, catalog, opened = 0, shown = null, selected = "", found = new Map(), waiting = 0, asked = 0;
  let further;  // The scripts about one model, once they are asked for.

  const { pause } = sitegenJudging;
  const taken = (steps, wanted) => sitegenJudging.taken(steps, () => slice, wanted);

  const load = (address) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => failed(new Error(address));
    document.head.append(script);
  });
  const loadAll = (addresses) => Promise.all(addresses.split(" ").map(load));
  const field = (part, name) => part.querySelector(`[name="${name}"]`);
  const copyOf = (id) => $(id).content.firstElementChild.cloneNode(true);

  // From the form to an address, and back.
  const cardText = (row) => {
    const memory = field(row, "memory");
    return `${field(row, "gpu").value}*${field(row, "number").value || 1}${memory.options.length ? `@${memory.value}` : ""}`;
  };
  const machineText = (part) => [
    field(part, "count").value || 1,
    [...part.querySelectorAll(".card-row")].map(cardText).join("+"),
    field(part, "link").value, field(part, "ram").value, field(part, "bandwidth").value,
    field(part, "system").value, field(part, "display").checked ? "display" : "",
  ].join(";");
  const written = (combo) => [
    ...(combo ? [`combo=${combo}`] : [
      ...[...machines.children].map((part) => `machine=${machineText(part)}`), `network=${form.elements.network.value}`,
    ]),
    ...["context", "users", "kv", "goal", "runtime"].map((name) => `${name}=${form.elements[name].value}`),
    `model=${selected}`,
  ].join("&");

  const offerMemories = (row, chosen) => {
    const gpu = field(row, "gpu").selectedOptions[0], memory = field(row, "memory");
    const sizes = (gpu?.dataset.memories ?? "").split(" ").filter(Boolean);
    memory.replaceChildren(...sizes.map((size) => new Option(`${size} GiB`, size)));
    if (chosen) memory.value = String(chosen / 2 ** 30);
    else memory.selectedIndex = sizes.length - 1;
    row.querySelector(".memory").hidden = sizes.length === 0;
  };
  const addCard = (part, card) => {
    const row = copyOf("card-template");
    part.querySelector(".cards-of-machine").append(row);
    if (card) {
      field(row, "gpu").value = card.gpu;
      field(row, "number").value = card.count;
    }
    offerMemories(row, card?.memory_bytes);
    return row;
  };
  const addMachine = (one) => {
    const part = copyOf("machine-template");
    machines.append(part);
    for (const card of one?.gpus ?? [null]) addCard(part, card);
    if (one) {
      field(part, "count").value = one.count;
      field(part, "link").value = one.link;
      field(part, "ram").value = one.ram_bytes ? Math.round(one.ram_bytes / 2 ** 30) : "";
      field(part, "bandwidth").value = one.ram_bytes_per_s ? Math.round(one.ram_bytes_per_s / 1e9) : "";
      field(part, "system").value = one.operating_system;
      field(part, "display").checked = one.display_attached;
    }
    return part;
  };
  const tidy = () => {
    const parts = [...machines.children];
    parts.forEach((part, at) => {
      const rows = [...part.querySelectorAll(".card-row")];
      const gpus = rows.reduce((sum, row) => sum + Number(field(row, "number").value || 1), 0);
      part.querySelector("legend").textContent = parts.length > 1 ? `Machine type ${at + 1}` : "Machine";
      part.querySelector(".link").hidden = gpus < 2;
      part.querySelector(".remove-machine").hidden = parts.length < 2;
      rows.forEach((row) => { row.querySelector(".remove-card").hidden = rows.length < 2; });
    });
    $("network").hidden = parts.reduce((sum, part) => sum + Number(field(part, "count").value || 1), 0) < 2;
  };
  const fill = (state) => {
    machines.replaceChildren();
    for (const one of state.build.nodes) addMachine(one);
    const fields = form.elements;
    fields.combo.value = state.combo;
    if (state.build.network) fields.network.value = state.build.network;
    const tokens = String(state.asked.context_tokens);
    if (![...fields.context.options].some((one) => one.value === tokens)) {
      fields.context.append(new Option(`${Number(tokens).toLocaleString("en")} tokens`, tokens));
    }
    fields.context.value = tokens;
    fields.users.value = state.asked.sequences;
    fields.kv.value = String(state.asked.kv_bits);
    fields.goal.value = state.asked.goal ?? "";
    fields.runtime.value = state.asked.runtime;
    tidy();
  };

  // From an address to what is shown.
  const finished = (html) => document.createRange().createContextualFragment(html);

  // Who judges the list: a worker, or this thread in slices where a page may have no worker.
  const inPage = () => (address, wanted) => taken(sitegenJudging.judging(address), wanted);
  const inWorker = () => {
    const thread = new Worker(new URL(form.dataset.worker, location.href));
    let number = 0, waits = null;
    const answered = (answer) => {
      waits?.(answer);
      waits = null;
    };
    const here = () => {  // What does not start there is done here, from now on.
      judgeList = inPage();
      answered(undefined);
    };
    thread.onmessage = ({ data: answer }) => {
      if (answer.failed) here();
      else if (answer.number === number) answered(answer);
    };
    thread.onerror = here;
    thread.postMessage({ scripts: form.dataset.scripts.split(" ").map((one) => new URL(one, location.href).href) });
    return (address) => new Promise((done) => {
      answered(undefined);  // Nobody waits for the question before.
      waits = done;
      thread.postMessage({ number: ++number, address });
    });
  };
  let judgeList;
  const beginJudging = () => {  // Once the scripts are here: the worker takes them from the cache.
    try {
      judgeList = location.protocol === "file:" ? inPage() : inWorker();
    } catch {
      judgeList = inPage();
    }
  };
  const judged = async (address, wanted) => {
    const first = judgeList, answer = await first(address, wanted);
    return answer || first === judgeList ? answer : judgeList(address, wanted);
  };
  // A table has its first rows; the others stand behind a button.
  const block = ({ html, more, rest }) => {
    const made = finished(html);
    if (!more) return made;
    const table = made.querySelector("table"), button = document.createElement("button"), below = document.createElement("p");
    button.type = "button";
    button.textContent = `Show ${more} more`;
    button.addEventListener("click", ({ isTrusted }) => {
      const inside = document.createRange();
      inside.selectNodeContents(table.tBodies[0]);
      const rows = inside.createContextualFragment(rest), first = rows.querySelector("a");
      table.tBodies[0].append(rows);
      below.remove();
      if (isTrusted) first?.focus({ preventScroll: true });  // A reader pressed it: on to the rows.
    });
    below.className = "rest";
    below.append(button);
    table.parentElement.after(below);
    return made;
  };
  const showAll = () => { for (const button of document.querySelectorAll("#results .rest button")) button.click(); };
  addEventListener("beforeprint", showAll);
  const judge = async (state, wanted) => {
    const key = sitegen.write_state({ ...state, model: "" }, catalog);
    if (key === shown) return true;
    const made = await judged(key, wanted);
    if (!made || !wanted()) return false;
    shown = key;
    found = new Map(made.models.map((id) => [id, catalog.models[id]]));
    $("summary").replaceChildren(finished(made.summary));
    $("results").replaceChildren(...made.blocks.map(block));
    $("results-section").hidden = false;
    return true;
  };
  const look = (state, combo) => {
    const one = found.get(state.model), section = $("details");
    selected = one ? state.model : "";
    section.hidden = !one;
    if (!one) {
      cite(null);
      return null;
    }
    if (opened++ % OPENED === 0) engine = sitegen.open_engine(catalog, data.evidence, data.losses, data.ratings);
    const whole = sitegen.verdict_of(engine, combo, one, state.asked);
    const details = sitegen.details(whole, catalog);
    cite(whole, combo, state);
    $("details-heading").textContent = details.heading;
    $("details-body").replaceChildren(finished(sitegen.details_html(details)));
    $("details-more").replaceChildren();
    $("details-close").href = `#${sitegen.write_state({ ...state, model: "" }, catalog)}`;
    return whole;
  };
  // A citation of an opened model names it, the machine and the address that opens it again.
  const cited = $("cite"), entry = cited?.parentElement.querySelector("pre");
  const usual = { plain: cited?.textContent, entry: entry?.textContent, title: document.querySelector("h1").textContent };
  const named = (combo) => {
    if (!combo.id.startsWith("custom:")) return combo.name;
    const counts = new Map();
    for (const { gpus } of combo.nodes) for (const { gpu } of gpus) counts.set(gpu.name, (counts.get(gpu.name) ?? 0) + 1);
    const gpus = [...counts].map(([name, count]) => `${count}× ${name}`).join(" + ");
    return combo.nodes.length > 1 ? `${gpus} in ${combo.nodes.length} machines` : gpus;
  };
  const tex = (words) => words.replace(/[&%$#_{}]/g, "\\$&");
  const cite = (whole, combo, state) => {
    if (!cited) return;
    cited.textContent = usual.plain;
    entry.textContent = usual.entry;
    if (!whole) return;
    const page = document.querySelector('link[rel="canonical"]').href;
    const address = `${page}#${sitegen.write_state(state, catalog)}`, title = `${whole.model.name} on ${named(combo)}`;
    // Functions, as a name may hold what a replacement gives a meaning to.
    cited.textContent = usual.plain.replace(usual.title, () => `${title}.`).replace(page, () => address);
    entry.textContent = usual.entry.replace(tex(usual.title), () => tex(title)).replace(page, () => address)
      .replace(/(?<=^@misc\{)[^,]+/, (key) => `${key}-${whole.id}`);
  };
  // What takes longer than the verdict: commands, curves, losses, other checkpoints.
  const adding = function* (whole, question) {
    const add = (html) => $("details-more").append(finished(html));
    add(sitegen.commands_html(sitegen.commands(whole)));
    copyButtons($("details-more"));
    yield;
    add(sitegen.further_html(sitegen.further(whole, sitegen.curves_of(engine, whole, question))));
    yield;
    const lost = [];
    for (const one of sitegen.after_losses(engine, whole, question)) {
      lost.push(one);
      yield;
    }
    add(sitegen.losses_html(sitegen.losses(whole, lost, catalog)));
    yield;
    const ways = [];
    for (const one of sitegen.other_ways(engine, whole, question)) {
      ways.push(one);
      yield;
    }
    add(sitegen.others_html(sitegen.others(ways)));
    return true;
  };
  const more = async (whole, question, wanted) => {
    const section = $("details");
    section.setAttribute("aria-busy", "true");
    try {
      await (further ??= loadAll(form.dataset.modelScripts));
      if (wanted()) await taken(adding(whole, question), wanted);
    } catch (error) {
      further = undefined;
      if (wanted()) $("details-more").textContent = `The commands did not load (${error.message}).`;
    }
    if (wanted()) section.removeAttribute("aria-busy");
  };
  // Show the answer; a question that comes meanwhile ends this one.
  const show = async (state) => {
    const number = ++asked, wanted = () => number === asked;
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    if (!await judge(state, wanted)) return false;
    const whole = look(state, combo);
    if (whole) more(whole, state.asked, wanted);
    return wanted();
  };
  const changed = (combo) => {
    const state = sitegen.read_state(written(combo), catalog);
    const address = sitegen.write_state(state, catalog);
    history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
    show(state);
    return state;
  };
  const soon = () => {
    tidy();
    form.elements.combo.value = "";
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { if (form.checkValidity()) changed(""); });
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    const { target } = event;
    if (target.name === "combo") {
      if (target.value) fill(changed(target.value));
      return;
    }
    if (target.name === "gpu") {
      offerMemories(target.closest(".card-row"));
      const system = target.selectedOptions[0].dataset.system;
      if (system) field(target.closest(".machine"), "system").value = system;
    }
    if (machines.contains(target) || target.name === "network") soon();
    else if (form.checkValidity()) changed(form.elements.combo.value);
  });
  form.addEventListener("click", (event) => {
    const { target } = event;
    if (target.matches(".add-card")) {
      addCard(target.closest(".machine")).querySelector("select").focus();
    } else if (target.matches(".remove-card")) {
      const part = target.closest(".machine");
      target.closest(".card-row").remove();
      part.querySelector(".add-card").focus();
    } else if (target.matches(".remove-machine")) {
      target.closest(".machine").remove();
      $("add-machine").focus();
    } else if (target.matches("#add-machine")) {
      addMachine().querySelector("select").focus();
    } else if (target.matches("#reset")) {
      location.hash = "";
      return;
    } else if (target.matches("#copy")) {
      navigator.clipboard?.writeText(location.href).then(
        () => { $("copied").textContent = "Copied."; },
        () => { $("copied").textContent = location.href; },
      );
      return;
    } else return;
    soon();
  });
  // The address is the build, so that a link into the page is followed by hand.
  $("details").addEventListener("click", (event) => {
    const target = $(event.target.dataset.to);
    if (!event.target.dataset.to) return;
    event.preventDefault();
    if (!target) return;
    const fold = target.closest("details");
    if (fold) fold.open = true;
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    // What comes near is laid out only then, and moves what is below it.
    let times = 4;
    const go = () => {
      target.scrollIntoView();
      if (--times) requestAnimationFrame(go);
    };
    go();
  });
  // A report from a model's view names it by its address, and says what stands there.
  document.querySelector("a.report")?.addEventListener("click", ({ target }) => {
    const rows = [...document.querySelectorAll("#details:not([hidden]) #verdict-facts tbody tr")];
    if (!rows.length) return;
    const address = new URL(target.href), lines = address.searchParams.get("body").split("\n"), place = lines.length - 3;
    const said = rows.map(({ cells: [name, value] }) => `${name.innerText}: ${value.innerText.trim()}`).join("; ");
    lines[place] = `Row: ${location.href.replace(/^file:.*#/, "#")}`;
    lines[place + 1] = `Value on the page: ${said.replace(/\s+/g, " ").slice(0, 600)}`;
    address.searchParams.set("body", lines.join("\n"));
    target.href = address.href;
  });
  addEventListener("hashchange", async () => {
    if (!catalog) return;
    const before = selected, state = sitegen.read_state(location.hash, catalog);
    fill(state);
    if (!await show(state)) return;
    if (selected && selected !== before) $("details-heading").focus();
    else if (before && !selected) {
      if (!$(`m-${before}`)) showAll();
      $(`m-${before}`)?.querySelector("a").focus();
    }
  });

  $("no-script").hidden = true;
  $("summary").textContent = "Loading the engine…";
  loadAll(form.dataset.scripts).then(async () => {
    beginJudging();
    data = await taken(sitegen.opening(sitegenData));
    sitegenJudging.open(data);
    catalog = data.catalog;
    await pause();
    const state = sitegen.read_state(location.hash, catalog);
    await pause();
    $("compose").hidden = false;
    $("compose").open = !location.hash;  // Who follows a link to a build came for what it runs.
    fill(state);
    await pause();
    await show(state);
    slice = 100;
    document.documentElement.dataset.ready = "";
  }).catch((error) => {
    $("summary").textContent = `The engine did not load (${error.message}).`;
    $("no-script").hidden = false;
  });
})();
