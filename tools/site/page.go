package main

import (
	"bytes"
	"embed"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

//go:embed theme
var theme embed.FS

var layout = template.Must(template.ParseFS(theme, "theme/page.html"))

// view is what the layout shows.
type view struct {
	Title string
	Root  string // from the page to the folder of the site, "" or "../"
	Nav   []group
	Body  template.HTML
	here  string
}

// Link returns the address of a page of the list from this page.
func (v view) Link(e entry) string { return v.Root + address(e.path) }

// Here says whether a page of the list is this page.
func (v view) Here(e entry) bool { return e.path == v.here }

// address returns the address of a document in the site.
func address(doc string) string {
	if doc == home {
		return "index.html"
	}
	return strings.TrimSuffix(doc, ".md") + ".html"
}

// write writes the site: a page for each document, the files that documents refer to, the theme and the index of the
// search. What an earlier site left there is removed first.
func (s *docs) write(out string) error {
	if err := removeSite(out); err != nil {
		return err
	}
	nav := s.nav()
	files := map[string]bool{}
	for _, p := range s.list {
		page, err := s.page(s.docs[p], nav, files)
		if err != nil {
			return err
		}
		if err := put(out, address(p), page); err != nil {
			return err
		}
	}
	for name := range files {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := put(out, copied(name), data); err != nil {
			return err
		}
	}
	for _, name := range []string{"style.css", "search.js"} {
		data, err := theme.ReadFile("theme/" + name)
		if err != nil {
			return err
		}
		if err := put(out, name, data); err != nil {
			return err
		}
	}
	entries, err := s.search()
	if err != nil {
		return err
	}
	return put(out, "index.js", entries)
}

// removeSite removes an earlier site, which is known by its index.
func removeSite(out string) error {
	if _, err := os.Stat(filepath.Join(out, "index.js")); err == nil {
		return os.RemoveAll(out)
	}
	return nil
}

// page renders a document, and adds the files that it refers to.
func (s *docs) page(d *doc, nav []group, files map[string]bool) ([]byte, error) {
	d.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(s.rewrite(d, string(n.Destination), files))
		case *ast.Image:
			n.Destination = []byte(s.rewrite(d, string(n.Destination), files))
			n.SetAttributeString("loading", []byte("lazy"))
		}
	})
	var body, page bytes.Buffer
	if err := markdown.Renderer().Render(&body, d.source, d.root); err != nil {
		return nil, err
	}
	v := view{
		Title: d.title, Root: strings.Repeat("../", strings.Count(d.path, "/")), Nav: nav, here: d.path,
		Body: template.HTML(body.String()), //nolint:gosec // the documents are those of this repository
	}
	if err := layout.Execute(&page, v); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}

// rewrite returns a link of a document as it is in the site: the page in place of the document. A file that is no
// document goes into the site too, and is added to files.
func (s *docs) rewrite(d *doc, link string, files map[string]bool) string {
	to, fragment, external := d.target(link)
	switch {
	case external || strings.HasPrefix(link, "#"):
		return link
	case s.docs[to] != nil:
		to = address(to)
	default:
		files[to] = true
		to = copied(to)
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return strings.Repeat("../", strings.Count(d.path, "/")) + to + fragment
}

// copied returns the name of a copied file: that in the repository, and for one that a browser would not show, as text.
func copied(name string) string {
	switch path.Ext(name) {
	case ".png", ".jpg", ".svg", ".csv", ".html", ".txt":
		return name
	}
	return name + ".txt"
}

// put writes a file of the site.
func put(out, name string, data []byte) error {
	to := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // a site is for all to read
		return err
	}
	return os.WriteFile(to, data, 0o644) //nolint:gosec // a site is for all to read
}
