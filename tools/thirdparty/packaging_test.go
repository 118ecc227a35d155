package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// nfpm holds the keys of nfpm that the packages use, so that one that is misspelt is found before a release.
type nfpm struct {
	Name, Arch, Platform, Version, Section, Priority, Maintainer, License, Description string

	Contents []struct{ Src, Dst, Type string }
	Suggests []string

	Overrides map[string]struct{ Depends, Suggests []string }
}

// strict decodes a YAML file and refuses keys that a value lacks.
func strict(t *testing.T, path string, value any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(value); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// TestPackagesOfLinux: the files of nfpm name what package.sh puts beside them, and no driver is a dependency.
func TestPackagesOfLinux(t *testing.T) {
	files, err := filepath.Glob("../../packaging/nfpm/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%q %v", files, err)
	}
	for _, path := range files {
		var p nfpm
		strict(t, path, &p)
		if p.Name+".yaml" != filepath.Base(path) || p.Version != "${PACKAGE_VERSION}" || p.Maintainer != "${PACKAGE_MAINTAINER}" {
			t.Errorf("%s: %q, version %q, maintainer %q", path, p.Name, p.Version, p.Maintainer)
		}
		if len(p.Contents) != 1 || p.Contents[0].Src != p.Name || p.Contents[0].Dst != "/" || p.Contents[0].Type != "tree" {
			t.Errorf("%s: contents %+v", path, p.Contents)
		}
		if !strings.Contains(p.Description, "not for clinical use") || p.License != "Apache-2.0" {
			t.Errorf("%s: %q, %q", path, p.Description, p.License)
		}
		for system, o := range p.Overrides {
			if slices.ContainsFunc(o.Depends, func(d string) bool { return strings.Contains(d, "cuda1") || strings.Contains(d, "nvidia") }) {
				t.Errorf("%s: %s depends on a driver: %q", path, system, o.Depends)
			}
		}
	}
}

// TestCitation: the file has what the Citation File Format 1.2.0 requires, and only keys of it.
func TestCitation(t *testing.T) {
	type author struct {
		Family string `yaml:"family-names"`
		Given  string `yaml:"given-names"`
		Name   string
	}
	type work struct {
		Type, Title, DOI, URL string
		Year                  int
		Authors               []author
		Collection            string `yaml:"collection-title"`
	}
	var c struct {
		CFF                                     string `yaml:"cff-version"`
		Message, Title, Abstract, Type, License string
		Version                                 string
		Released                                string `yaml:"date-released"`
		Authors                                 []author
		References                              []work
	}
	strict(t, "../../CITATION.cff", &c)
	if c.CFF != "1.2.0" || c.Message == "" || c.Title != "Quell" || c.Type != "software" || len(c.Authors) == 0 || c.License != "Apache-2.0" || c.Version == "" || c.Released == "" {
		t.Errorf("%+v", c)
	}
	if len(c.References) != 5 {
		t.Errorf("%d references, not the five papers", len(c.References))
	}
	for _, r := range c.References {
		if r.Title == "" || r.Type == "" || len(r.Authors) == 0 || strings.Contains(r.DOI, "doi.org") {
			t.Errorf("%+v", r)
		}
	}
}

// TestResourcesOfWindows: the icons exist, and what package.sh replaces is there.
func TestResourcesOfWindows(t *testing.T) {
	text, err := os.ReadFile("../../packaging/windows/resources.json")
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Icons map[string]map[string][]string `json:"RT_GROUP_ICON"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	icons := r.Icons["APP"]["0000"]
	if len(icons) < 4 {
		t.Errorf("icons %q", icons)
	}
	for _, icon := range icons {
		if _, err := os.Stat(filepath.Join("../../assets/icons", icon)); err != nil {
			t.Error(err)
		}
	}
	for _, mark := range []string{"@VERSION@", "@NUMBER@", "@FILE@"} {
		if !strings.Contains(string(text), mark) {
			t.Errorf("%s is missing", mark)
		}
	}
}
