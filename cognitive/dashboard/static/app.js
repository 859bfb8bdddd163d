// Shared by all pages: theme, viewer's time zone, keyboard shortcuts, tooltips, PNG export, live updates.
"use strict";

const base = document.body.dataset.base;

function setCookie(name, value) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${name}=${value}; path=${base || "/"}; max-age=31536000; samesite=strict${secure}`;
}

function getCookie(name) {
  const cookie = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
  return cookie ? cookie.slice(name.length + 1) : "";
}

// The server renders times in the cookie's time zone. Without the cookie, set it and reload the page once.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
if (getCookie("zone") !== zone) {
  setCookie("zone", zone);
  if (zone !== "UTC" && getCookie("zone") === zone && document.querySelector("time, .sub")) location.reload();
}

document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  setCookie("theme", root.dataset.theme);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

document.addEventListener("submit", (event) => {
  // Leave empty fields out of the URL.
  if (event.target.method !== "get") return;
  for (const field of event.target.elements) if (field.name && !field.value) field.disabled = true;
});
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form [name]:disabled")) field.disabled = false;
});

function rows() {
  return [...document.querySelectorAll("[data-row]")].map((row) => row.querySelector(":scope > summary") || row);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") document.activeElement?.blur();
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "/") {
    const search = document.querySelector("[data-search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select?.();
  } else if (event.key === "j" || event.key === "k") {
    const all = rows();
    const at = all.indexOf(document.activeElement);
    const next = event.key === "j" ? Math.min(all.length - 1, at + 1) : Math.max(0, at - 1);
    all[next]?.focus();
    all[next]?.scrollIntoView({ block: "nearest" });
  }
});

// On the page of a turn, the arrow keys walk the session.
document.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, [role='region'], .scroll")) return;
  document.querySelector(`.steps a[rel="${way}"]`)?.click();
});

// Pointing at a memory, or at a passage of the answer, marks both.
function light(numbers) {
  for (const each of document.querySelectorAll(".shown [data-memory], .shown li"))
    each.classList.toggle("lit", numbers.includes(each.dataset.memory));
  for (const mark of document.querySelectorAll("mark[data-of]")) {
    const lit = mark.dataset.of.split(" ").some((each) => numbers.includes(each));
    mark.classList.toggle("lit", lit);
    mark.classList.toggle("faded", numbers.length > 0 && !lit);
  }
}
for (const [begin, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  document.addEventListener(begin, (event) => {
    const over = event.target.closest?.("[data-memory], mark[data-of]");
    if (over) light((over.dataset.memory || over.dataset.of).split(" "));
  });
  document.addEventListener(end, (event) => {
    if (event.target.closest?.("[data-memory], mark[data-of]")) light([]);
  });
}

const tip = document.querySelector(".tip");
document.addEventListener("pointermove", (event) => {
  const over = event.target.closest?.("[data-tip]");
  tip.hidden = !over;
  if (!over) return;
  tip.textContent = over.dataset.tip;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
});

document.addEventListener("click", (event) => {
  const step = event.target.closest?.("[data-link]");
  if (step) location.assign(step.dataset.link);
});

// A refused form is opened as it was: a new request of its page would lose what was typed.
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// The browser converts a chart's SVG file to PNG, so that the server needs no image library.
const scale = 2; // pixels of the PNG per pixel of the chart

async function renderPng(url) {
  const text = await (await fetch(url)).text();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

async function save(link) {
  const file = document.createElement("a");
  file.href = URL.createObjectURL(await renderPng(link.href));
  file.download = link.download;
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
}

for (const link of document.querySelectorAll("[data-png]")) link.hidden = false;
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-png]");
  if (!link) return;
  event.preventDefault();
  save(link);
});

document.addEventListener("visibilitychange", () => {
  // A hidden page is not updated (see below). Update it as soon as it is visible again.
  if (!document.hidden) for (const live of document.querySelectorAll("[data-live]")) htmx.trigger(live, "seen");
});
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden && event.target.matches("[data-live]")) event.preventDefault();
});

// On a narrow screen the navigation is a horizontal strip: scroll it to the current page.
document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest", behavior: "instant" });
