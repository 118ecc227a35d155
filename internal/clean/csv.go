package clean

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// CSV writes tables. Its cells are Text that no spreadsheet turns into a formula.
type CSV struct{ w *csv.Writer }

// NewCSV returns a CSV that writes to w.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Row adds a row; Flush returns the error of it.
func (c CSV) Row(cells ...string) {
	cleaned := make([]string, len(cells))
	for i, cell := range cells {
		cleaned[i] = Cell(cell)
	}
	_ = c.w.Write(cleaned) // the csv.Writer keeps its first error
}

// Flush writes the rows that are not written yet and returns the first error.
func (c CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// Cell is Text with an apostrophe before a formula of a spreadsheet: it then shows the text.
// Numbers stay numbers. If the decimal sign is a comma, spreadsheets divide rows at semicolons, so
// what follows one is looked at as well.
func Cell(s string) string {
	parts := strings.Split(Text(s), ";")
	for i, part := range parts {
		if isFormula(part) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

var number = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?Inf$`)

// isFormula reports whether a spreadsheet may compute a text, whatever space and quotes precede
// it. The wide forms of the signs count in East Asian versions.
func isFormula(s string) bool {
	bare := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’", r) })
	return bare != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(bare)[0]) && !number.MatchString(strings.TrimSpace(s))
}
