// The form of the home page: what to run on the hardware that a reader has, answered in place.
// Combos are answered from a small file; all else by the engine in a worker (answers.js).
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("ask"), field = $("hardware"), list = $("suggestions"), shown = $("answer");
  const usual = { context: form.elements.context.value, users: "1", use: form.elements.use.value };
  const MOST_TOKENS = 2 ** 24;  // The longest context that the engine is asked for.
  const settings = form.dataset;
  let names, naming, loading, found = [], active = -1, asked = 0, mine = null;
  const alone = (id) => (id ? { id, gib: null } : null);  // The GPU of a machine that has one.
  let chosen = { text: settings.text, address: settings.address, gpu: alone(settings.gpu), count: 1 };

  const made = (tag, properties, ...inner) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inner);
    return element;
  };
  const { load } = sitegenAsking;
  const named = () => (naming ??= Promise.all([settings.names, settings.hardware].map(load))
    .then(() => (names = sitegenHardware.opened(sitegenNames))));

  const engine = sitegenAsking(settings);

  // What is asked, as an address: that of the page of composed builds, and the use.
  const oneModel = () => form.elements.use.value.startsWith("model:");
  const question = () => {
    const { context, users, use } = form.elements;
    const pairs = [chosen.address];
    if (context.value !== usual.context) pairs.push(`context=${context.value}`);
    if (users.value !== usual.users) pairs.push(`users=${users.value}`);
    if (oneModel()) pairs.push(`model=${use.value.slice(6)}`);
    return { address: pairs.join("&"), use: oneModel() ? "" : use.value };
  };
  const written = ({ address, use }) => (use && use !== usual.use ? `${address}&use=${use}` : address);
  const isUsual = () => ["context", "users", "use"].every((name) => form.elements[name].value === usual[name]);

  const fragment = (html) => document.createRange().createContextualFragment(html);
  const tell = (part) => {
    if (part.answer !== undefined) {
      shown.replaceChildren(made("div", {}, fragment(part.answer)), made("div", { className: "instead" }));
      copyButtons(shown);
      $("told").textContent = shown.querySelector("h2").textContent;
    }
    if (part.instead !== undefined) shown.lastElementChild.replaceChildren(fragment(part.instead));
  };
  const written_already = async () => {
    const combo = isUsual() ? (names ? names.comboOf(chosen.address) : /^combo=([^&]+)$/.exec(chosen.address)?.[1]) : "";
    if (!combo) return null;
    try {
      if (!self.sitegenWritten?.[combo]) await load(settings.answers.replace("COMBO", combo));
      return sitegenWritten[combo];
    } catch {
      return null;  // The engine says the same.
    }
  };
  const ask = async () => {
    if (!form.checkValidity() || !chosen.address) return;
    const number = ++asked, { address, use } = question(), begun = performance.now();
    const wanted = () => number === asked;
    shown.setAttribute("aria-busy", "true");
    history.replaceState(null, "", `#${written({ address, use })}`);
    try {
      const known = await written_already();
      if (!wanted()) return;
      if (known) tell(known);
      else {
        if (!loading) $("told").textContent = "Calculating…";
        await engine.ask({ number, address, use }, (part) => { if (wanted()) tell(part); }, wanted);
      }
    } catch (error) {
      $("told").textContent = `The engine did not load (${error.message}).`;
    }
    if (!wanted()) return;
    shown.removeAttribute("aria-busy");
    shown.dataset.asked = written({ address, use });
    shown.dataset.ms = Math.round(performance.now() - begun);
  };

  // The machine that is remembered, on this device alone; site.js shows it in the head of other pages.
  const keep = (machine) => {
    mine = machine;
    try {
      if (mine) localStorage.setItem("sitegen-machine", JSON.stringify(mine));
      else localStorage.removeItem("sitegen-machine");
    } catch { /* refused: nothing is kept */ }
    showMine();
  };
  const showMine = () => {
    $("mine").hidden = !mine;
    if (mine) $("mine-name").textContent = mine.text;
  };
  const label = () => (chosen.gpu && chosen.count > 1 ? `${chosen.count}× ${chosen.text}` : chosen.text);

  // The field: what is typed, what it may mean, what is chosen.
  const show = (one) => {
    chosen = one;
    field.value = one.text;
    const count = form.elements.count;
    count.value = one.count;
    count.disabled = !one.gpu || one.gpu.gib !== null;
    field.removeAttribute("aria-invalid");
    $("unknown").hidden = true;
    $("unsold").textContent = one.unsold ?? "";
  };
  const choose = (one, { kept = true } = {}) => {
    sitegenUnknown([]);
    show(one);
    close();
    if (kept) keep({ text: label(), address: chosen.address });
    ask();
  };
  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    found = [];
    active = -1;
  };
  const mark = (at) => {
    active = at;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = list.children[at];
    if (!option) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const counted = (one) => (one.typed || !one.gpu || one.gpu.gib !== null
    ? one : names.ofGpu(one.gpu.id, Number(form.elements.count.value) || 1));
  const suggest = async () => {
    await named();
    const typed = field.value;
    const every = typed.trim() ? names.find(typed).map(counted) : [];
    found = every.filter((one, at) => every.findIndex(({ address }) => address === one.address) === at);
    list.replaceChildren(...found.map((one, at) => {
      const count = one.gpu && one.count > 1 ? `${one.count}× ` : "";
      const option = made("li", { id: `suggestion-${at}` }, `${count}${one.text} `, made("small", {}, one.note));
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      return option;
    }));
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(found.length > 0));
    field.removeAttribute("aria-activedescendant");
    active = -1;
    if (found.length) mark(0);
  };
  const settle = async () => {
    await named();
    if (!found.length) await suggest();
    if (found.length) choose(found[Math.max(active, 0)]);
    else if (field.value.trim()) {
      field.setAttribute("aria-invalid", "true");
      $("unknown").hidden = false;
    }
  };

  field.addEventListener("focus", () => {
    field.select();
    named().then(guess, () => {});
    if (location.protocol !== "file:") engine.begin();
  });
  field.addEventListener("input", suggest);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!found.length) suggest();
      else mark((active + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter") settle();
    else if (event.key === "Escape" && !list.hidden) {
      close();
      field.value = chosen.text;
    } else return;
    event.preventDefault();
  });
  field.addEventListener("blur", () => {
    if (!list.hidden && field.value !== chosen.text && found.length) choose(found[Math.max(active, 0)]);
    else close();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault());  // The field keeps the focus.
  list.addEventListener("click", (event) => {
    const at = [...list.children].indexOf(event.target.closest("li"));
    if (found[at]) choose(found[at]);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    settle();
  });
  form.addEventListener("change", async ({ target }) => {
    if (target === field || !form.reportValidity()) return;
    if (target.name === "count" && chosen.gpu) {
      await named();
      choose(names.ofGpu(chosen.gpu.id, Number(target.value), chosen.gpu.gib));
    } else if (target.name !== "count") ask();
  });

  // Buttons below the form: usual machines, forget, and what a computer prints.
  for (const link of document.querySelectorAll("#offered a")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose({ text: link.textContent, address: `combo=${link.dataset.combo}`, gpu: alone(link.dataset.gpu), count: 1 });
      $("ask").scrollIntoView({ block: "nearest" });
    });
  }
  $("forget").addEventListener("click", () => {
    keep(null);
    field.focus();
  });
  const offer = (...buttons) => $("read-offers").replaceChildren(...buttons.flatMap(([textContent, onclick]) => [
    made("button", { type: "button", textContent, onclick }), " ",
  ]));
  const listing = (some) => (some.length > 1 ? `${some.slice(0, -1).join(", ")} and ${some.at(-1)}` : some[0]);
  // Answer for all that was read, once a reader has said what each name means that fits several GPUs.
  const taken = (groups) => {
    const open = groups.find((group) => group.ids.length > 1);
    if (open) {
      $("read-says").textContent = `“${open.name}” matches several GPUs. Which one is it?`;
      offer(...open.ids.map((id) => {
        const { count, text } = names.ofGpu(id, open.count, open.gib);
        return [count > 1 ? `${count}× ${text}` : text, () => taken(groups.map((one) => (one === open ? { ...one, ids: [id] } : one)))];
      }));
      return;
    }
    offer();
    choose(names.ofGroups(groups.map(({ ids, count, gib }) => ({ id: ids[0], count, gib }))));
    $("read-says").textContent = `Found ${label()}.`;
  };
  $("read").addEventListener("click", async () => {
    await named();
    const { groups, unknown } = names.read($("pasted").value), said = $("read-says");
    offer();
    if (!groups.length) {
      said.textContent = unknown.length
        ? `We don't know ${listing(unknown)}. Pick the nearest GPU above.`
        : "We found no GPU in this text. Paste the command's full output.";
    } else if (unknown.length) {
      said.textContent = `We don't know ${listing(unknown)}.`;
      offer([`Answer without ${unknown.length > 1 ? "them" : "it"}`, () => taken(groups)]);
    } else taken(groups);
  });
  // What the browser itself knows of the GPU; most say little, and it goes nowhere.
  let guessed = false;
  const guess = async () => {
    if (guessed || mine) return;
    guessed = true;
    const said = [];
    try {
      const info = (await navigator.gpu?.requestAdapter())?.info;
      if (info) said.push(info.description, info.device);
    } catch { /* no WebGPU */ }
    try {
      const context = document.createElement("canvas").getContext("webgl");
      const more = context?.getExtension("WEBGL_debug_renderer_info");
      if (more) said.push(...String(context.getParameter(more.UNMASKED_RENDERER_WEBGL)).split(/[,(]/));
    } catch { /* no WebGL */ }
    const ids = said.filter(Boolean).map((name) => names.meant(name.replace(/^ANGLE|Direct3D.*$|\/PCIe.*$/g, "").trim())).find((some) => some.length) ?? [];
    const likely = ids.length === 1 ? names.ofGpu(ids[0], 1) : null;
    $("guess").hidden = !likely;
    if (!likely) return;
    const button = made("button", { type: "button", textContent: `Use ${likely.text}` });
    button.addEventListener("click", () => { $("guess").hidden = true; choose(likely); });
    $("guess").replaceChildren(`This browser runs on ${/^[AEIOUMR]/.test(likely.text) ? "an" : "a"} ${likely.text}. `, button);
  };

  // From an address to the form: what was shared, what the head of a page links to, what is remembered.
  const opening = async () => {
    mine = sitegenMachine();
    if (typeof mine?.address !== "string") mine = null;
    showMine();
    const given = new Map(), hardware = [];
    for (const pair of sitegenHash().split("&")) {
      const [name, ...rest] = pair.split("=");
      if (["combo", "machine", "network"].includes(name)) hardware.push(pair);
      else if (rest.length) given.set(name, rest.join("="));
    }
    const address = hardware.join("&") || mine?.address || (given.size ? settings.address : "");
    if (!address) return;
    const unread = load_of(given);
    await named();
    const one = names.described(address);
    if (one) choose(one, { kept: false });
    else lost(address);
    sitegenUnknown(one ? unread : [...hardware, ...unread], one ? "This answer leaves it out." : "Type your GPU or machine below.");
  };
  // Context, users and use of an address; returns the parts that the form does not have.
  const load_of = (given) => {
    const { context, users, use } = form.elements, tokens = Number(given.get("context"));
    const known = new Map(given), unread = [...given].filter(([name]) => !["context", "users", "use", "model"].includes(name));
    if (known.has("context") && Number.isInteger(tokens) && tokens > 0 && tokens <= MOST_TOKENS
      && ![...context.options].some((one) => Number(one.value) === tokens)) {
      context.append(new Option(`${tokens.toLocaleString("en")} tokens`, tokens));
    }
    if (known.has("model")) known.set("use", `model:${known.get("model")}`);
    const failed = sitegenFill([context, users, use], { get: (name) => known.get(name) ?? null });
    return [...unread.map((pair) => pair.join("=")), ...failed.map((part) => part.replace("use=model:", "model="))];
  };
  // A machine that we do not know, of a link or remembered: no other is answered in its place.
  const lost = (address) => {
    chosen = { text: "", address: "", gpu: null, count: 1 };
    asked += 1;
    field.value = "";
    shown.replaceChildren();
    shown.removeAttribute("aria-busy");
    if (mine?.address === address) {
      $("told").textContent = "";
      shown.replaceChildren(made("p", { className: "note", textContent: `We no longer know the machine that you chose, ${mine.text}. Type your GPU or machine again.` }));
    }
  };
  addEventListener("hashchange", opening);
  opening().finally(() => { document.documentElement.dataset.ready = ""; });
})();
