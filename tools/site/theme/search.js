// Finds the sections that hold every word of the query; index.js has them.
const root = document.body.dataset.root;
const query = document.getElementById("query");
const found = document.getElementById("found");

function points(section, words) {
  let sum = 0;
  for (const word of words) {
    const inHeading = (section.heading + " " + section.page).toLowerCase().includes(word);
    if (!inHeading && !section.text.toLowerCase().includes(word)) return 0;
    sum += inHeading ? 10 : 1;
  }
  return sum;
}

function excerpt(section, word) {
  const at = Math.max(0, section.text.toLowerCase().indexOf(word) - 30);
  return (at > 0 ? "…" : "") + section.text.slice(at, at + 90) + "…";
}

function show() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : sections.map((s) => [points(s, words), s]).filter(([p]) => p > 0);
  hits.sort(([a], [b]) => b - a);
  found.replaceChildren(...hits.slice(0, 12).map(([, s]) => {
    const link = Object.assign(document.createElement("a"), { href: root + s.url, textContent: s.heading });
    const text = s.page === s.heading ? "" : s.page + ": ";
    link.append(Object.assign(document.createElement("small"), { textContent: text + excerpt(s, words[0]) }));
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  if (words.length > 0 && hits.length === 0) found.textContent = "Nothing was found.";
  found.hidden = words.length === 0;
}

query.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== query) { event.preventDefault(); query.focus(); }
  if (event.key === "Escape" && document.activeElement === query) { query.value = ""; show(); }
});
