package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// home is the document that becomes index.html, index the one that lists the others.
const (
	home  = "README.md"
	index = "docs/GUIDE.md"
)

// doc is one document. Its path is relative to the repository, with slashes.
type doc struct {
	path   string
	title  string
	source []byte
	root   ast.Node
	ids    map[string]bool // of its headings
}

// docs are all documents of a repository, by their paths.
type docs struct {
	root string
	docs map[string]*doc
	list []string // the paths in order
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, formulas{}),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// load reads the documents in the root of a repository and below docs.
func load(root string) (*docs, error) {
	set := &docs{root: root, docs: map[string]*doc{}}
	names, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		d := parse(filepath.ToSlash(rel), source)
		set.docs[d.path] = d
		set.list = append(set.list, d.path)
	}
	slices.Sort(set.list)
	for _, must := range []string{home, index} {
		if set.docs[must] == nil {
			return nil, fmt.Errorf("%s is missing", must)
		}
	}
	return set, nil
}

// parse reads a document.
func parse(path string, source []byte) *doc {
	d := &doc{path: path, source: source, ids: map[string]bool{}}
	d.root = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	d.each(func(n ast.Node) {
		h, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		d.ids[anchor(h)] = true
		if d.title == "" {
			d.title = d.plain(h)
		}
	})
	if d.title == "" {
		d.title = path
	}
	return d
}

// each calls f for every node of a document, parents first.
func (d *doc) each(f func(ast.Node)) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
}

// line returns the number of the line in which a node begins, from 1.
func (d *doc) line(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return 1 + strings.Count(string(d.source[:n.Lines().At(0).Start]), "\n")
		}
	}
	return 1
}

// plain returns the text of a node without marks. Code in it is text, a picture is not.
func (d *doc) plain(n ast.Node) string {
	return strings.NewReplacer(mark, "", "\n", " ").Replace(d.marked(n))
}

// mark stands before code, emphasis and formulas in the text of marked: a sentence may begin with them in small letters.
const mark = "\u2060"

// marked is plain with marks before code, emphasis and formulas.
func (d *doc) marked(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan, *ast.Emphasis:
			b.WriteString(mark)
		case *ast.Text:
			b.Write(c.Segment.Value(d.source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(d.source))
		case *formula:
			b.WriteString(mark + c.tex)
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// target resolves a link of a document: the path in the repository, and the anchor behind #. It is external if the
// path lies on another server.
func (d *doc) target(link string) (to, fragment string, external bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link, "", true
	}
	to, fragment, _ = strings.Cut(link, "#")
	if to == "" {
		return d.path, fragment, false
	}
	return path.Join(path.Dir(d.path), to), fragment, false
}

// anchors gives headings the anchors that code hosts give them: lower case, spaces as hyphens, no punctuation.
type anchors map[string]int

// Generate implements parser.IDs.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	n := a[id]
	a[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put implements parser.IDs.
func (a anchors) Put(value []byte) { a[string(value)]++ }

// anchor returns the anchor of a heading.
func anchor(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}
