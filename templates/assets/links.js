// What an address asks of a page: forms are filled from it, names are found however they are typed,
// and what it names that we do not know is said. Loaded by pages whose address has a state.
(() => {
  "use strict";
  // Says above the page which parts of its address we do not know, and nothing where we know all.
  const notice = Object.assign(document.createElement("p"), { className: "warning unknown", hidden: true });
  notice.setAttribute("role", "status");
  window.sitegenUnknown = (parts, shown = "What you see leaves it out.") => {
    if (!notice.isConnected) document.querySelector("main h1")?.after(notice);
    notice.hidden = !parts.length;
    if (!parts.length) return;
    const named = parts.map((part) => Object.assign(document.createElement("b"), { textContent: part.slice(0, 120) }));
    notice.replaceChildren("We don't know part of this link: ", ...named.flatMap((one, at) => (at ? [", ", one] : [one])), `. ${shown}`);
  };
  // Fills a form from an address; returns the parts that its fields cannot hold. "otherwise" is what a
  // field has that the address does not name, its usual value where that is left out.
  window.sitegenFill = (controls, given, otherwise) => {
    const unread = [];
    for (const one of controls) {
      const value = given.get(one.name), usual = otherwise ?? one.value, tick = one.type === "checkbox";
      const put = (text) => { if (tick) one.checked = text === "1"; else one.value = text; };
      put(value ?? usual);
      if (value === null || (tick ? ["", "1"].includes(value) : one.value === value && one.validity.valid)) continue;
      unread.push(`${one.name}=${value}`);
      put(usual);
    }
    return unread;
  };

  // Whether a name is what a reader typed, however it is spaced: "qwen3.8-27b" and "gptoss" are names of
  // models too. Words come in any order; their letters and numbers follow each other as in the name,
  // a number is a whole one unless it is still being typed.
  const pieces = (text) => text.toLowerCase().replaceAll("×", "x").match(/[a-z]+|\d+/g) ?? [];
  const follow = (said, own, from) => said.every((one, at) => {
    const other = own[from + at] ?? "";
    return /\d/.test(one) ? other === one || (at === said.length - 1 && other.startsWith(one)) : other.includes(one);
  });
  window.sitegenNamed = (typed) => {
    const words = typed.split(/\s+/).map(pieces).filter((word) => word.length);
    return (name) => {
      const own = pieces(name), joined = pieces(name.replace(/(?<=[a-z])[^a-z\d]+(?=[a-z])/gi, ""));
      return words.every((word) => [own, joined].some((some) => some.some((_, from) => follow(word, some, from))));
    };
  };

  // Sorting is site.js's; a column that no table has is said here.
  const unsorted = new URLSearchParams(location.search).getAll("sort").filter((state) => {
    const [id, name] = state.split(":");
    return ![...document.getElementById(id)?.querySelectorAll("thead th") ?? []].some((head) => head.dataset.name === name);
  });
  if (unsorted.length) sitegenUnknown(unsorted.map((state) => `sort=${state}`));
})();
