package plotpanel

import (
	"slices"
	"testing"

	"quell/ui/language"
	"quell/ui/palette"
)

// Axes have the numbers of the language.
func TestAxesFollowTheLanguage(t *testing.T) {
	t.Cleanup(func() {
		if err := language.Use(language.English); err != nil {
			t.Error(err)
		}
	})
	// Its axes have the same words in both languages, and marks at 0.2 and 0.5.
	words := &Curve{X: []float64{0.2, 0.5, 1, 5}, Y: []float64{1, 2, 3, 4}, Best: -1}
	r := Request{Colors: palette.Dark, Kind: Strength, Curve: words, Width: 401, Height: 203, Scale: 1}
	english := drawn(t, r)
	if err := language.Use(language.German); err != nil {
		t.Fatal(err)
	}
	if below := func(pix []uint8) []uint8 { return pix[4*401*170:] }; slices.Equal(below(english), below(drawn(t, r))) {
		t.Error("the numbers of the axis do not follow the language")
	}
}
