// Searches names in the list of the page, verdicts by model and combo, and the text by Pagefind.
(() => {
  "use strict";
  const MOST_VERDICTS = 12, MOST_TEXTS = 10, PAUSE = 120;
  const form = document.getElementById("search"), field = form.elements.q;
  const told = document.getElementById("told"), untold = document.getElementById("untold");
  const verdicts = document.getElementById("verdicts"), texts = document.getElementById("texts");
  const made = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const split = (text) => text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [];

  const groups = [...document.querySelectorAll(".names")].map((section) => ({
    section,
    kind: section.querySelector("h2").id,
    count: section.querySelector(".count"),
    names: [...section.querySelectorAll("li")].map((item) => {
      const link = item.querySelector("a"), words = split(`${link.textContent} ${item.dataset.words ?? ""}`);
      return { item, link, words, joined: words.join(""), row: item.dataset.row };
    }),
  }));
  const listed = (kind) => groups.find((group) => group.kind === kind)?.names ?? [];
  const titles = new Map(groups.flatMap(({ section, names }) => names.map((name) => [
    name.link.href, section.querySelector("h2").firstChild.textContent.trim(),
  ])));

  const has = (name, word) => name.words.some((known) => known.startsWith(word))
    || (word.length > 4 && name.joined.includes(word));

  function showNames(words) {
    let found = 0;
    for (const { section, count, names } of groups) {
      let kept = 0;
      for (const name of names) {
        const stays = words.every((word) => has(name, word));
        name.item.hidden = !stays;
        kept += stays;
      }
      section.hidden = !kept;
      count.textContent = words.length ? `(${kept} of ${names.length})` : `(${names.length})`;
      found += kept;
    }
    return found;
  }

  // Some of the words name a model and the others a combo: the row where both meet.
  function showVerdicts(words) {
    const named = (names) => names.map((name) => [name, words.map((word) => has(name, word))])
      .filter(([, hits]) => hits.includes(true) && hits.includes(false));
    const models = words.length > 1 ? named(listed("found-model").filter((name) => name.row)) : [];
    const combos = models.length ? named(listed("found-combo")) : [];
    const pairs = [];
    const plain = ([one], [other]) => one.link.textContent.length - other.link.textContent.length;
    for (const [combo, other] of combos.sort(plain)) {
      for (const [model, one] of models.sort(plain)) {
        if (words.every((_, at) => one[at] || other[at])) pairs.push([model, combo]);
      }
    }
    const list = verdicts.querySelector("ul");
    list.replaceChildren(...pairs.slice(0, MOST_VERDICTS).map(([model, combo]) => made("li", {},
      made("a", { href: `${combo.link.href}#${model.row}` },
        `${model.link.textContent} on ${combo.link.textContent}`))));
    if (pairs.length > MOST_VERDICTS) {
      list.append(made("li", { className: "note" }, `and ${pairs.length - MOST_VERDICTS} more: name one of them more closely`));
    }
    verdicts.hidden = !pairs.length;
    return pairs.length;
  }

  const root = new URL("..", location.href.split(/[?#]/)[0]);
  const here = (url) => {
    const [path, anchor] = url.replace(/^\//, "").split("#");
    const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    return new URL(file + (anchor ? `#${anchor}` : ""), root).href;
  };
  let index;

  function loaded() {
    index ??= location.protocol.startsWith("http")
      ? import(new URL(form.dataset.index, location.href)).then(async (found) => {
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
  async function showTexts(query, names, pairs) {
    const turn = ++asked, list = texts.querySelector("ol");
    const counts = [`${names} ${names === 1 ? "page" : "pages"} by name`];
    if (pairs) counts.unshift(`${pairs} ${pairs === 1 ? "verdict" : "verdicts"}`);
    texts.hidden = !query;
    if (!query) { list.replaceChildren(); told.textContent = ""; return; }
    try {
      const found = await (await loaded()).search(query);
      // Unknown words find their first letter.
      const near = RegExp(split(query).map((word) => word.slice(0, 3)).join("|"), "i");
      const results = (await Promise.all(found.results.slice(0, MOST_TEXTS).map((one) => one.data())))
        .filter((one) => near.test(one.excerpt));
      if (turn !== asked) return;
      list.replaceChildren(...results.map(shown));
      untold.hidden = results.length > 0;
      untold.textContent = "No page has all these words in its text.";
      counts.push(`${results.length && found.results.length} in the text`);
    } catch {
      if (turn !== asked) return;
      list.replaceChildren();
      untold.hidden = false;
      untold.textContent = "This copy of the site has no index of its text, or is opened from a folder. Names and verdicts are found all the same.";
    }
    told.textContent = `${counts.join(", ")}.`;
  }

  function search() {
    const query = field.value.trim(), words = split(query);
    history.replaceState(null, "", location.pathname + (query ? `?${new URLSearchParams({ q: query })}` : ""));
    const names = showNames(words);
    showTexts(words.length ? query : "", names, showVerdicts(words));
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
