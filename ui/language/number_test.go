package language

import (
	"math"
	"testing"

	"quell/internal/message"
)

// use speaks a language until the test ends.
func use(t *testing.T, code string) {
	t.Helper()
	t.Cleanup(func() {
		if err := Use(English); err != nil {
			t.Error(err)
		}
	})
	if err := Use(code); err != nil {
		t.Fatal(err)
	}
}

func TestNumbersFollowTheLanguage(t *testing.T) {
	type float float32
	for code, want := range map[string][]string{
		English: {"1.5", "2.38 σ, 3 of 4 in 1.2.txt", "12.5 HU", "nlm 3-D h=1.5sigma", "1.5e-05", "-0.25", "NaN"},
		German:  {"1,5", "2,38 σ, 3 of 4 in 1.2.txt", "12,5 HU", "nlm 3-D h=1,5sigma", "1,5e-05", "-0,25", "NaN"},
	} {
		use(t, code)
		for i, got := range []string{
			Sprintf("%g", 1.5), Sprintf("%.2f σ, %d of %v in %s", 2.376, 3, 4, "1.2.txt"), Number("12.5 HU"), Number("nlm 3-D h=1.5sigma"),
			Number("1.5e-05"), Sprintf("%.*f", 2, float(-0.25)), Sprintf("%.1f", math.NaN()),
		} {
			if got != want[i] {
				t.Errorf("%s: %q; want %q", code, got, want[i])
			}
		}
	}
}

func TestNumbersAreTypedWithPointOrComma(t *testing.T) {
	for _, code := range All {
		use(t, code)
		for _, text := range []string{"1.5", "1,5", " 1,50 "} {
			if x, err := ParseNumber(text); x != 1.5 || err != nil {
				t.Errorf("%s: %q is read as %v, %v", code, text, x, err)
			}
		}
		if _, err := ParseNumber("1,5,5"); err == nil {
			t.Error("1,5,5 is a number")
		}
	}
}

// What packages below the workbench say has the numbers of the language; names of files do not.
func TestNumbersInMessagesFollowTheLanguage(t *testing.T) {
	use(t, German)
	sentences = map[string]sentence{
		"the noise is %.2f %s in %s": {"Das Rauschen ist %.2f %s in %s", true}, "slices lie %s apart, not %s": {"Schichten liegen %s auseinander, nicht %s", false},
		"version %q is too old": {"die Fassung %q ist zu alt", false},
	}
	for want, m := range map[string]message.Message{
		"Das Rauschen ist 2,38 HU in a/1.5.dcm.":              message.Text("The noise is %.2f %s in %s.", 2.38, "HU", "a/1.5.dcm"),
		"Schichten liegen 7,38 mm auseinander, nicht 1.2.840": message.Text("slices lie %s apart, not %s", message.Figure("7.38 mm"), "1.2.840"),
		`Die Fassung "0.1" ist zu alt.`:                       message.Text("version %q is too old", "0.1").Sentence(),
	} {
		if got := Of(m); got != want {
			t.Errorf("%q becomes %q; want %q", m, got, want)
		}
	}
}
