// The sliders on the page of one model on one machine. The engine answers in place what the page says
// for its own context and one user: the verdict and what each GPU holds, by the same writers.
(() => {
  "use strict";
  const form = document.getElementById("sliders"), held = document.getElementById("held");
  const status = form.querySelector("[role=status]"), usual = [...held.childNodes];
  const engine = sitegenAsking(form.dataset), sliders = [...form.querySelectorAll("input")];
  let asked = 0, timer = 0;

  const values = (slider) => slider.dataset.values.split(" ");
  const chosen = (slider) => values(slider)[slider.value];
  const words = (slider) => {
    const many = Number(chosen(slider)), unit = slider.dataset.unit;
    return `${many.toLocaleString("en")} ${many === 1 ? unit.replace(/s$/, "") : unit}`;
  };
  const label = () => {
    for (const slider of sliders) {
      const told = words(slider);
      slider.closest("label").querySelector("output").textContent = told;
      slider.setAttribute("aria-valuetext", told);
    }
  };

  // A chart shows where the sliders stand: an upright line, and what the fullest GPU needs there.
  const drawn = (chart, tag, properties, text = "") => {
    const element = document.createElementNS(chart.namespaceURI, tag);
    for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };
  const ends = (chart, axis) => chart.dataset[axis].split(" ").map(Number);
  const mark = (id, slider, said = "") => {
    const chart = document.querySelector(`svg[aria-labelledby^="${id}-title"]`), value = Number(chosen(slider));
    if (!chart) return;
    chart.querySelector(".chosen")?.remove();
    const [from, to] = ends(chart, "x");
    if (value < from || value > to) return;
    const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => parseFloat(chart.querySelector("svg").getAttribute(name)));
    const share = Math.log(value / from) / Math.log(to / from), x = `${left + width * share}%`;
    const group = drawn(chart, "g", { class: "chosen" });
    group.append(drawn(chart, "line", { x1: x, x2: x, y1: top, y2: top + height }),
      drawn(chart, "text", { x, dx: share > 0.5 ? -5 : 5, y: top + height - 8, "text-anchor": share > 0.5 ? "end" : "start" }, said ? `${words(slider)}: ${said} GiB` : words(slider)));
    const most = ends(chart, "y")[1] / 2 ** 30, need = said ? parseFloat(said.replaceAll(",", "")) : NaN;
    if (need <= most) group.append(drawn(chart, "circle", { cx: x, cy: top + height * (1 - need / most), r: 6 }));
    chart.append(group);
  };
  const marks = (isHeld) => {
    const [context, users] = sliders, bar = held.querySelector(".ledger .strong")?.nextElementSibling;
    mark("context", context, isHeld && bar ? bar.textContent.split(" ")[0] : "");
    mark("load", users);
  };
  // The sliders are in the address, which then opens on them; the link to the view of own builds has them too.
  const view = document.getElementById("change"), build = view.getAttribute("href");
  const moved = () => sliders.filter((slider) => slider.value !== slider.defaultValue).map((slider) => [slider.name, chosen(slider)]);
  const remember = () => {
    const query = new URLSearchParams(moved()).toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}#memory` : location.hash}`);
  };
  const carry = () => {
    view.href = `${build}${moved().map(([name, value]) => `&${name}=${value}`).join("")}`;
  };
  const opening = () => {
    const given = new URLSearchParams(location.search), unknown = [];
    for (const slider of sliders) {
      const value = given.get(slider.name), at = values(slider).indexOf(value);
      if (at >= 0) slider.value = at;
      else if (value) unknown.push(`${slider.name}=${value}`);
    }
    sitegenUnknown(unknown);
  };
  const isUsual = () => sliders.every((slider) => slider.value === slider.defaultValue);
  const show = (...nodes) => {
    held.replaceChildren(...nodes);
    const mark = held.querySelector(".tier")?.textContent.trim() ?? "";
    status.textContent = `${sliders.map(words).join(", ")}: ${mark}`;
    held.removeAttribute("aria-busy");
    marks(true);
  };
  const ask = async () => {
    const number = ++asked, wanted = () => number === asked;
    if (isUsual()) {
      show(...usual);
      return;
    }
    held.setAttribute("aria-busy", "true");
    if (!status.textContent) status.textContent = "Loading the engine…";
    const query = sliders.map((slider) => `${slider.name}=${chosen(slider)}`).join("&");
    const question = { number, address: `${form.dataset.address}&${query}`, page: form.dataset.page };
    try {
      await engine.ask(question, ({ details }) => {
        if (wanted()) show(document.createRange().createContextualFragment(details));
      }, wanted);
    } catch (error) {
      if (!wanted()) return;
      held.removeAttribute("aria-busy");
      status.textContent = `The engine did not load (${error.message}).`;
    }
  };
  const begin = () => { if (location.protocol !== "file:") engine.begin(); };  // Whoever comes near asks soon.
  form.addEventListener("pointerenter", begin);
  form.addEventListener("focusin", begin);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    label();
    marks(false);
    carry();
    clearTimeout(timer);
    timer = setTimeout(() => { remember(); ask(); }, 100);
  });
  opening();
  carry();
  marks(isUsual());
  if (!isUsual()) ask();  // A browser keeps where a slider stood when a reader comes back.
  label();
})();
