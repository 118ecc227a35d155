package language_test

import (
	"testing"

	"fyne.io/fyne/v2/lang"

	"quell/ui/language"
)

func TestTheLanguageOfTheSystemWhereNoneIsChosen(t *testing.T) {
	for _, c := range []struct {
		choice string
		system []string
		want   string
	}{
		{language.System, nil, "en"},
		{language.System, []string{"de"}, "de"},
		{language.System, []string{"fr"}, "en"},
		{language.System, []string{"fr", "de", "en"}, "de"},
		{language.System, []string{"en", "de"}, "en"},
		{language.English, []string{"de"}, "en"},
		{language.German, []string{"en"}, "de"},
		{"tlh", []string{"de"}, "de"}, // of other settings
	} {
		if got := language.Chosen(c.choice, c.system); got != c.want {
			t.Errorf("%q of a system with %q: %s; want %s", c.choice, c.system, got, c.want)
		}
	}
}

// Fyne's own texts, such as "Paste", change with the texts of the workbench.
func TestUse(t *testing.T) {
	for _, l := range []struct{ code, slices, paste string }{
		{"", "Slices", "Paste"}, {language.German, "Schichten", "Einfügen"}, {language.English, "Slices", "Paste"},
	} {
		if l.code != "" {
			if err := language.Use(l.code); err != nil {
				t.Fatal(err)
			}
		}
		if got := lang.L("Slices"); got != l.slices {
			t.Errorf("in %q: %q; want %q", l.code, got, l.slices)
		}
		if got := lang.L("Paste"); got != l.paste {
			t.Errorf("in %q: %q; want %q", l.code, got, l.paste)
		}
	}
}
