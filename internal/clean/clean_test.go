package clean

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestTextShowsWhatDeceives takes characters on both sides of each rule.
func TestTextShowsWhatDeceives(t *testing.T) {
	for text, want := range map[string]string{
		"Müller 山田\u3000é €":             "Müller 山田\u3000é €", // letters, wide and no-break space
		"a\x1b]0;PWN\x07b.dcm":           `a\u001b]0;PWN\u0007b.dcm`,
		"\x1f ~\x7f\u0080\u009f\u00a0":   `\u001f ~\u007f\u0080\u009f` + "\u00a0",
		"a\nb\tc\rd":                     `a\u000ab\u0009c\u000dd`,
		"x\u202ecmd\u2066\u200f\u061c":   `x\u202ecmd\u2066\u200f\u061c`,
		"\u200b\u200d\ufeff\u00ad\u2060": `\u200b\u200d\ufeff\u00ad\u2060`,
		"\u2027\u2028\u2029\u202f":       "\u2027" + `\u2028\u2029` + "\u202f",
		"\u3164\u115f\u034f\ufe0f":       `\u3164\u115f\u034f\ufe0f`,
		"\U000e0041\U0001f600":           `\udb40\udc41` + "\U0001f600",
		"\ue000\U0010ffff":               `\ue000\udbff\udfff`,
		"\x9b31m\xff":                    `\x9b31m\xff`,
		"\ufffd":                         "\ufffd",
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%q) is %q, want %q", text, got, want)
		}
	}
	if got := Line(" a\r\n\x1b[2Jb\u2028c "); got != `a \u001b[2Jb c` {
		t.Errorf("Line is %q", got)
	}
}

// TestWriterKeepsJSON passes every character in a JSON string: no unsafe one comes out, and the
// value is the same.
func TestWriterKeepsJSON(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x11000; r++ {
		all.WriteRune(r)
	}
	all.WriteString("\U000e0001\U000e0100\U0010fffd")
	var out bytes.Buffer
	w := NewWriter(&out)
	if err := json.NewEncoder(w).Encode(all.String()); err != nil {
		t.Fatal(err)
	}
	for _, r := range strings.TrimSuffix(out.String(), "\n") {
		if !Safe(r) {
			t.Fatalf("%U came through", r)
		}
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != strings.ToValidUTF8(all.String(), "\ufffd") {
		t.Errorf("the value changed: %v", err)
	}
}

// TestWriterJoinsCutCharacters writes a text in pieces of every length: an escape that is cut in
// two stays an escape.
func TestWriterJoinsCutCharacters(t *testing.T) {
	const text, want = "ä\u009b€\U000e0041\u202e\xe2\x82z\n\tx\xe2", "ä\\u009b€\\udb40\\udc41\\u202e\\xe2\\x82z\n\tx\\xe2"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || out.String() != want {
			t.Errorf("in pieces of %d: %q, %v", size, out.String(), err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWriterPassesErrorsOn(t *testing.T) {
	if n, err := NewWriter(full{}).Write([]byte("x")); n != 0 || err == nil {
		t.Error(n, err)
	}
}
