// The buyer's page: what changes in the form is answered in place. The rule and its words are
// buying.js, made of the Python that wrote the page; the rows are buy-data.js. They are loaded when a
// reader comes to a form, since the page says the first answer without them.
(() => {
  "use strict";
  const KEY = "sitegen-own-prices";  // Kept by machine pages too, by "buy" and the GPU.
  const $ = (id) => document.getElementById(id);
  const form = $("buy"), own = $("own-price");
  let builds, loading, last = "", number = 0;

  const stored = () => {
    try {
      const found = JSON.parse(localStorage.getItem(KEY));
      return found !== null && typeof found === "object" ? found : {};
    } catch { return {}; }
  };
  const store = (values) => {
    try {
      if (Object.keys(values).length) localStorage.setItem(KEY, JSON.stringify(values));
      else localStorage.removeItem(KEY);
    } catch { /* refused: the page works without */ }
  };
  const offered = (id) => [...own.elements.gpu.options].find((one) => one.value === id);
  const prices = () => Object.fromEntries(Object.entries(stored())
    .filter(([name, value]) => name.startsWith("buy ") && Number(value) > 0)
    .map(([name, value]) => [name.slice(4), Number(value)])
    .filter(([id]) => offered(id)));  // A price of what no build has would change nothing.
  const fragment = (html) => document.createRange().createContextualFragment(html);

  const asked = () => {
    const { usd, use, context, users, watts, place, computer } = form.elements;
    return { usd: usd.value, use: use.value, context: context.value, users: users.value, watts: watts.value, place: place.value, computer: computer.value };
  };
  const begin = () => {
    const scripts = sitegenAsking.absolute(form.dataset.scripts);
    loading ??= Promise.all(scripts.map(sitegenAsking.load)).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  // The newest question is answered; those before it that wait for the scripts are not.
  const answer = async (written) => {
    const mine = ++number;
    listed();
    $("best").setAttribute("aria-busy", "true");
    try {
      if (!builds) await begin();
      if (mine === number) answered(written);
    } catch (error) {
      if (mine === number) $("told").textContent = `The list of builds did not load (${error.message}).`;
    }
    if (mine === number) $("best").removeAttribute("aria-busy");
  };
  const answered = (written) => {
    const begun = performance.now(), mine = prices(), { models, ratings, step, least, room } = sitegenBuyRows;
    builds ??= sitegenBuy.opened(sitegenBuyRows.builds, sitegenBuyRows.files);
    const { usd, use, context, users, watts, place, computer } = written;
    const wanted = new sitegenBuy.Wanted(use, Number(context), Number(users), Number(usd), Number(watts), place !== "", computer !== "", least, step, room);
    const words = [...form.elements.use.options].find((one) => one.value === use).text;
    const found = sitegenBuy.answered(builds, models, ratings, new sitegenBuy.Question(wanted, mine, words));
    $("best").replaceChildren(fragment(found.best));
    $("others").replaceChildren(fragment(found.others));
    $("chart").replaceChildren(fragment(found.chart));
    $("told").textContent = found.told;
    $("best").dataset.ms = Math.round(performance.now() - begun);
  };
  const listed = () => {
    const mine = prices();
    $("own-list").replaceChildren(...Object.entries(mine).map(([id, value]) => {
      const item = document.createElement("li");
      item.textContent = `${offered(id).text}: $${value.toLocaleString("en")}`;
      return item;
    }));
    $("forget").hidden = Object.keys(mine).length === 0;
  };
  const changed = () => {
    if (!form.checkValidity()) return;
    const written = asked(), text = new URLSearchParams(written).toString();
    if (text === last) return;
    last = text;
    history.replaceState(null, "", `#${text}`);
    answer(written);
  };
  const soon = () => { if (!builds) begin().catch(() => {}); };  // Whoever comes near asks soon.
  for (const one of [form, own]) for (const kind of ["pointerenter", "focusin"]) one.addEventListener(kind, soon);
  form.addEventListener("input", changed);
  form.addEventListener("change", () => form.reportValidity());  // Say what is wrong with a number.
  form.addEventListener("submit", (event) => event.preventDefault());
  own.addEventListener("submit", (event) => {
    event.preventDefault();
    const { gpu, price } = own.elements;
    store({ ...stored(), [`buy ${gpu.value}`]: price.value });
    price.value = "";
    answer(asked());
  });
  $("forget").addEventListener("click", () => {
    store(Object.fromEntries(Object.entries(stored()).filter(([name]) => !name.startsWith("buy "))));
    answer(asked());
    own.elements.gpu.focus();
  });
  const opening = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const fields = ["usd", "use", "context", "users", "watts", "place", "computer"].map((name) => form.elements[name]);
    sitegenUnknown(sitegenFill(fields, given));
    last = new URLSearchParams(asked()).toString();
    answer(asked());
  };
  if (location.hash.includes("=") || Object.keys(prices()).length) opening();
  else $("forget").hidden = true;
  addEventListener("hashchange", opening);
  document.documentElement.dataset.ready = "";
})();
