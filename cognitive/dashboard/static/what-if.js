// Sliders: a range and a number beside it say the same; what stands where it stood is not asked about. The number is what
// is sent: a range knows its steps alone, and what holds may stand between two of them.
"use strict";

function placed(slider, value) {
  const [figure, range] = [slider.querySelector(".figure"), slider.querySelector("[type=range]")];
  range.value = slider.dataset.live;  // which may stand between two steps
  const home = range.value;
  range.value = value;
  const moved = range.value !== home;
  figure.value = moved ? range.value : slider.dataset.live;
  slider.classList.toggle("moved", moved);
  figure.dataset.name ||= figure.name;
  if (moved) figure.name = figure.dataset.name;
  else figure.removeAttribute("name");
}
for (const form of document.querySelectorAll("[data-sliders]")) {
  const sliders = [...form.querySelectorAll("[data-slider]")];
  for (const slider of sliders) placed(slider, slider.querySelector(".figure").value);
  for (const [kind, input] of [["input", "[type=range]"], ["change", ".figure"]]) {
    form.addEventListener(kind, (event) => {
      if (!event.target.matches(input)) return;
      const slider = event.target.closest("[data-slider]");
      const value = Number(event.target.value.replace(",", "."));
      placed(slider, event.target.value.trim() && !Number.isNaN(value) ? value : slider.dataset.live);
      htmx.trigger(form, "moved");
    });
  }
  form.querySelector("[data-reset]").addEventListener("click", () => {
    for (const slider of sliders) placed(slider, slider.dataset.live);
    htmx.trigger(form, "moved");
  });
}
