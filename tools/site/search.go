package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
)

// section is a part of a document from one heading to the next, as the search finds it.
type section struct {
	Page    string `json:"page"`
	Heading string `json:"heading"`
	URL     string `json:"url"`
	Text    string `json:"text"`
}

// search returns the index: a JSON array in a line of JavaScript, as browsers load no JSON for a page that is read from a
// folder.
func (s *docs) search() ([]byte, error) {
	var all []section
	for _, path := range s.ranked() {
		all = append(all, s.docs[path].sections()...)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("const sections = "), data...), ";\n"...), nil
}

// ranked returns the documents in the order of the list beside the pages, tasks first, as equal finds have that order too.
// Documents that are not in the list come last.
func (s *docs) ranked() (paths []string) {
	for _, g := range s.nav() {
		for _, e := range g.Pages {
			paths = append(paths, e.path)
		}
	}
	for _, path := range s.list {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// sections divides a document.
func (d *doc) sections() (all []section) {
	all = []section{{Page: d.title, Heading: d.title, URL: address(d.path)}}
	var texts []string
	flush := func() {
		all[len(all)-1].Text = strings.Join(texts, " ")
		texts = nil
	}
	d.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				flush()
				all = append(all, section{Page: d.title, Heading: d.plain(n), URL: address(d.path) + "#" + anchor(n)})
			}
		case *ast.Paragraph, *ast.TextBlock, *extension.TableCell:
			texts = append(texts, d.plain(n))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			texts = append(texts, strings.Join(strings.Fields(string(n.Lines().Value(d.source))), " "))
		}
	})
	flush()
	return all
}
