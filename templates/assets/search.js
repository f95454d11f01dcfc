// Searches names in the list of the page, verdicts by model and combo, and the text by Pagefind.
(() => {
  "use strict";
  const MOST_VERDICTS = 12, MOST_ERRORS = 5, MOST_TEXTS = 10, READ_TEXTS = 20, PAUSE = 120;
  const SENTENCE = 5;  // Words: so many are a text that was pasted, fewer an idea.
  const ALIKE = 0.6;  // Share of the rarer words that a pasted error has in common with a known one.
  const $ = (id) => document.getElementById(id);
  const form = $("search"), field = form.elements.q, settings = form.dataset;
  const told = $("told"), untold = $("untold"), texts = $("texts");
  const answers = $("answers"), verdicts = $("verdicts"), errors = $("errors");
  const made = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const split = (text) => text.toLowerCase().match(/[\p{L}\p{N}.]*[\p{L}\p{N}]/gu) ?? [];
  // "two 3090s" and "2x3090" are "2x 3090", as machines are named.
  const NUMBERS = { dual: 2, two: 2, three: 3, four: 4, six: 6, eight: 8 };
  const counted = (text) => text.replace(/(?<=\b\d{4})s\b/gi, "").replace(/\b(\d+) ?[x×*] ?(?=\d{4}\b)/gi, "$1x ")
    .replace(/\b(dual|two|three|four|six|eight) (?=(?:rtx |gtx |rx )?\d{4}\b)/gi, (word) => `${NUMBERS[word.trim().toLowerCase()]}x `);
  const items = (section) => [...section?.querySelectorAll("li") ?? []];
  const root = new URL("..", location.href.split(/[?#]/)[0]);

  const groups = [...document.querySelectorAll(".names")].map((section) => ({
    section,
    kind: section.querySelector("h2").id,
    count: section.querySelector(".count"),
    names: items(section).map((item, at) => {
      const link = item.querySelector("a"), words = split(`${link.textContent} ${item.dataset.words ?? ""}`);
      return { ...item.dataset, item, at, link, words, joined: words.join(""), id: link.pathname.split("/").at(-2) };
    }),
  }));
  const listed = (kind) => groups.find((group) => group.kind === kind)?.names ?? [];
  const every = groups.flatMap((group) => group.names);
  const old = new Set(every.filter((name) => name.old === "").map((name) => name.link.href));
  const titles = new Map(groups.flatMap(({ section, names }) => names.map((name) => [
    name.link.href, section.querySelector("h2").firstChild.textContent.trim(),
  ])));

  // "mac" is a word of its own, so it is no beginning of "machines"; "qwen" is one of "qwen3".
  const whole = new Set(every.flatMap((name) => name.words));
  const begins = (known, word) => known === word
    || (known.startsWith(word) && !(whole.has(word) && /\p{L}/u.test(known[word.length])));
  const has = (name, word) => name.words.some((known) => begins(known, word))
    || (word.length > 4 && name.joined.includes(word));
  // Whole words first, then models that nothing replaced and GPUs of one kind, names that begin so,
  // the fewest GPUs, and the shortest name or the newest model.
  const ranked = (names, words, newest) => {
    const keys = new Map(names.map((name) => {
      const own = words.filter((word) => has(name, word)), { id, at } = name;
      const begins = id.startsWith(own.join("-")) ? 0 : id.startsWith(own[0]) ? 1 : 2;
      const missed = own.filter((word) => !name.words.includes(word)).length;
      const plain = newest ? [] : [parseInt(id, 10) || 1, name.link.textContent.length];
      return [name, [missed, old.has(name.link.href) || id.includes("-plus-"), begins, ...plain, at]];
    }));
    const before = (one, other) => one.reduce((found, value, i) => found || value - other[i], 0);
    return [...names].sort((a, b) => before(keys.get(a), keys.get(b)));
  };

  // Ideas: what names no page, and the pages that answer it.
  const terms = items(answers).map((item) => ({
    item, means: item.dataset.means, typed: item.dataset.typed.split("|").sort((a, b) => b.length - a.length),
  }));
  const ignored = new Set(settings.ignored.split(" ")), paired = new Set(settings.pairs.split(" "));

  // What a query asks: ideas, words that names are searched for, and words that are in no name.
  function read(query) {
    const price = /\$ ?(\d[\d,]*)(k?)/i.exec(query);
    const said = split(counted(price ? query.replace(price[0], " ") : query));
    let rest = ` ${said.join(" ")} `;
    const ideas = [];
    for (const term of terms) {
      const typed = term.typed.find((one) => ` ${said.join(" ")} `.includes(` ${one} `));
      if (!typed) continue;
      ideas.push({ ...term, typed });
      if (typed.includes(" ") || !every.some((name) => has(name, typed))) rest = rest.replaceAll(` ${typed} `, " ");
    }
    ideas.sort((a, b) => b.typed.length - a.typed.length);
    const left = rest.trim() ? rest.trim().split(" ") : [];
    const known = left.filter((word) => every.some((name) => has(name, word)));
    const some = known.filter((word) => !ignored.has(word)), chosen = some.length ? some : known;
    return {
      said, ideas, words: chosen,
      dropped: left.filter((word) => !known.includes(word) && !ignored.has(word)),
      most: price && price[1].replaceAll(",", "") * (price[2] ? 1000 : 1),
    };
  }

  // "Compare X and Y on Z", "X vs Y": two models on a machine, or two machines with a model.
  const compared = (query) => {
    const between = /^compare\b/i.test(query) ? "and|with|to|against|vs\\.?|versus" : "vs\\.?|versus";
    return RegExp(`^(?:compare\\s+)?(.+?)\\s+(?:${between})\\s+(.+?)(?:\\s+(?:on|for|with|running)\\s+(.+?))?[\\s?.!]*$`, "i").exec(query);
  };
  const likeliest = (kind, text) => {
    const words = split(counted(text)).filter((word) => !ignored.has(word)), newest = kind === "found-model";
    const names = listed(kind).filter((name) => !newest || name.judged === "");
    const found = words.length ? names.filter((name) => words.every((word) => has(name, word))) : [];
    if (newest) return ranked(found, words, true)[0];
    // The plainest machine: of one kind of GPU, the fewest of them, no number that was not asked for, the shortest name.
    const plain = ({ id, link }) => [id.includes("-plus-"), parseInt(id, 10) || 1,
      split(link.textContent).filter((word) => /\d/.test(word) && !words.includes(word)).length, link.textContent.length];
    const before = (a, b) => plain(a).reduce((sum, value, at) => sum || value - plain(b)[at], 0);
    return found.sort(before)[0];
  };
  function comparison(query) {
    const found = compared(query);
    if (!found) return null;
    const [, one, other, third = ""] = found;
    const models = [one, other].map((text) => likeliest("found-model", text));
    const combos = [one, other].map((text) => likeliest("found-combo", text));
    const two = !models.includes(undefined);
    if ((!two && combos.includes(undefined)) || (two ? models : combos).every(({ id }, _, [first]) => id === first.id)) return null;
    const [first, second] = two ? models : combos, where = likeliest(two ? "found-combo" : "found-model", third);
    const pairs = two ? [["model", first.id], ["with", second.id], ["a", where?.id]] : [["model", where?.id], ["a", first.id], ["b", second.id]];
    const address = new URLSearchParams(pairs.filter(([, value]) => value));
    const words = `Compare ${first.link.textContent} and ${second.link.textContent}${where ? ` ${two ? "on" : "with"} ${where.link.textContent}` : ""}`;
    return made("li", {}, made("a", { href: new URL(`compare/index.html?${address}`, root) }, words));
  }

  function showAnswers({ ideas, most }, beside) {
    const list = answers.querySelector("ul");
    list.replaceChildren(...beside ? [beside] : [], ...ideas.map(({ item }) => item));
    if (most) list.prepend(made("li", {}, made("a", { href: new URL(`combos/index.html?price=${most}`, root) },
      `Machines for at most $${most.toLocaleString("en")}`)));
    answers.hidden = !list.children.length;
    return list.children.length;
  }

  // Errors: a pasted text has the rarer words of a known one, whatever numbers and paths it has.
  const letters = (text) => [...new Set(text.toLowerCase().match(/[a-z]{2,}/g) ?? [])];
  const printed = items(errors).map((item) => ({ item, words: letters(`${item.dataset.words} ${item.textContent}`) }));
  const common = new Map();
  for (const { words } of printed) for (const word of words) common.set(word, (common.get(word) ?? 0) + 1);
  const weight = (words) => words.reduce((sum, word) => sum + Math.log(1 + printed.length / (common.get(word) ?? 0.5)), 0);

  function showErrors(query) {
    if (!errors) return 0;
    const words = letters(query).filter((word) => !ignored.has(word)), found = [];
    for (const { item, words: own } of printed) {
      const shared = words.filter((word) => own.includes(word));
      const share = weight(shared) / Math.min(weight(words), weight(own));
      if (words.length > 1 && shared.length >= Math.min(3, words.length) && share >= ALIKE) found.push([item, weight(shared), share]);
    }
    found.sort((a, b) => b[1] - a[1] || b[2] - a[2]);
    errors.querySelector("ul").replaceChildren(...found.slice(0, MOST_ERRORS).map(([item]) => item));
    errors.hidden = !found.length;
    return found.length;
  }

  function showNames(said, words) {
    let found = 0;
    for (const { section, kind, count, names } of groups) {
      let kept = 0;
      for (const name of names) {
        const stays = !said || (words.length > 0 && words.every((word) => has(name, word)));
        name.item.hidden = !stays;
        kept += stays;
      }
      section.querySelector("ul").append(...(said ? ranked(names, words, kind === "found-model") : names).map((name) => name.item));
      section.hidden = !kept;
      count.textContent = said ? `(${kept} of ${names.length})` : `(${names.length})`;
      found += kept;
    }
    return found;
  }

  // Some of the words name a model and the others a combo: where both meet there is a verdict.
  function showVerdicts({ words }) {
    const named = (names) => names.map((name) => [name, words.map((word) => has(name, word))])
      .filter(([, hits]) => hits.includes(true) && hits.includes(false));
    const models = words.length > 1 ? named(listed("found-model").filter((name) => name.judged === "")) : [];
    const combos = models.length ? named(listed("found-combo")) : [];
    const hits = new Map([...models, ...combos]), pairs = [];
    for (const combo of ranked(combos.map(([name]) => name), words)) {
      for (const model of ranked(models.map(([name]) => name), words, true)) {
        if (words.every((_, at) => hits.get(model)[at] || hits.get(combo)[at])) pairs.push([model, combo]);
      }
    }
    const list = verdicts.querySelector("ul");
    list.replaceChildren(...pairs.slice(0, MOST_VERDICTS).map(([model, combo]) => {
      const chip = made("span", {});
      judged().then((table) => chip.append(...marked(table, model.id, combo.id))).catch(() => {});
      const own = `${combo.id}/${model.id}/`;
      const address = paired.has(own) ? `combos/${own}index.html` : `custom/index.html#combo=${combo.id}&model=${model.id}`;
      return made("li", {}, made("a", { href: new URL(address, root) },
        `${model.link.textContent} on ${combo.link.textContent}`), " ", chip);
    }));
    if (pairs.length > MOST_VERDICTS) {
      list.append(made("li", { className: "note" }, `and ${pairs.length - MOST_VERDICTS} more: add a word to narrow the list`));
    }
    verdicts.hidden = !pairs.length;
    return pairs.length;
  }
  let loading;
  const judged = () => (loading ??= new Promise((done, failed) => {
    document.head.append(made("script", { src: settings.verdicts, onload: () => done(sitegenVerdicts), onerror: failed }));
  }));
  function marked({ tiers, models, combos }, model, combo) {
    const [tier, speed] = combos[combo].split(" ")[models.indexOf(model)].split(":");
    if (!tiers[tier]) return [];
    const [name, glyph, word] = tiers[tier], sign = made("span", {}, glyph);
    sign.setAttribute("aria-hidden", "true");
    return [made("span", { className: `tier ${name}` }, sign, ` ${word}`), speed ? ` ${speed} tok/s` : ""];
  }

  const here = (url) => {
    const [path, anchor] = url.replace(/^\//, "").split("#");
    const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    return new URL(file + (anchor ? `#${anchor}` : ""), root).href;
  };
  let index;

  function loaded() {
    index ??= location.protocol.startsWith("http")
      ? import(new URL(settings.index, location.href)).then(async (found) => {
        await found.options({ baseUrl: "/", excerptLength: 24 });
        await found.init();
        return found;
      })
      : Promise.reject();
    return index;
  }

  // The excerpt marks what was found; whatever else it holds is text.
  function excerpt(html) {
    const nodes = new DOMParser().parseFromString(html, "text/html").body.childNodes;
    return made("p", {}, ...[...nodes].map((node) => (
      node.nodeName === "MARK" ? made("mark", {}, node.textContent) : node.textContent
    )));
  }

  function shown(result) {
    const url = here(result.raw_url ?? result.url), kind = titles.get(url);
    const parts = (result.sub_results ?? []).filter((part) => part.anchor).slice(0, 3);
    return made("li", {},
      made("a", { href: url }, result.meta.title),
      kind ? made("small", {}, ` ${kind}`) : "",
      excerpt(result.excerpt),
      ...(parts.length ? [made("p", { className: "note" }, ...parts.flatMap((part, at) => [
        at ? " · " : "", made("a", { href: `${url}#${part.anchor.id}` }, part.title),
      ]))] : []));
  }

  let asked = 0;
  async function showTexts(query, idea, counts, dropped) {
    const turn = ++asked, list = texts.querySelector("ol");
    texts.hidden = !query;
    if (!query) {
      list.replaceChildren();
      told.textContent = field.value.trim() && `${counts.join(", ")}.`;
      return;
    }
    try {
      const found = await (await loaded()).search(query);
      // Unknown words find their first letter.
      const near = RegExp(split(query).map((word) => word.slice(0, 3)).join("|"), "i");
      const rank = ({ raw_url, url }) => {
        const page = here(raw_url ?? url);
        return old.has(page) ? 2 : Number(!(idea ? /^(Guides|More)/.test(titles.get(page)) : titles.has(page)));
      };
      const results = (await Promise.all(found.results.slice(0, READ_TEXTS).map((one) => one.data())))
        .filter((one) => near.test(one.excerpt)).sort((a, b) => rank(a) - rank(b)).slice(0, MOST_TEXTS);
      if (turn !== asked) return;
      list.replaceChildren(...results.map(shown));
      untold.hidden = results.length > 0;
      untold.textContent = "No page contains all these words.";
      counts.push(`${results.length && found.results.length} in the text`);
    } catch {
      if (turn !== asked) return;
      list.replaceChildren();
      untold.hidden = false;
      untold.textContent = "This copy of the site has no full-text index, or you opened it from a folder. You can still search names and verdicts.";
    }
    told.textContent = `${counts.join(", ")}.${dropped}`;
  }

  function search() {
    const query = field.value.trim(), asks = read(query), { said, ideas, words, dropped } = asks;
    history.replaceState(null, "", location.pathname + (query ? `?${new URLSearchParams({ q: query })}` : ""));
    const counted = (count, one) => `${count} ${count === 1 ? one : `${one}s`}`;
    const found = showErrors(query), pasted = found && dropped.length;  // No list of names.
    const pairs = showVerdicts(pasted ? { words: [] } : asks), names = showNames(query, pasted ? [] : words);
    const beside = comparison(query), answered = showAnswers(asks, beside);
    verdicts[pairs && !beside ? "after" : "before"](answers);
    answers[found && said.length >= SENTENCE ? "before" : "after"](...errors ? [errors] : []);
    const counts = [[answered, "answer"], [pairs, "verdict"], [found, "error"]].filter(([count]) => count).map((one) => counted(...one));
    counts.push(`${counted(names, "page")} by name`);
    const means = ideas[0]?.means, others = means ? said.filter((word) => !ideas[0].typed.split(" ").includes(word)) : [];
    showTexts(means ? [means, ...others].join(" ") : said.length ? query : "", ideas.length > 0, counts,
      dropped.length && words.length && !found ? ` Ignored, because no name contains it: ${dropped.join(", ")}.` : "");
  }

  let pause;
  field.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(search, PAUSE); });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(pause); search(); });

  // Arrows move through what was found; up from the first result leads back to the field.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const results = [...document.querySelectorAll("main section a")].filter((link) => link.offsetParent);
    const at = document.activeElement === field ? -1 : results.indexOf(document.activeElement);
    if (at < 0 && document.activeElement !== field) return;
    if (event.key === "Escape" && at >= 0) field.focus();
    if (!step || at + step < -1 || at + step >= results.length) return;
    event.preventDefault();
    (results[at + step] ?? field).focus();
  });

  const slash = document.getElementById("slash");
  try {
    slash.checked = localStorage.slash !== "off";
    slash.addEventListener("change", () => { localStorage.slash = slash.checked ? "on" : "off"; });
    slash.closest(".keys").hidden = false;
  } catch {
    // Storage is refused: the key stays on, as there is nowhere to keep another wish.
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  if (field.value) search();
})();
