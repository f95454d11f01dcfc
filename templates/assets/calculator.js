// The forms below tables of costs. The formulas are the engine's own (cost.js): this file reads
// the fields, asks them, and writes the answers. Without it the tables stay.
"use strict";
for (const form of document.querySelectorAll(".calculator")) {
  const money = new Intl.NumberFormat("en-US", {minimumFractionDigits: 2, maximumFractionDigits: 2});
  const plain = new Intl.NumberFormat("en-US", {maximumSignificantDigits: 3});
  const value = (name) => form.elements[name].valueAsNumber;
  const say = (name, words) => { form.elements[name].value = words; };
  const compute = () => {
    if (!form.checkValidity()) {
      for (const name of ["tokens", "electricity", "bought", "months"]) say(name, "–");
      return;
    }
    const tokens = sitegenCost.written_tokens_a_month(value("speed"), value("hours"));
    const electricity = sitegenCost.electricity_usd_a_month(
      value("busy"), value("idle"), value("hours"), value("kwh"));
    const bought = sitegenCost.bought_usd_a_month(
      tokens, value("read"), value("api-read"), value("api-written"));
    const months = sitegenCost.break_even_months(value("hardware"), bought, electricity);
    say("tokens", `${plain.format(tokens / 1e6)} million tokens`);
    say("electricity", `${money.format(electricity)} USD`);
    say("bought", `${money.format(bought)} USD`);
    say("months", months === null ? "never: the electricity costs more than the API"
      : `after ${plain.format(months)} months`);
  };
  form.addEventListener("input", compute);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  compute();
}
// A reader's own prices below the costs of a combo. They are kept on this device, by GPU, so that
// every combo with the same card is filled with them; where storage is refused the form still adds.
for (const form of document.querySelectorAll(".own-prices")) {
  const KEY = "sitegen-own-prices";
  const money = (usd) => `${new Intl.NumberFormat("en-US", {maximumSignificantDigits: 4}).format(usd)} USD`;
  const prices = [...form.querySelectorAll("input")];
  const slot = (input) => input.dataset.gpu ? `${input.name} ${input.dataset.gpu}` : input.name;
  // Watts are the combo's own and are not carried to another.
  const kept = prices.filter((input) => input.name !== "watts");
  const filled = new Map(prices.map((input) => [input, input.value]));
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
    } catch { /* refused: the form works without */ }
  };
  const say = (name, words) => { form.elements[name].value = words; };
  const value = (name) => prices.find((input) => input.name === name).valueAsNumber;
  const sum = (name) => prices.filter((input) => input.name === name)
    .reduce((all, input) => all + input.valueAsNumber * Number(input.dataset.count), 0);
  const perMillion = (hour) => [form.dataset.one, form.dataset.every]
    .map((speed) => money(sitegenCost.usd_per_million_tokens(hour, Number(speed)))).join(" / ");
  const compute = () => {
    const buy = sum("buy");
    const hire = sum("hire");
    const energy = sitegenCost.power_usd_an_hour(value("watts"), value("kwh"));
    const valid = form.checkValidity();
    const known = (...amounts) => valid && amounts.every(Number.isFinite);
    say("bought", known(buy) ? money(buy) : "–");
    say("hired", known(hire) ? `${money(hire)} an hour` : "–");
    say("energy", known(energy) ? perMillion(energy) : "–");
    say("rent", known(hire) ? perMillion(hire) : "–");
    say("hours", known(buy, hire) && hire > 0
      ? `${new Intl.NumberFormat("en-US", {maximumSignificantDigits: 3}).format(sitegenCost.rented_hours(buy, hire))} hours` : "–");
  };
  form.addEventListener("input", (event) => {
    const values = stored();
    const input = event.target;
    if (kept.includes(input) && input.checkValidity()) {
      if (input.value === filled.get(input)) delete values[slot(input)];
      else values[slot(input)] = input.value;
      store(values);
    }
    compute();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.forget.addEventListener("click", () => {
    store({});
    for (const [input, first] of filled) input.value = first;
    compute();
  });
  const remembered = stored();
  for (const input of kept) {
    const own = remembered[slot(input)];
    if (typeof own === "string") input.value = own;
  }
  form.hidden = false;
  compute();
}
