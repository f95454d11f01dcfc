// The form of the page that judges a composed build. The engine, the words and the tables come from
// custom-engine.js, which the build translates from the Python that makes every other page.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("build"), machines = $("machines");
  const BUILDS = 16;  // An engine remembers what it worked out; after so many builds it begins anew.
  let engine, data, catalog, builds = 0, shown = "", selected = "", found = new Map(), waiting = 0;

  const load = (address) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => failed(new Error(address));
    document.head.append(script);
  });
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
    for (const card of one?.cards ?? [null]) addCard(part, card);
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
      part.querySelector("legend").textContent = parts.length > 1 ? `Machine, kind ${at + 1}` : "Machine";
      part.querySelector(".link").hidden = gpus < 2;
      part.querySelector(".remove-machine").hidden = parts.length < 2;
      rows.forEach((row) => { row.querySelector(".remove-card").hidden = rows.length < 2; });
    });
    $("network").hidden = parts.reduce((sum, part) => sum + Number(field(part, "count").value || 1), 0) < 2;
  };
  const fill = (state) => {
    machines.replaceChildren();
    for (const one of state.build.machines) addMachine(one);
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
    fields.goal.value = state.asked.goal;
    fields.runtime.value = state.asked.runtime;
    tidy();
  };

  // From an address to what is shown.
  const finished = (html) => document.createRange().createContextualFragment(html);
  const judge = (state) => {
    const key = sitegen.write_state({ ...state, model: "" }, catalog);
    if (key === shown && found.size) return;
    shown = key;
    if (builds++ % BUILDS === 0) engine = sitegen.open_engine(catalog, data.evidence);
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const verdicts = sitegen.verdicts(engine, combo, state.asked, false);
    const results = sitegen.results(verdicts, combo, state, catalog);
    found = new Map(verdicts.map((one) => [one.model.id, one]));
    $("summary").replaceChildren(finished(sitegen.summary_html(results)));
    $("results").replaceChildren(finished(sitegen.results_html(results)));
    $("results-section").hidden = false;
  };
  const look = (state) => {
    const one = found.get(state.model), section = $("details");
    selected = one ? state.model : "";
    section.hidden = !one;
    if (!one) return;
    const combo = sitegen.combo_of(catalog, state.build, state.combo);
    const whole = sitegen.verdict_of(engine, combo, one.model, state.asked);
    const details = sitegen.details(whole, catalog);
    $("details-heading").textContent = details.heading;
    $("details-body").replaceChildren(finished(sitegen.details_html(details)));
    $("details-close").href = `#${sitegen.write_state({ ...state, model: "" }, catalog)}`;
  };
  const show = (text) => {
    const state = sitegen.read_state(text, catalog);
    judge(state);
    look(state);
    return state;
  };
  const changed = (combo) => {
    const state = show(written(combo));
    const address = sitegen.write_state(state, catalog);
    history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
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
  addEventListener("hashchange", () => {
    if (!catalog) return;
    const before = selected;
    fill(show(location.hash));
    if (selected && selected !== before) $("details-heading").focus();
    else if (before && !selected) $(`m-${before}`)?.querySelector("a").focus();
  });

  $("no-script").hidden = true;
  $("summary").textContent = "Loading the engine…";
  Promise.all([load(form.dataset.engine), load(form.dataset.data)]).then(() => {
    data = sitegen.open(sitegenData);
    catalog = data.catalog;
    form.hidden = false;
    fill(show(location.hash));
    document.documentElement.dataset.ready = "";
  }).catch((error) => {
    $("summary").textContent = `The engine did not load (${error.message}).`;
    $("no-script").hidden = false;
  });
})();
