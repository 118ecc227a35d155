// Package report writes reports as HTML pages that refer to no other file, and the pictures in
// them. A report is a template and a value that it shows: New adds the layout, the style sheet and
// the blocks that all reports share (layout.gohtml), and Write one rule for texts of others.
//
// A template defines "title" and "body". It may use
//
//	{{template "facts" .F}}    a table of names and texts, a value of type Facts
//	{{template "table" .T}}    a Table; nothing if it has no rows
//	{{template "warning"}}     that the result is not for clinical use
//	{{picture .Data}}          the address of a PNG or JPEG file in the page, for src of img
//
// The package imports internal/clean and golang.org/x/image. Its functions and templates are
// safe for concurrent use.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"io"

	// The templates of the standard library without calls of methods, for which the linker would keep every
	// exported method of the program.
	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"quell/internal/clean"
)

// Template is the form of one kind of report.
type Template struct{ t *template.Template }

//go:embed layout.gohtml
var layout string

// New returns the form of a kind of report, with a name that is in the first kilobyte of every
// file, see Mark. It panics if text is no template. funcs are what text calls besides.
func New(kind, text string, funcs map[string]any) Template {
	t := template.New("layout").Funcs(template.FuncMap{"mark": func() template.HTML { return template.HTML(Mark(kind)) }, "picture": picture}).Funcs(funcs)
	return Template{template.Must(template.Must(t.Parse(layout)).Parse(text))}
}

// Mark is how a file of a kind of report is known again.
func Mark(kind string) string { return `<meta name="generator" content="Quell, ` + kind + `">` }

// Write writes the report on a value. Characters that hide or reorder text are shown by their
// numbers, see internal/clean.
func (t Template) Write(w io.Writer, value any) error {
	out := clean.NewWriter(w)
	if err := t.t.Execute(out, value); err != nil {
		return err
	}
	return out.Flush()
}

// picture returns the address of a PNG or JPEG file within a page.
func picture(file []byte) template.URL {
	kind := "png"
	if bytes.HasPrefix(file, []byte{0xff, 0xd8}) {
		kind = "jpeg"
	}
	return template.URL("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file))
}

// Facts are names with their texts, in order.
type Facts []struct{ Name, Text string }

// Add adds a fact; none if the text is empty.
func (f *Facts) Add(name, text string) {
	if text != "" {
		*f = append(*f, struct{ Name, Text string }{name, text})
	}
}

// Table is a heading and rows of as many texts.
type Table struct {
	Head []string
	Rows [][]string
}
