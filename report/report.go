// Package report writes reports as HTML pages that refer to no other file, and the pictures in
// them. Write adds the layout, the style sheet and one rule for texts of others; a report is a function that writes its
// body into a Page by the blocks that all reports share.
//
// The package imports internal/clean and golang.org/x/image. Its functions are safe for concurrent use.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"

	"quell/internal/clean"
)

// Page is the body of a report that is being written.
type Page struct{ out bytes.Buffer }

// Markup is text that a Page takes as it is.
type Markup string

//go:embed layout.css
var style string

// Write writes the report that body writes, of a kind with a name that is in the first kilobyte of every file, see Mark.
// Characters that hide or reorder text are shown by their numbers, see internal/clean.
func Write(w io.Writer, kind, title string, body func(*Page)) error {
	var p Page
	p.Add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
%s
<meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
%s</style>
</head>
<body>
`, Markup(Mark(kind)), title, Markup(style))
	body(&p)
	p.Add("\n</body>\n</html>\n")
	out := clean.NewWriter(w)
	if _, err := out.Write(p.out.Bytes()); err != nil {
		return err
	}
	return out.Flush()
}

// Mark is how a file of a kind of report is known again.
func Mark(kind string) string { return `<meta name="generator" content="Quell, ` + kind + `">` }

// Add adds markup with the verbs of fmt. Values are escaped, so that they are text between tags or in a quoted attribute;
// a Markup is not.
func (p *Page) Add(format string, values ...any) {
	for i, v := range values {
		if _, ok := v.(Markup); !ok {
			values[i] = escaped{v}
		}
	}
	fmt.Fprintf(&p.out, format, values...)
}

// escaped is a value that prints as text of a page.
type escaped struct{ value any }

func (e escaped) Format(s fmt.State, verb rune) {
	_, _ = io.WriteString(s, html.EscapeString(fmt.Sprintf(fmt.FormatString(s, verb), e.value)))
}

// Warn adds that the result is not for clinical use.
func (p *Page) Warn() { p.Add(`<p class="warning">Not for clinical use.</p>` + "\n") }

// Picture returns the address of a PNG or JPEG file within the page, for src of img.
func Picture(file []byte) Markup {
	kind := "png"
	if bytes.HasPrefix(file, []byte{0xff, 0xd8}) {
		kind = "jpeg"
	}
	return Markup("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file))
}

// Facts are names with their texts, in order.
type Facts []struct{ Name, Text string }

// Add adds a fact; none if the text is empty.
func (f *Facts) Add(name, text string) {
	if text != "" {
		*f = append(*f, struct{ Name, Text string }{name, text})
	}
}

// Facts adds a table of names and texts.
func (p *Page) Facts(facts Facts) {
	p.Add("<table>")
	for _, f := range facts {
		p.Add("<tr><th>%s</th><td>%s</td></tr>\n", f.Name, f.Text)
	}
	p.Add("</table>\n")
}

// Table is a heading and rows of as many texts.
type Table struct {
	Head []string
	Rows [][]string
}

// Table adds a table; nothing if it has no rows.
func (p *Page) Table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	p.Add("<table>")
	p.Row("", "th", t.Head)
	for _, row := range t.Rows {
		p.Row("", "td", row)
	}
	p.Add("</table>\n")
}

// Row adds a row of a class, "" for none, with a cell, td or th, for each text.
func (p *Page) Row(class, cell string, texts []string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.Add("<tr%s>", Markup(class))
	for _, text := range texts {
		p.Add("<%s>%s</%[1]s>", Markup(cell), text)
	}
	p.Add("</tr>\n")
}
