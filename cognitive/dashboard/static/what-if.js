// Sliders: a range input and a number input with the same value. The number is submitted, because a range has only whole
// steps and the live value may lie between two of them. Sliders that were not moved are not submitted.
"use strict";

function setSlider(slider, value) {
  const [figure, range] = [slider.querySelector(".figure"), slider.querySelector("[type=range]")];
  range.value = slider.dataset.live;  // the browser rounds it to the next step
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
  for (const slider of sliders) setSlider(slider, slider.querySelector(".figure").value);
  for (const [kind, input] of [["input", "[type=range]"], ["change", ".figure"]]) {
    form.addEventListener(kind, (event) => {
      if (!event.target.matches(input)) return;
      const slider = event.target.closest("[data-slider]");
      const value = Number(event.target.value.replace(",", "."));
      setSlider(slider, event.target.value.trim() && !Number.isNaN(value) ? value : slider.dataset.live);
      htmx.trigger(form, "moved");
    });
  }
  form.querySelector("[data-reset]").addEventListener("click", () => {
    for (const slider of sliders) setSlider(slider, slider.dataset.live);
    htmx.trigger(form, "moved");
  });
}
