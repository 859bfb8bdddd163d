// The palette: Cmd+K or Ctrl+K, or a click on the agent, finds an agent or a page as one types.
"use strict";

const palette = document.querySelector(".palette");
let place = 0;
let asked = 0;

function choices() {
  return [...palette.querySelectorAll("li:not([hidden]) a")];
}

function choose(at) {
  const all = choices();
  place = Math.max(0, Math.min(all.length - 1, at));
  all.forEach((each, n) => each.classList.toggle("at", n === place));
  all[place]?.scrollIntoView({ block: "nearest" });
}

async function find(words) {
  for (const item of palette.querySelectorAll(".pages li"))
    item.hidden = !item.textContent.toLowerCase().includes(words.toLowerCase());
  choose(0);
  const found = palette.querySelector(".found");
  if (!found) return;
  const mine = ++asked;
  const url = `${found.dataset.from}?sort=last&q=${encodeURIComponent(words)}`;
  const answer = await fetch(url, { headers: { "HX-Request": "true" } });
  const text = answer.ok ? await answer.text() : "";
  if (mine !== asked) return; // a later search has begun
  // The server escapes the names in this part, as in every page.
  found.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  choose(0);
}

function open() {
  palette.querySelector("input").value = "";
  palette.showModal();
  find("");
}

if (palette) {
  palette.querySelector("input").addEventListener("input", (event) => find(event.target.value));
  palette.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    choices()[place]?.click();
  });
  palette.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(place + step);
  });
  palette.addEventListener("click", (event) => event.target === palette && palette.close());
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!palette.open) open();
  });
  document.querySelector("[data-palette]")?.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
}
