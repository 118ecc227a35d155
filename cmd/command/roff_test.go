package command

import "testing"

// TestEscaped: what roff would read as something else.
func TestEscaped(t *testing.T) {
	for line, want := range map[string]string{".a": `\&.a`, "'a": `\&'a`, "a.b": "a.b", "a-b": `a\-b`, `a\b`: `a\eb`, "2σ": `2\[u03C3]`} {
		if got := escaped(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
