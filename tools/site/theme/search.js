// Finds the sections that have every word of the query, or of the same query in Quell's words; index.js has them. Tasks
// come first.
const synonyms = {
  "natural": "looks like a ct", "plastic": "looks like a ct", "waxy": "looks like a ct", "texture": "looks like a ct",
  "freesurfer": "segmentation", "fsl": "segmentation", "spm": "segmentation", "fmriprep": "segmentation", "ants": "denoiseimage",
  "strength": "how much is enough", "how strong": "how much is enough", "too much": "how much is enough",
  "what changed": "residual and verdict", "what was removed": "residual and verdict", "difference": "residual and verdict",
  "unchanged": "nothing changed", "no effect": "nothing changed", "does nothing": "nothing changed", "fmri": "4-d series", "dwi": "diffusion",
  "lesion": "how much is enough", "anonym": "de-identified", "compare filters": "choosing a filter", "best filter": "choosing a filter", "bm4d": "prinlm",
};
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
  return sum + (section.url.startsWith("docs/guide/") ? 20 : 0);
}

function excerpt(section, word) {
  const at = Math.max(0, section.text.toLowerCase().indexOf(word) - 30);
  return (at > 0 ? "…" : "") + section.text.slice(at, at + 90) + "…";
}

function show() {
  const asked = query.value.toLowerCase();
  const words = asked.split(/\s+/).filter(Boolean);
  const ways = [words];
  for (const [theirs, ours] of Object.entries(synonyms)) {
    if (asked.includes(theirs)) ways.push(asked.replace(theirs, ours).split(/\s+/).filter(Boolean));
  }
  const hits = words.length === 0 ? [] : sections.map((s) => [Math.max(...ways.map((w) => points(s, w))), s]).filter(([p]) => p > 0);
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
for (const picture of document.querySelectorAll("main img")) {
  picture.addEventListener("click", () => { location.href = picture.src; });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== query) { event.preventDefault(); query.focus(); }
  if (event.key === "Escape" && document.activeElement === query) { query.value = ""; show(); }
});
