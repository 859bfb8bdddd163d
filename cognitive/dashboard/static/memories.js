// Selection of memories: `x` selects the focused memory, a checkbox below the list selects all on the page.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  document.activeElement?.closest(".memory")?.querySelector("[data-pick]")?.click();
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-picks]");
  if (!form) return;
  const boxes = [...form.querySelectorAll("[data-pick]")];
  if (event.target.matches("[data-pick-all]")) for (const box of boxes) box.checked = event.target.checked;
  const selected = boxes.filter((box) => box.checked).length;
  form.querySelector("[data-picked]").textContent = `${selected} selected`;
});
