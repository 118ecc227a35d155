package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// The documents of this repository have no fault, and neither has the site that is made of them.
func TestTheDocuments(t *testing.T) {
	set, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.faults() {
		t.Error(f)
	}
	out := t.TempDir()
	if err := set.write(out); err != nil {
		t.Fatal(err)
	}
	faults, err := crawl(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
	page, err := os.ReadFile(filepath.Join(out, "docs", "guide", "residual.html"))
	if err != nil || !strings.Contains(string(page), `<a href="../../docs/guide/residual.html" aria-current="page">`) {
		t.Errorf("the list beside a page does not show where it is: %v", err)
	}
}

// repository returns a folder with a README, an index that links the other documents, and these.
func repository(t *testing.T, documents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	list := "# Guide\n\n## Pages\n\n"
	for name := range documents {
		list += "- [Page](" + strings.TrimPrefix(name, "docs/") + ")\n"
	}
	files := map[string]string{home: "# Quell\n\n[guide](docs/GUIDE.md)\n", index: list}
	for name, text := range documents {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFaultsOfADocument(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct{ text, fault string }{
		{"[a](#one)\n\n# One\n", ""},
		{"[a](#two)\n\n# One\n", "a.md:1: #two: there is no such heading"},
		{"[a](../README.md#quell)", ""},
		{"x\n\n[a](gone.md)", "a.md:3: gone.md: there is no such file"},
		{"[a](../docs)", "this is a folder"},
		{"[a](https://example.org/x)", ""},
		{"[a](http://example.org/x)", "begins with https"},
		{"![a slice](a.md)", ""},
		{"![slice](a.md)", "has no text that stands in its place"},
		{"![](a.md)", "has no text that stands in its place"},
		{words(35) + ".", ""},
		{words(36) + ".", "a sentence of 36 words"},
		{words(30) + ". W" + words(30) + ".", ""},
		{words(30) + ". `quell` " + words(30) + ".", ""},
		{words(30) + ". *under* " + words(30) + ".", ""},
		{words(30) + ". n is " + words(30) + ".", ""},
		{words(30) + ". sigma is " + words(30) + ".", ""},
		{words(30) + ". small " + words(30) + ".", "a sentence of 61 words"},
		{words(34) + " = 1.", "a sentence of 36 words"},
		{words(33) + " = 1.", ""},
		{words(30) + " e.g. W" + words(5) + ".", "a sentence of 36 words"},
		{"| a | b |\n| --- | --- |\n| c | " + words(36) + " |\n", "a.md:3: a sentence of 36 words"},
		{"    " + words(36), ""},
	} {
		set, err := load(repository(t, map[string]string{"docs/a.md": c.text}))
		if err != nil {
			t.Fatal(err)
		}
		faults := set.faults()
		if c.fault == "" && len(faults) > 0 || c.fault != "" && (len(faults) != 1 || !strings.Contains(faults[0], c.fault)) {
			t.Errorf("%q: %q, want %q", c.text, faults, c.fault)
		}
	}
}

// All documents together have a limit of words.
func TestWordsOfAllDocuments(t *testing.T) {
	for n, fault := range map[int]string{most - 9: "", most - 8: "the documents have 35001 words"} { // 9 are in the other files
		set, err := load(repository(t, map[string]string{"docs/a.md": strings.Repeat("Word.\n\n", n)}))
		if err != nil {
			t.Fatal(err)
		}
		if faults := strings.Join(set.faults(), "; "); fault == "" && faults != "" || !strings.Contains(faults, fault) {
			t.Errorf("%d: %q", n, faults)
		}
	}
}

// A document below docs that nothing links to is a fault.
func TestPlacesOfDocuments(t *testing.T) {
	root := repository(t, nil)
	if err := os.MkdirAll(filepath.Join(root, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "lost.md"), []byte("# Lost\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	if faults := set.faults(); !slices.Equal(faults, []string{"docs/lost.md: no document links to it"}) {
		t.Errorf("%q", faults)
	}
}

// A menu and a command that a document names are in the list of commands.
func TestMenusOfDocuments(t *testing.T) {
	root := repository(t, map[string]string{
		"docs/a.md": "`File > Save a report`, *File > Save …*, `a > b`\n\n`Edit > Save a report`\n\n`File > Open`\n\n`File > S`\n\n`Measure > Spectrum, d`\n",
	})
	table := "menu,command,keys\nFile,Save a report …,S\nMeasure,\"Spectrum, d′ …\",\n"
	if err := os.MkdirAll(filepath.Join(root, "docs", "reference"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(commands)), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	faults := set.faults()
	if len(faults) != 2 || !strings.Contains(faults[0], "a.md:3: Edit > Save a report: ") || !strings.Contains(faults[1], "a.md:5: File > Open: ") {
		t.Errorf("%q", faults)
	}
}

func TestAnchors(t *testing.T) {
	d := parse("a.md", []byte("# The noise: `sigma` & more\n\n## A b\n\n## A b\n\n## Größe 3×3 - x\n"))
	var ids []string
	d.each(func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok {
			ids = append(ids, anchor(h))
		}
	})
	if want := []string{"the-noise-sigma--more", "a-b", "a-b-1", "größe-33---x"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

// A page links pages and files of the site; files that are no documents are copied, sources as text.
func TestASite(t *testing.T) {
	root := repository(t, map[string]string{"docs/a.md": "# A\n\n[home](../README.md) [b](sub/b.md#more) [script](run.sh)\n", "docs/sub/b.md": "# B\n\n## More\n\nfiller text\n"})
	if err := os.WriteFile(filepath.Join(root, "docs", "run.sh"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "site")
	for range 2 { // a second time over the first
		if err := run(root, out, false); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(out, "docs", "a.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{`"../index.html"`, `"../docs/sub/b.html#more"`, `"../docs/run.sh.txt"`, `src="../search.js"`} {
		if !strings.Contains(string(page), link) {
			t.Errorf("a page has no link %s", link)
		}
	}
	search, err := os.ReadFile(filepath.Join(out, "index.js"))
	if err != nil || !strings.Contains(string(search), `{"page":"B","heading":"More","url":"docs/sub/b.html#more","text":"filler text"}`) {
		t.Errorf("the index is %s, %v", search, err)
	}
}

func TestCrawl(t *testing.T) {
	for text, want := range map[string]string{
		`<a href="b.html#x">`:                    "",
		`<a href="b.html#y">`:                    "there is no such anchor",
		`<a href="c.html">`:                      "there is no such file",
		`<a href="https://example.org">`:         "",
		`<img alt="" src="https://example.org">`: "asks another server",
	} {
		dir := t.TempDir()
		for name, data := range map[string]string{"a.html": text, "b.html": `<h1 id="x">`} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		faults, err := crawl(dir)
		if err != nil || (want == "") != (len(faults) == 0) || want != "" && !strings.Contains(faults[0], want) {
			t.Errorf("%s: %q, %v", text, faults, err)
		}
	}
}

// A folder that is no site is not replaced.
func TestAFolderOfOthersStays(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(repository(t, nil), out, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "mine.txt")); err != nil {
		t.Error(err)
	}
}

// The search finds tasks first, in the words of those who ask.
func TestSearch(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing")
	}
	out := t.TempDir()
	if err := run("../..", out, false); err != nil {
		t.Fatal(err)
	}
	script := `
const fs = require("fs");
const element = () => ({ dataset: { root: "" }, append() {}, addEventListener() {}, replaceChildren(...all) { this.all = all; } });
const made = { query: element(), found: element() };
const document = { body: element(), getElementById: (id) => made[id], querySelectorAll: () => [], addEventListener() {}, createElement: element };
const [search, index] = ["search.js", "index.js"].map((name) => fs.readFileSync(name, "utf8"));
const first = new Function("document", index + search + "return (q) => { query.value = q; const kept = []; " +
  "document.createElement = (tag) => { const e = { append() {} }; if (tag === 'a') kept.push(e); return e; }; show(); return kept.length ? kept[0].href : ''; };")(document);
for (const q of process.argv.slice(1)) console.log(first(q));`
	want := map[string]string{
		"natural": "ct-look.html", "natural look": "ct-look.html", "freesurfer": "mr-brain.html", "strength": "enough.html", "what changed": "residual.html",
		"unchanged": "unchanged.html", "lesion": "enough.html", "bids": "cohorts.html", "segmentation": "mr-brain.html", "slicer": "hosts.html", "head ct": "ct-look.html",
		"what strength": "enough.html", "safe for small lesions": "enough.html", "batch 500 nifti": "cohorts.html", "output equals input": "unchanged.html",
		"fmri": "four-d.html", "fmriprep": "mr-brain.html", "how do i send it to a pacs": "exporting.html", "python": "python.html", "ants": "mr-brain.html",
	}
	for query, page := range want {
		cmd := exec.Command(node, "-e", script, query)
		cmd.Dir = out
		found, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(found), "docs/guide/"+page) {
			t.Errorf("%s finds first %s (%v), not %s", query, found, err, page)
		}
	}
}
