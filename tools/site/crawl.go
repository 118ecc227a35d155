package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Attributes that refer to something, and names that can be referred to, in the pages as they are written here.
var (
	reference = regexp.MustCompile(`<(\w+)[^>]*? (?:href|src)="([^"]*)"`)
	named     = regexp.MustCompile(` id="([^"]*)"`)
)

// crawl returns the links of a site that lead nowhere, and requests of a page to other servers.
func crawl(site string) (faults []string, err error) {
	names := map[string]map[string]bool{} // by file: what links may name in it
	pages := map[string]string{}
	err = filepath.WalkDir(site, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(site, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		names[rel] = map[string]bool{}
		if path.Ext(rel) != ".html" {
			return nil
		}
		data, err := os.ReadFile(name)
		pages[rel] = string(data)
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			names[rel][m[1]] = true
		}
		return err
	})
	for page, text := range pages {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			if fault := dead(names, page, m[1], m[2]); fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %s: %s", page, m[2], fault))
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults), err
}

// dead returns the fault of a reference of a page.
func dead(names map[string]map[string]bool, page, element, link string) string {
	if strings.Contains(link, "://") {
		if element == "a" {
			return ""
		}
		return "the page asks another server for it"
	}
	to, fragment, _ := strings.Cut(link, "#")
	if to == "" {
		to = page
	} else {
		to = path.Join(path.Dir(page), to)
	}
	switch names, ok := names[to]; {
	case !ok:
		return "there is no such file"
	case fragment != "" && !names[fragment]:
		return "there is no such anchor"
	}
	return ""
}
