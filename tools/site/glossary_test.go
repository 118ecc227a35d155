package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each term has a sentence that it replaces, and one that only looks like it.
func TestGlossary(t *testing.T) {
	for text, say := range map[string]string{
		"An ROI in even tissue.": "homogeneous", "The region is not even.": "homogeneous", "An even number of slices.": "", "Slices are evenly spaced.": "",
		"Measured from two repeats.": "repeat acquisitions", "The command repeats the run.": "", "A second run repeats it.": "",
		"A quieter image.": "denoised", "The flag --quiet leaves notes out.": "", "The clean series is kept.": "noise-free", "A clean folder.": "",
		"PACS places are kept.": "PACS node", "Noise differs from place to place.": "", "A small spot.": "lesion", "Turn the dial.": "slider", "Curtain": "swipe", "A dialog.": "", "Read the record beside it.": "sidecar", "Steps are recorded.": "",
		"%s holds %d series": "has, or contains", "it holds no certificate": "has, or contains", "Hold the key.": "",
		"There is no ground to judge on.": "enough data", "The ground truth.": "",
	} {
		faults := wording(text)
		if say == "" && len(faults) > 0 || say != "" && (len(faults) != 1 || !strings.Contains(faults[0], say)) {
			t.Errorf("%s: %q, want %q", text, faults, say)
		}
	}
}

// Documents and both lists of texts are held to the glossary.
func TestPlacesOfTheGlossary(t *testing.T) {
	root := repository(t, map[string]string{"docs/a.md": "# A\n\nEven tissue.\n"})
	if err := os.WriteFile(filepath.Join(root, "CHANGELOG.md"), []byte("# C\n\nEven tissue.\n"), 0o600); err != nil { // names old words
		t.Fatal(err)
	}
	list := filepath.Join(root, "ui", "language", "sentences")
	if err := os.MkdirAll(list, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(list, "de.json"), []byte(`{"two repeats": "x", "fine": "two repeats"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := set.texts()
	if faults := set.faults(); err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "docs/a.md:3: ") || len(texts) != 1 || !strings.Contains(texts[0], "sentences/de.json") {
		t.Errorf("%q, %q, %v", faults, texts, err)
	}
}
