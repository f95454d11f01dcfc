// The page of checks: what is pasted goes to the linter in a worker of this page, and its findings
// are written below the form. Nothing is loaded but the linter itself, and nothing is sent.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("check"), paste = $("paste"), machine = $("machine"), result = $("result");
  const first = [...result.children];
  const LONGEST = 30_000;  // Milliseconds that a check may take.
  const WAIT = 350;  // Milliseconds without a key before the text is checked.
  let asked = 0, waiting = 0, engine, last = "";

  const made = (tag, properties, ...inner) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inner);
    return element;
  };
  const absolute = (addresses) => addresses.trim().split(" ").map((one) => new URL(one, location.href).href);
  const load = (address) => new Promise((done, failed) => {
    document.head.append(made("script", { src: address, async: false, onload: done, onerror: () => failed(new Error(address)) }));
  });
  const inPage = () => {
    const opened = Promise.all([...absolute(form.dataset.scripts), ...absolute(form.dataset.worker)].map(load));
    return async (question) => {
      await opened;
      return sitegenChecking.answer(question);
    };
  };
  const inWorker = () => {
    const thread = new Worker(new URL(form.dataset.worker, location.href));
    const open = new Map();
    let begun;
    const opened = new Promise((done) => { begun = done; });
    thread.onmessage = ({ data }) => {
      if (data.ready) begun();
      if (data.failed && data.number === undefined) {
        for (const one of open.values()) one.failed(new Error(data.failed));
        return;
      }
      const one = open.get(data.number);
      open.delete(data.number);
      if (data.failed) one?.failed(new Error(data.failed));
      else one?.done(data);
    };
    thread.onerror = (event) => {
      for (const one of open.values()) one.failed(new Error(event.message || "no worker"));
      open.clear();
    };
    thread.postMessage({ scripts: absolute(form.dataset.scripts) });
    // A worker that is stuck answers no later question either: another one gets those that wait.
    const stop = (late) => {
      thread.terminate();
      engine = undefined;
      const waited = [...open];
      open.clear();
      for (const [number, one] of waited) {
        if (number === late) one.failed(Object.assign(new Error("Your text takes too long to check. Paste a shorter part of it."), { late }));
        else ready()(one.question).then(one.done, one.failed);
      }
    };
    return (question) => new Promise((done, failed) => {
      const { number } = question;
      open.set(number, { done, failed, question });
      thread.postMessage(question);
      opened.then(() => setTimeout(() => { if (open.has(number)) stop(number); }, LONGEST));
    });
  };
  const ready = () => {
    if (!engine) {
      try {
        engine = location.protocol === "file:" ? inPage() : inWorker();
      } catch {
        engine = inPage();
      }
    }
    return engine;
  };

  const known = [...document.querySelectorAll(".known-error")].map((one) => [
    one.id.slice("known-".length), one.content.querySelector("pre").textContent,
  ]);
  const number = (value, unit) => (unit === "tokens" ? Math.round(value).toLocaleString("en") : value.toFixed(2));
  const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const code = (text) => made("div", { className: "code" }, made("pre", { tabIndex: 0 }, made("code", { textContent: text })));
  const isCommand = (hint) => /(^|[: ])(?:vllm|python3?|llama-server|docker|ollama|trtllm-serve|[A-Z_]+=\S+) .*-/.test(hint);

  // A hint is a sentence, or a sentence and a command.
  const instead = (hint) => {
    if (!hint) return [];
    if (!isCommand(hint)) return [made("p", {}, made("b", { textContent: "Instead: " }), hint)];
    const [, words, command] = /^([^:`]{3,60}: )?(.*)$/s.exec(hint);
    return [made("p", {}, made("b", { textContent: words ? `Instead – ${words}` : "Write instead:" })), code(command)];
  };
  // A message begins with a small letter, unless with a name: vLLM and llama.cpp keep theirs.
  const sentence = (text) => `${text.replace(/^[a-z]+(?=[ ,:])/, (word) => word.charAt(0).toUpperCase() + word.slice(1))}.`.replace(/([.?!])\.$/, "$1");
  const finding = (one) => {
    const mark = made("span", { className: `tier ${one.severity === "error" ? "not-practical" : "borderline"}`, textContent: one.severity === "error" ? "✗ problem" : "≈ warning" });
    const item = made("li", { className: "finding" },
      made("h3", {}, mark, ` Line ${one.line}: ${one.what}`));
    if (one.source) {
      const at = Math.max(0, Math.min(one.column - 1, one.source.length));
      const end = at + (/^\S+/.exec(one.source.slice(at))?.[0].length ?? 0);
      item.append(made("pre", { className: "line", tabIndex: 0 }, made("code", {},
        one.source.slice(0, at), made("mark", { textContent: one.source.slice(at, end) }), one.source.slice(end))));
    }
    item.append(made("p", { textContent: sentence(one.message) }));
    if (one.why) item.append(made("p", {}, made("b", { textContent: "Why it matters: " }), one.why));
    item.append(...instead(one.hint));
    return item;
  };
  const knownError = (one) => {
    const template = $(`known-${one.id}`);
    return made("li", { className: "finding" },
      made("h3", {}, made("span", { className: "tier not-practical", textContent: "✗ known error" }), ` Line ${one.line}: ${template.dataset.title}`),
      template.content.querySelector("div").cloneNode(true),
      made("p", { className: "note" }, `${Math.round(one.share * 100)}% of its text matches yours. `, made("a", { href: template.dataset.address, textContent: "The error, word for word" })));
  };
  const row = (one) => {
    const { predicted, unit } = one;
    const inside = predicted && one.logged >= predicted.low - 0.005 && one.logged <= predicted.high + 0.005;
    const said = !predicted ? "–" : predicted.low === predicted.high ? `${number(predicted.mid, unit)} ${unit}`
      : `${number(predicted.mid, unit)} ${unit} (${number(predicted.low, unit)} to ${number(predicted.high, unit)})`;
    const off = predicted ? (one.logged / predicted.mid - 1) * 100 : 0;
    const verdict = !predicted ? "" : inside ? "inside our interval" : `${Math.abs(off).toFixed(0)}% ${off > 0 ? "more" : "less"} than we expect`;
    return made("tr", {}, made("th", { scope: "row", textContent: one.name }), made("td", { className: "n", textContent: `${number(one.logged, unit)} ${unit}` }), made("td", { className: "n", textContent: said }), made("td", { textContent: verdict }));
  };
  const started = (start) => {
    const runtime = { vllm: "vLLM", sglang: "SGLang", "llama-cpp": "llama.cpp" }[start.runtime];
    const sums = start.figures.filter((one) => one.predicted);
    const good = sums.filter((one) => one.logged >= one.predicted.low - 0.005 && one.logged <= one.predicted.high + 0.005);
    const inside = `${good.length} of ${many(sums.length, "figure")} in your log are inside our interval`;
    const title = start.failed ? "The server did not start" : sums.length ? inside : start.serves ? "The server started" : "We read the memory in your log";
    const parts = [made("h2", { textContent: title })];
    if (start.failed) parts.push(code(start.failed));
    if (start.failed && sums.length) parts.push(made("p", { textContent: `${inside}.` }));
    const { tensor, pipeline, context } = start.asked;
    const facts = [
      `${runtime}${start.version ? ` ${start.version}` : ""}`, [start.model || start.asked.model, start.checkpoint].filter(Boolean).join(", "),
      tensor && `tensor parallel ${tensor}`, pipeline && Number(pipeline) > 1 && `pipeline parallel ${pipeline}`,
      context && `${Number(context).toLocaleString("en")} tokens of context`, start.gpus.join(", "),
    ].filter(Boolean);
    parts.push(made("p", {}, "We read: ", facts.join(" · "), "."));
    if (start.why_not) parts.push(made("p", { className: "note", textContent: start.why_not }));
    const head = made("thead", {}, made("tr", {}, ...["Memory", "In your log", "We expect", ""].map((text, at) => made(text ? "th" : "td", at && at < 3 ? { className: "n", textContent: text } : { textContent: text }))));
    for (const cell of head.querySelectorAll("th")) cell.scope = "col";
    parts.push(made("div", { className: "table", tabIndex: 0, role: "region", ariaLabel: "Figures of the log" }, made("table", {}, made("caption", { textContent: "Your log and our estimate" }), head, made("tbody", {}, ...start.figures.map(row)))));
    parts.push(made("details", { className: "fold" }, made("summary", { textContent: "A record to contribute" }),
      made("p", { textContent: "This is your startup in the catalog's format. Check the machine, add a link to the log, and send the record by pull request as a file in catalog/measurements/." }), code(start.record)));
    return parts;
  };
  const notes = (found) => {
    const out = [];
    const { told } = found;
    if (told === "markdown" || told === "html" || told === "python") out.push(`This looks like ${{ markdown: "Markdown", html: "HTML", python: "Python" }[told]}. We read only the shell commands in it; sitegen lint-command reads all of it.`);
    if (found.without_hardware && !machine.value) out.push("Your text does not name the machine, so we could not check memory or the split over GPUs. Choose the machine above.");
    for (const name of found.unknown_models) out.push(`We did not recognize the model ${name}, so we did not check whether it fits.`);
    for (const { line, name, meant } of found.by_name) out.push(`Line ${line}: we read ${name} as ${meant}, from its name alone.`);
    if (found.unnamed_models) out.push("Your text does not say which model is loaded, so we did not check whether it fits.");
    for (const { line, why } of found.unweighed) out.push(`We did not check the memory of the command in line ${line}: ${why.replace(/\bsitegen has\b/g, "we have")}.`);
    if (found.other_versions) out.push("Your text names a version whose options we don't know, so we did not check them.");
    if (found.unlisted.length) out.push(`We don't know these options (by line): ${found.unlisted.join(", ")}. They may come from a newer version or a custom build, or they may be wrong.`);
    if (found.unread.length) out.push(`We cannot read how a server is started, so we did not check it. Line: ${found.unread.join(", ")}.`);
    return out;
  };
  // That nothing was found wrong says little of memory where the model or the machine is not known.
  const nothing = (found) => {
    const machineless = found.without_hardware && !machine.value;
    const unweighed = machineless || found.unknown_models.length || found.unnamed_models || found.unweighed.length;
    return unweighed ? "We found nothing wrong, but we did not check the memory" : "We found nothing wrong";
  };
  const show = (found) => {
    const { problems, seen, start } = found;
    const parts = [];
    const errors = problems.filter((one) => one.severity === "error").length;
    if (start) parts.push(...started(start));
    if (found.launches || found.calls || problems.length) {
      const count = errors ? many(errors, "problem") : "";
      const warned = problems.length - errors ? many(problems.length - errors, "warning") : "";
      const all = [count, warned].filter(Boolean).join(" and ");
      parts.push(made("h2", { textContent: all ? `${all} in ${found.launches > 1 ? `${found.launches} commands` : "your text"}` : nothing(found) }));
    }
    if (seen.length) {
      if (!parts.length) parts.push(made("h2", { textContent: seen.length === 1 ? "We know this error" : "We know errors like this" }));
      parts.push(made("ul", { className: "findings" }, ...seen.slice(0, 2).map(knownError)));
    }
    if (problems.length) parts.push(made("ul", { className: "findings" }, ...problems.map(finding)));
    if (!parts.length) {
      parts.push(made("h2", { textContent: "We recognized nothing here" }),
        made("p", {}, "We found no launch command, no startup figures and no known error. Paste the whole command, or the log from its first line. ",
          "For a symptom without an error message, see the troubleshooting guide."));
    }
    const said = notes(found);
    if (said.length) parts.push(made("ul", { className: "notes note" }, ...said.map((text) => made("li", { textContent: text }))));
    result.replaceChildren(...parts);
    if (typeof copyButtons === "function") copyButtons(result);
    $("told").textContent = result.querySelector("h2").textContent;
  };
  const check = async () => {
    const text = paste.value, key = `${machine.value}\n${text}`;
    if (key === last) return;
    last = key;
    const turn = ++asked, begun = performance.now();
    if (!text.trim()) {
      result.replaceChildren(...first);
      return;
    }
    result.setAttribute("aria-busy", "true");
    if (!result.dataset.ms) $("told").textContent = "Checking…";
    try {
      const today = new Date().toISOString().slice(0, 10);
      const found = await ready()({ number: turn, text, combo: machine.value, known, today });
      if (turn !== asked) return;
      const drawn = performance.now();
      show(found);
      result.dataset.drawn = Math.round(performance.now() - drawn);
    } catch (error) {
      if (turn !== asked) return;
      last = "";
      result.replaceChildren(made("h2", { textContent: error.late ? "We could not check your text" : "The check did not start" }), made("p", { textContent: error.message }));
    }
    result.removeAttribute("aria-busy");
    result.dataset.ms = Math.round(performance.now() - begun);
    result.dataset.asked = turn;
  };
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, WAIT);
  };
  paste.addEventListener("focus", () => { if (location.protocol !== "file:") ready(); }, { once: true });
  paste.addEventListener("input", soon);
  machine.addEventListener("change", check);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    check();
  });
  for (const button of document.querySelectorAll(".try")) {
    button.addEventListener("click", () => {
      paste.value = button.dataset.text;
      if (button.dataset.combo) machine.value = button.dataset.combo;
      check();
    });
  }
  const mine = typeof sitegenMachine === "function" ? sitegenMachine() : null;
  const remembered = /^combo=([\w.-]+)$/.exec(mine?.address ?? "")?.[1];
  if (remembered && [...machine.options].some((one) => one.value === remembered)) machine.value = remembered;
  document.documentElement.dataset.ready = "";
})();
