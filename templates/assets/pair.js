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
  const isUsual = () => sliders.every((slider) => slider.value === slider.defaultValue);
  const show = (...nodes) => {
    held.replaceChildren(...nodes);
    const mark = held.querySelector(".tier")?.textContent.trim() ?? "";
    status.textContent = `${sliders.map(words).join(", ")}: ${mark}`;
    held.removeAttribute("aria-busy");
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
    clearTimeout(timer);
    timer = setTimeout(ask, 100);
  });
  if (!isUsual()) ask();  // A browser keeps where a slider stood when a reader comes back.
  label();
})();
