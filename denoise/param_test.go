package denoise

import "testing"

// A choice is shown in sentence case, or by the words that explain it.
func TestWordsOfChoices(t *testing.T) {
	p := Param{Choices: []string{"max", "one"}, Words: []string{"Largest weight"}}
	for choice, want := range map[string]string{"max": "Largest weight", "one": "One", "other": "Other", "": ""} {
		if got := p.Word(choice); got != want {
			t.Errorf("%q is called %q, want %q", choice, got, want)
		}
	}
}
