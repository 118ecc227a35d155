package pictures

import (
	"testing"

	_ "quell/internal/locale" // English
)

// The layout of a first start suits the size.
func TestTheFirstLayoutSuitsTheSize(t *testing.T) {
	for width, want := range map[float32]string{699: "1", 700: "1×2", 1280: "1×2", 1600: "1×2", 1859: "1×2", 1860: "1×3", 3840: "1×3"} {
		if got := defaultLayout(width); got != want {
			t.Errorf("at a width of %g the layout is %s; want %s", width, got, want)
		}
	}
}
