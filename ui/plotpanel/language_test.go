package plotpanel

import (
	"strings"
	"testing"

	"quell/ui/language"
)

// Axes have the numbers of the language.
func TestAxesFollowTheLanguage(t *testing.T) {
	t.Cleanup(func() {
		if err := language.Use(language.English); err != nil {
			t.Error(err)
		}
	})
	for code, want := range map[string]string{language.English: "0 0.1 0.2 0.3 0.4 0.5", language.German: "0 0,1 0,2 0,3 0,4 0,5"} {
		if err := language.Use(code); err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, tick := range (ticks{}).Ticks(0, 0.5) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s: the axis is marked %q; want %q", code, got, want)
		}
	}
}
