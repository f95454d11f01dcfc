// The form below the table of costs. The formulas are the engine's own (cost.js): this file reads
// the fields, asks them, and writes the answers. Without it the table stays.
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
