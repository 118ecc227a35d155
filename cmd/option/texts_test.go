package option

import "testing"

// TestClause: on both sides of what ends one.
func TestClause(t *testing.T) {
	for text, want := range map[string]string{
		"a b. C d.": "a b", "a b; c. D": "a b", "a b.": "a b", "S, S+1, ...; -1": "S, S+1, ...", "a, ... b. C": "a, ... b", "a 0.5 b": "a 0.5 b", "": "",
	} {
		if got := Clause(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
