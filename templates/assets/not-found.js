// Leads on from the address of a model on a machine that has no page, or no longer.
(() => {
  "use strict";
  const pair = document.getElementById("pair"), root = pair.dataset.root.replace(/index\.html$/, "");
  const named = /\/combos\/([\w.-]+)\/([\w.-]+)\/?(?:index\.html)?$/.exec(location.pathname);
  if (!named || ["models", "recipes"].includes(named[2])) return;
  const [machine, model] = pair.querySelectorAll("a");
  machine.href = `${root}combos/${named[1]}/`;
  model.href = `${root}models/${named[2]}/`;
  pair.hidden = false;
})();
