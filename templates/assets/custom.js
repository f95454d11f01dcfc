// The form of the page that judges a composed build. The engine, the words and the tables come from
// custom-engine.js, which the build translates from the Python that makes every other page; answers.js
// asks it, in a worker, so that this thread is free for the reader.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("build"), machines = $("machines"), engine = sitegenAsking(form.dataset);
  let shown = null, selected = "", waiting = 0, asked = 0;
  let copying;  // What makes buttons that copy, once a model is opened.

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
    for (const one of state.nodes) addMachine(one);
    const fields = form.elements;
    fields.combo.value = state.combo;
    if (state.network) fields.network.value = state.network;
    const tokens = String(state.context);
    if (![...fields.context.options].some((one) => one.value === tokens)) {
      fields.context.append(new Option(`${Number(tokens).toLocaleString("en")} tokens`, tokens));
    }
    fields.context.value = tokens;
    fields.users.value = state.users;
    fields.kv.value = String(state.kv);
    fields.goal.value = state.goal ?? "";
    fields.runtime.value = state.runtime;
    tidy();
  };

  // From an address to what is shown.
  const finished = (html) => document.createRange().createContextualFragment(html);

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
  // Whoever was at a model of the old list is at the same model of the new one.
  const refocus = (old) => {
    const id = old.closest("[id]").id;
    if (!$(id)) showAll();
    ($(id)?.querySelector("a") ?? $("results").querySelector("a"))?.focus({ preventScroll: true });
  };
  const list = ({ address, summary, blocks }) => {
    const { activeElement } = document, old = $("results").contains(activeElement) && activeElement;
    shown = address;
    $("summary").replaceChildren(finished(summary));
    $("results").replaceChildren(...blocks.map(block));
    $("results-section").hidden = false;
    if (old) refocus(old);
  };
  // Only links to what an opened model has.
  const jumps = () => {
    for (const link of document.querySelectorAll("[data-to]")) link.parentElement.hidden = !$(link.dataset.to);
  };
  const open = (model) => {
    selected = model ? model.id : "";
    $("details").hidden = !model;
    cite(model);
    if (!model) return;
    $("details-heading").textContent = model.heading;
    $("details-body").replaceChildren(finished(model.html));
    $("details-more").replaceChildren();
    jumps();
    $("details-close").href = `#${model.close}`;
  };
  // A citation of an opened model names it, the machine and the address that opens it again.
  const cited = $("cite"), entry = cited?.parentElement.querySelector("pre");
  const usual = { plain: cited?.textContent, entry: entry?.textContent, title: document.querySelector("h1").textContent };
  const tex = (words) => words.replace(/[&%$#_{}]/g, "\\$&");
  const cite = (model) => {
    if (!cited) return;
    cited.textContent = usual.plain;
    entry.textContent = usual.entry;
    if (!model) return;
    const page = document.querySelector('link[rel="canonical"]').href;
    const address = `${page}#${model.address}`, title = `${model.name} on ${model.machine}`;
    // Functions, as a name may hold what a replacement gives a meaning to.
    cited.textContent = usual.plain.replace(usual.title, () => `${title}.`).replace(page, () => address);
    entry.textContent = usual.entry.replace(tex(usual.title), () => tex(title)).replace(page, () => address)
      .replace(/(?<=^@misc\{)[^,]+/, (key) => `${key}-${model.assessment}`);
  };
  // The commands and what else takes longer than the verdict.
  const more = async ({ address }) => {
    const number = ++asked, wanted = () => number === asked, section = $("details"), { further, copy } = form.dataset;
    section.setAttribute("aria-busy", "true");
    const hear = (part) => {
      if (!wanted()) return;
      $("details-more").append(finished(part.commands ?? part.more));
      jumps();
      if ("commands" in part) copyButtons($("details-more"));
    };
    try {
      await (copying ??= sitegenAsking.load(copy));
      if (wanted()) await engine.ask({ number, further: address, needs: sitegenAsking.absolute(further) }, hear, wanted);
    } catch (error) {
      if (wanted()) $("details-more").textContent = `The commands did not load (${error.message}).`;
    }
    if (wanted()) section.removeAttribute("aria-busy");
  };
  // Show the answer; a question that comes meanwhile ends this one. "begun" is called with what the
  // form says of the address, before the answer is known.
  const show = async (text, begun) => {
    const number = ++asked, wanted = () => number === asked;
    let model = null;
    const hear = (part) => {
      if (!wanted()) return;
      if (part.form) begun(part);
      if (part.list) list(part.list);
      if ("model" in part) open(model = part.model);
    };
    try {
      await engine.ask({ number, build: text, shown }, hear, wanted);
    } catch (error) {
      if (!wanted()) return false;
      $("summary").textContent = `The engine did not load (${error.message}).`;
      $("no-script").hidden = false;
      return false;
    }
    if (!wanted()) return false;
    if (model) more(model);
    document.documentElement.dataset.ready = "";
    return true;
  };
  const changed = (combo, begun = () => {}) => show(written(combo), (part) => {
    sitegenUnknown([]);
    history.replaceState(null, "", part.address ? `#${part.address}` : location.pathname + location.search);
    begun(part);
  });
  const soon = () => {
    tidy();
    form.elements.combo.value = "";
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { if (form.checkValidity()) changed(""); });
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => form.reportValidity());  // Say what is wrong with a number.
  form.addEventListener("input", (event) => {
    const { target } = event;
    if (target.name === "combo") {
      if (target.value) changed(target.value, ({ form: filled }) => fill(filled));
      return;
    }
    if (target.name === "gpu") {
      offerMemories(target.closest(".card-row"));
      const own = target.selectedOptions[0].dataset.system, system = field(target.closest(".machine"), "system");
      if (own) system.value = own;
      else if (system.value === "macos") system.value = "linux";  // The Mac is gone.
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
  const follow = () => show(sitegenHash(), ({ form: filled, unread, lost }) => {
    if ($("compose").hidden) {
      $("compose").hidden = false;
      $("compose").open = !location.hash;  // Who follows a link to a build came for what it runs.
    }
    fill(filled);
    sitegenUnknown(unread, lost ? "Describe your machine below." : "These verdicts leave it out.");
    if (!lost) return;
    $("compose").open = true;  // No other machine is judged in place of one that we do not know.
    $("results-section").hidden = true;
    $("summary").textContent = "";
    shown = null;
  });
  addEventListener("hashchange", async () => {
    if (location.hash && !location.hash.includes("=")) return;  // A place on this page, not a build.
    const before = selected;
    if (!await follow()) return;
    if (selected && selected !== before) $("details-heading").focus();
    else if (before && !selected) {
      if (!$(`m-${before}`)) showAll();
      $(`m-${before}`)?.querySelector("a").focus();
    }
  });

  $("no-script").hidden = true;
  $("summary").textContent = "Loading the engine…";
  follow();
})();
