package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/yuin/goldmark/ast"
)

// glossary are turns of phrase for which the field has a word (CONTRIBUTING.md, Glossary).
var glossary = []struct {
	not *regexp.Regexp
	say string
}{
	{regexp.MustCompile(`(?i)\b(less )?even (soft )?(tissue|regions?|parts?|windows?|squares?|rectangles?|patch(es)?|discs?|ground)\b|\b(not|is|stays) even\b`), "homogeneous"},
	{regexp.MustCompile(`(?i)\b(two|the|of|from|between) repeats\b|: repeats have\b`), "repeat acquisitions"},
	{regexp.MustCompile(`(?i)\bquiet(er)? (image|picture|series|volume|slice|result)s?\b|\bmade quiet\b`), "denoised"},
	{regexp.MustCompile(`(?i)\bclean (image|series|volume|one|original|hold)`), "noise-free, or reference"},
	{regexp.MustCompile(`\bPACS places?\b|\b(name of|no|list of|a kept) places?\b`), "PACS node"},
	{regexp.MustCompile(`(?i)\bspots?\b`), "lesion"},
	{regexp.MustCompile(`(?i)\b(the|a) (dial|curtain)\b|^(dial|curtain)\b`), "slider, or swipe"},
	{regexp.MustCompile(`(?i)\b(the|its|a|his) record\b|\brecord (beside|next to)\b`), "sidecar"},
	{regexp.MustCompile(`^[^,:]*%[sv] holds?\b|\b(it|file|series|text|map|affine) (does not )?holds? (no|%)|^holds no\b`), "has, or contains"},
	{regexp.MustCompile(`(?i)\b(no|any|the) ground (to|for)\b`), "enough data"},
}

// wording returns the terms of a text that the glossary replaces.
func wording(text string) (faults []string) {
	for _, term := range glossary {
		if found := term.not.FindString(text); found != "" {
			faults = append(faults, fmt.Sprintf("%q: say %s", found, term.say))
		}
	}
	return faults
}

// texts returns what the glossary replaces in the texts of the window and in the sentences of the program.
func (s *docs) texts() (faults []string, err error) {
	for _, list := range []string{"translations", "sentences"} {
		name := filepath.Join("ui", "language", list, "de.json")
		data, err := os.ReadFile(filepath.Join(s.root, name))
		if os.IsNotExist(err) {
			continue
		}
		var german map[string]string // by the English text
		if err == nil {
			err = json.Unmarshal(data, &german)
		}
		if err != nil {
			return nil, err
		}
		for english := range german {
			for _, f := range wording(english) {
				faults = append(faults, fmt.Sprintf("%s: %s: %.60q", filepath.ToSlash(name), f, english))
			}
		}
	}
	slices.Sort(faults)
	return faults, nil
}

// words reports what the glossary replaces in a node of a document to at.
func (d *doc) words(n ast.Node, at func(n ast.Node, format string, args ...any)) {
	if text, ok := d.prose(n); ok && d.path != "CONTRIBUTING.md" && d.path != "CHANGELOG.md" { // these two name old words
		for _, f := range wording(text) {
			at(n, "%s", f)
		}
	}
}
