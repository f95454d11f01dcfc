// One model on two to four machines, or two models on one: each machine's figures are a script.
(() => {
  "use strict";
  const form = document.getElementById("side");
  if (!form) return; // a catalog with one machine has nothing to compare
  const { machines, root, first, comfortably } = form.dataset, usual = first.split(" ");
  const base = root.replace("index.html", ""), fields = form.elements;
  const beside = document.getElementById("beside"), answer = document.getElementById("answer");
  const marks = [...document.getElementById("marks").content.querySelectorAll(".tier")];
  const SLOTS = ["a", "b", "c", "d"], LETTERS = "cbn";
  const ids = [...fields.model.options].map((one) => one.value);
  const made = (tag, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const link = (address, text) => made("a", { href: `${base}${address}` }, text);
  for (const name of SLOTS.slice(1)) fields[name].append(...[...fields.a.options].map((one) => one.cloneNode(true)));
  fields.with.append(...[...fields.model.options].map((one) => one.cloneNode(true)));
  const word = (select, value) => [...select.options].find((one) => one.value === value)?.textContent.trim() ?? value;
  const has = (select, value) => [...select.options].some((one) => one.value === value);

  const loading = new Map();
  const load = (id) => {
    if (!loading.has(id)) {
      loading.set(id, new Promise((done, failed) => {
        const src = machines.replace("COMBO", id);
        document.head.append(made("script", { src, onload: () => done(self.sitegenBeside[id]), onerror: () => { loading.delete(id); failed(new Error(src)); } }));
      }));
    }
    return loading.get(id);
  };

  // What a machine does with a model.
  function found(machine, model, data) {
    const at = ids.indexOf(model), letter = data.tiers[at] ?? "-";
    const place = [...data.tiers.slice(0, at)].filter((one) => one === "c" || one === "b").length;
    const runs = letter === "c" || letter === "b";
    const [memory, cost, power] = data.facts;
    const one = { machine, model, letter, runs, memory, cost, power, usd: data.usd };
    if (!runs) return { ...one, speed: [], all: 0, context: 0, users: ["", ""], file: "", close: false };
    return {
      ...one, close: Boolean(data.close[place]), speed: data.one[place], all: data.all[place],
      context: data.context[place], users: data.users[place], file: data.files[data.file[place]],
      slower: data.slower[place] ?? "",
    };
  }

  const many = (value) => value.toLocaleString("en");
  const times = (ratio) => `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1).replace(".0", "")}×`;
  const SAME = 1.05;
  const speed = (one) => one.speed[1] ?? 0, context = (one) => one.context;

  // The comparison as a sentence. Names are those of machines, or of models.
  function says(columns, name, model, machine) {
    const what = model ? ` ${model}` : "", where = machine ? ` on ${machine}` : "";
    const good = columns.filter((one) => one.letter === "c");
    if (!columns.some((one) => one.runs)) return model ? `None of these machines runs ${model}.` : `${machine} runs neither model.`;
    if (!good.length) return model ? `None of these machines runs ${model} ${comfortably}.` : `Neither model fits ${comfortably} on ${machine}.`;
    if (good.length === 1 && columns.length > 1) {
      const [one] = good, rate = speed(one) ? `: ${many(speed(one))} tokens per second for one user` : "";
      return model ? `Only ${name(one)} runs ${model} ${comfortably}${rate}.` : `Only ${name(one)} fits ${comfortably} on ${machine}${rate}.`;
    }
    const [fast, slow] = [...good].sort((a, b) => speed(b) - speed(a));
    const long = [...good].sort((a, b) => b.context - a.context), cheap = good.filter((one) => one.usd).sort((a, b) => a.usd - b.usd);
    const left = columns.filter((one) => one.letter !== "c").map(name), type = (one) => one.file.split(" in ")[0];
    const apart = model && new Set(good.map(type)).size > 1 ? ` They run different files: ${good.map((one) => `${name(one)} ${type(one)}`).join(", ")}.` : "";
    const parts = [], not = left.length ? ` ${left.join(" and ")} ${left.length > 1 ? "do" : "does"} not run it ${comfortably}.` : "";
    if (good.length === 2) {
      const ratio = speed(slow) ? speed(fast) / speed(slow) : 0;
      const verb = model ? `runs${what}` : "runs";
      if (!ratio) parts.push(`${left.length ? good.map(name).join(" and ") : "Both"} ${model ? "run" : "fit"}${model ? what : where} ${comfortably}`);
      else if (ratio < SAME) parts.push(model ? `${left.length ? good.map(name).join(" and ") : "Both"} run ${model} at about the same speed` : `Both models are about as fast${where}`);
      else parts.push(`${name(fast)} ${verb} ${times(ratio)} as fast as ${name(slow)}${where}`);
      const other = ratio && ratio >= SAME ? fast : long[0];
      if (long[0].context === long[1].context) parts.push(", with the same context");
      else {
        const more = long[1].context ? `${times(long[0].context / long[1].context)} the context` : "the longer context";
        parts.push(long[0] === other && ratio >= SAME ? ` and fits ${more}` : `${ratio >= SAME ? ", but " : "; "}${name(long[0])} fits ${more}`);
      }
      parts.push(".");
      if (model && cheap.length === 2) {
        const dearer = cheap[1].usd / cheap[0].usd;
        parts.push(dearer < SAME ? " Their GPUs cost about the same." : ` ${name(cheap[1])} costs ${times(dearer)} as much.`);
      }
      return parts.join("") + apart + not;
    }
    parts.push(speed(fast) ? `${name(fast)} is fastest with ${many(speed(fast))} tokens per second` : `${good.length} of ${columns.length} run${what} ${comfortably}`);
    if (long[0].context > long.at(-1).context) parts.push(long[0] === fast ? ", and fits the longest context" : `; ${name(long[0])} fits the longest context`);
    if (model && cheap.length > 1) parts.push(`; ${name(cheap[0])} costs the least`);
    return `${parts.join("")}.${apart}${not}`;
  }

  // The table: the same rows in all columns, with a bar where there is something to measure.
  function row(title, note, columns, name, value, cell, least = false) {
    const values = columns.map(value), top = Math.max(...values);
    const known = values.filter(Boolean), best = least ? Math.min(...known) : top;
    const head = made("th", { scope: "row" }, title);
    if (note) head.append(" ", made("small", {}, note));
    return made("tr", {}, head, ...columns.map((one, at) => {
      const inside = made("td", {}, made("span", { className: "name", ariaHidden: "true" }, name(one)), ...cell(one, at));
      const number = values[at];
      if (number && top && !least) {
        const bar = made("span", { className: "length", ariaHidden: "true" });
        bar.style.width = `${Math.max(1, (100 * number) / top)}%`;
        inside.append(bar);
      }
      if (number && number === best && known.length > 1 && new Set(values).size > 1) inside.className = "most";
      return inside;
    }));
  }
  const strong = (text) => made("strong", {}, text);
  const dash = () => [made("span", { className: "absent" }, "–")];
  const number = (text) => Number((text || "").replace("+", "")) || 0;

  function table(columns, name, top) {
    const users = (at) => (one) => (one.users[at] ? [strong(one.users[at])] : dash());
    const none = () => 0;
    const lines = [
      row("Verdict", "", columns, name, none, (one) => (one.letter === "-" ? ["not assessed"] : [marks[LETTERS.indexOf(one.letter)].cloneNode(true), ...(one.close ? [made("small", {}, one.letter === "c" ? "(may be only borderline)" : "(too close to call)")] : [])])),
      row("Speed", "one user", columns, name, speed, (one) => (one.speed.length ? [strong(`${many(one.speed[1])} tok/s`), made("small", {}, `${many(one.speed[0])}–${many(one.speed[2])} tok/s`)] : dash())),
      row("Speed", "all users together", columns, name, (one) => one.all, (one) => (one.all ? [strong(`${many(one.all)} tok/s`)] : dash())),
      row("Longest context", "", columns, name, context, (one) => (one.context ? [strong(`${many(one.context)} tokens`)] : dash())),
      row("Users at 8K", "", columns, name, (one) => number(one.users[0]), users(0)),
      row("Users at 32K", "", columns, name, (one) => number(one.users[1]), users(1)),
      row("Run it as", "", columns, name, none, (one) => (one.runs ? [one.file, " ", ...(one.slower ? [made("small", {}, one.slower), " "] : []), made("small", {}, link(`custom/index.html#combo=${one.machine}&model=${one.model}${one.slower ? "&for=answer" : ""}`, "Memory and commands"))] : dash())),
    ];
    const facts = (title, key, least) => row(title, "", columns, name, least ? (one) => one.usd ?? 0 : none, (one) => [one[key][0], ...one[key].slice(1).flatMap((line) => [" ", made("small", {}, line)])], least);
    if (form.classList.contains("two")) {
      const points = (one) => Number([...fields.model.options].find((option) => option.value === one.model)?.dataset.points) || 0;
      lines.splice(1, 0, row("Rating", "", columns, name, points, (one) => (points(one) ? [strong(String(points(one)))] : ["not rated"])));
    } else lines.push(facts("GPU memory", "memory"), facts("GPU cost", "cost", true), facts("Power", "power"));
    const caption = made("caption", { className: "unseen" }, "Side by side");
    const heads = made("tr", {}, made("td"), ...columns.map((one) => made("th", { scope: "col" }, top(one))));
    return made("table", { id: "figures" }, caption, made("thead", {}, heads), made("tbody", {}, ...lines));
  }

  // Models whose verdicts differ, written when somebody wants to see them.
  function differences(chosen, loaded) {
    const differ = ids.filter((_, at) => loaded.some((one) => one.tiers[at] !== loaded[0].tiers[at]));
    if (!differ.length) return made("p", { className: "note" }, `All ${ids.length} models have the same verdict on each machine.`);
    const summary = made("summary", {}, `The verdict differs for ${differ.length} of ${ids.length} models`);
    const fold = made("details", { id: "differences-of", className: "fold" }, summary);
    fold.addEventListener("toggle", () => {
      if (fold.childElementCount > 1) return;
      const rows = differ.map((id) => {
        const at = ids.indexOf(id);
        return made("tr", {}, made("th", { scope: "row" }, link(`models/${id}/index.html`, word(fields.model, id))),
          ...loaded.map((one) => made("td", {}, LETTERS.includes(one.tiers[at]) ? marks[LETTERS.indexOf(one.tiers[at])].cloneNode(true) : "not assessed")));
      });
      const heads = made("tr", {}, made("th", { scope: "col" }, "Model"), ...chosen.map((id) => made("th", { scope: "col" }, word(fields.a, id))));
      const region = made("div", { className: "table", tabIndex: 0, role: "region", ariaLabel: "Models with different verdicts" },
        made("table", { id: "differences" }, made("thead", {}, heads), made("tbody", {}, ...rows)));
      fold.append(region);
    });
    return fold;
  }

  let asked = 0;
  async function show() {
    const mine = ++asked, two = fields.kind.value === "models";
    form.classList.toggle("two", two);
    fields.a.previousElementSibling.textContent = two ? "Machine" : "Machine 1";
    const chosen = two ? [fields.a.value].filter(Boolean) : [...new Set(SLOTS.map((name) => fields[name].value).filter(Boolean))];
    const models = two ? [...new Set([fields.model.value, fields.with.value])] : [fields.model.value];
    const enough = two ? chosen.length && models.length === 2 : chosen.length > 1;
    if (!enough) {
      beside.replaceChildren(answer);
      answer.textContent = two ? "Choose two models and a machine." : "Choose two machines or more.";
      return;
    }
    let loaded;
    try {
      loaded = await Promise.all(chosen.map(load));
    } catch {
      answer.textContent = "We could not load the figures for a machine. Try again.";
      return;
    }
    if (mine !== asked) return;
    const columns = two ? models.map((model) => found(chosen[0], model, loaded[0])) : chosen.map((id, at) => found(id, models[0], loaded[at]));
    const name = two ? (one) => word(fields.model, one.model) : (one) => word(fields.a, one.machine);
    const top = two ? (one) => link(`models/${one.model}/index.html`, name(one)) : (one) => link(`combos/${one.machine}/index.html`, name(one));
    answer.textContent = two ? says(columns, name, "", word(fields.a, chosen[0])) : says(columns, name, word(fields.model, models[0]), "");
    beside.replaceChildren(answer, table(columns, name, top), ...(two ? [] : [differences(chosen, loaded)]));
  }

  function remember() {
    const two = fields.kind.value === "models", address = new URLSearchParams();
    address.set("model", fields.model.value);
    if (two) address.set("with", fields.with.value);
    for (const name of two ? ["a"] : SLOTS) if (fields[name].value) address.set(name, fields[name].value);
    history.replaceState(null, "", `${location.pathname}?${address}${location.hash}`);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  let chosen = false; // whether the reader named the other model
  form.addEventListener("input", async ({ target }) => {
    chosen ||= target === fields.with;
    if (target.name === "kind" && (!chosen || fields.with.value === fields.model.value)) {
      const first = fields.model.selectedIndex;
      fields.with.selectedIndex = await best(["a"], first).catch(() => {}) ?? (first + 1) % ids.length;
    }
    remember();
    show();
  });

  // The best rated model that all of the machines run with room to spare, if there is another.
  async function best(slots, except) {
    const machines = [...new Set(slots.map((name) => fields[name].value).filter(Boolean))];
    const loaded = await Promise.all(machines.map(load));
    const points = (at) => Number(fields.model.options[at].dataset.points) || 0;
    const places = [...ids.keys()].filter((at) => at !== except && points(at) && loaded.every(({ tiers }) => tiers[at] === "c"));
    return places.sort((one, other) => points(other) - points(one))[0];
  }
  async function suggest() {
    const found = await best(SLOTS), { lead = "" } = fields.a.value ? await load(fields.a.value) : {};
    if (found !== undefined) fields.model.selectedIndex = found;
    else if (has(fields.model, lead)) fields.model.value = lead;
  }
  async function begin() {
    const given = new URLSearchParams(location.search), named = SLOTS.some((name) => given.has(name));
    const unknown = [];
    const known = (name) => {
      const id = given.get(name) ?? "";
      if (has(fields[name], id)) return id;
      if (id) unknown.push(`${name}=${id}`);
      return "";
    };
    SLOTS.forEach((name, at) => { fields[name].value = named ? known(name) : usual[at] ?? ""; });
    const model = known("model"), other = known("with");
    sitegenUnknown(unknown);
    if (has(fields.with, other)) {
      fields.with.value = other;
      chosen = true;
      fields.kind.value = "models";
    }
    if (has(fields.model, model)) fields.model.value = model;
    else await suggest().catch(() => {}); // what cannot be loaded is said below
    show();
  }
  begin();
})();
