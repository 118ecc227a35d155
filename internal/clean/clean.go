// Package clean makes texts of others harmless before they leave: names of files, attributes of
// DICOM files and messages of other machines may hold anything.
//
//	Writer  in front of a terminal: no escape sequence, no text that reads in another order
//	CSV     tables that spreadsheets open: no cell is a formula
//
// The package imports the standard library.
package clean

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Safe reports whether a character shows itself and changes no other: it is no control (C0, DEL,
// C1), no format character (bidi, zero width, tags), no separator of lines, not private or
// unassigned, and not invisible, as variation selectors and Hangul fillers are.
func Safe(r rune) bool {
	return ' ' <= r && r <= '~' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Text writes every character that is not Safe, line ends and tabs included, as JSON escapes it:
// \u001b. A byte that is not UTF-8 becomes \x9b.
func Text(s string) string { return string(escape(nil, []byte(s), Safe)) }

// Line is Text with white space, line ends included, as single spaces.
func Line(s string) string { return Text(strings.Join(strings.Fields(s), " ")) }

// escape appends s to out, and escapes the characters that are not kept.
func escape(out, s []byte, keep func(rune) bool) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch high, low := utf16.EncodeRune(r); {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, s[0])
		case keep(r):
			out = append(out, s[:n]...)
		case high != unicode.ReplacementChar:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		s = s[n:]
	}
	return out
}

// Writer passes text on with every character that is not Safe escaped as in JSON, except line ends
// and tabs. JSON that passes stays JSON of the same value. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a character that was cut by the end of a Write
}

// NewWriter returns a Writer in front of w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, p...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if err := w.pass(text[:whole]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on the bytes of a character that was cut off.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.rest
	w.rest = nil
	return w.pass(rest)
}

func (w *Writer) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := w.w.Write(escape(nil, text, func(r rune) bool { return r == '\n' || r == '\t' || Safe(r) }))
	return err
}
