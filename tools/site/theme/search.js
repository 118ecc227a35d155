// Finds the sections that have the most words of the query, or of the same query in Quell's words; index.js has them. Tasks
// come first. A word finds those that begin with it, and a synonym replaces the word that it begins.
const synonyms = {
  "natural": "looks like a ct", "plastic": "looks like a ct", "waxy": "looks like a ct", "texture": "looks like a ct", "head ct": "looks like a ct",
  "freesurfer": "segmentation", "fsl": "segmentation", "spm": "segmentation", "fmriprep": "segmentation", "mri": "mr brain", "t1": "mr brain",
  "strength": "how much is enough", "how strong": "how much is enough", "too much": "how much is enough", "lesion": "how much is enough",
  "blur": "how much is enough", "oversmooth": "how much is enough", "smooth": "how much is enough", "dose": "how much is enough",
  "what changed": "residual and verdict", "what was removed": "residual and verdict", "difference": "residual and verdict", "artifact": "residual and verdict",
  "unchanged": "nothing changed", "no effect": "nothing changed", "does nothing": "nothing changed", "nothing happened": "nothing changed", "no change": "nothing changed",
  "identical": "nothing changed", "output equals input": "nothing changed", "same image": "nothing changed", "already filtered": "nothing changed",
  "fmri": "4-d series", "4d": "4-d series", "dwi": "diffusion", "dti": "diffusion", "batch": "cohorts", "many": "cohorts", "nifti": "cohorts",
  "anonym": "de-identified", "deidentif": "de-identified", "de-identif": "de-identified", "compare filters": "choosing a filter", "best filter": "choosing a filter",
  "bm4d": "prinlm", "keyboard": "keys and menus", "shortcut": "keys and menus", "license": "licence", "download": "install", "windows": "install", "docker": "containers",
};
const idle = new Set("a an and are at be can do does for from how i in is it my of on or the this to too what which why with".split(" "));
const root = document.body.dataset.root;
const query = document.getElementById("query");
const found = document.getElementById("found");

// begins returns how often a word of the text begins so, at most 5 times.
function begins(text, word) {
  let n = 0;
  for (let at = text.indexOf(word); at >= 0 && n < 5; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) n++;
  }
  return n;
}

function points(section, words) {
  let sum = 0, found = 0;
  for (const word of words) {
    const inHeading = begins((section.heading + " " + section.page).toLowerCase(), word), inText = begins(section.text.toLowerCase(), word);
    if (inHeading + inText === 0) continue;
    found++;
    sum += (inHeading ? 10 : 0) + inText / 5;
  }
  return found === 0 ? 0 : 1000 * found / words.length + sum + (section.url.startsWith("docs/guide/") ? 20 : 0);
}

function excerpt(section, word) {
  const at = Math.max(0, section.text.toLowerCase().indexOf(word) - 30);
  return (at > 0 ? "…" : "") + section.text.slice(at, at + 90) + "…";
}

function show() {
  const asked = query.value.toLowerCase();
  const wordsOf = (text) => { const all = text.split(/\s+/).filter(Boolean), some = all.filter((w) => !idle.has(w)); return some.length ? some : all; };
  const words = wordsOf(asked);
  const ways = [words];
  const used = Object.keys(synonyms).filter((theirs) => (" " + asked).includes(" " + theirs));
  for (const theirs of used.filter((short) => !used.some((long) => long !== short && long.startsWith(short)))) {
    const at = (" " + asked).indexOf(" " + theirs), ours = synonyms[theirs];
    ways.push(wordsOf(asked.slice(0, at) + ours + asked.slice(at + theirs.length).replace(/^\S*/, "")));
  }
  let hits = words.length === 0 ? [] : sections.map((s) => [Math.max(...ways.map((w) => points(s, w))), s]).filter(([p]) => p > 0);
  hits.sort(([a], [b]) => b - a);
  hits = hits.filter(([p]) => p >= hits[0][0] - 500); // sections with fewer words than the best ones are of another task
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
