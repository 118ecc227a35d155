package wording

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app/run"
	"quell/denoise"
	"quell/ui/language"
)

// Filter returns the title of a filter.
func Filter(name string) string {
	f, err := denoise.FilterByName(name)
	if err != nil {
		return name
	}
	return lang.L(f.Title)
}

// Gain writes an expected gain: "1.9 dB", "over 4 dB" if it is not known to tenths, "" if nothing is known.
func Gain(g run.FilterGain) string {
	switch {
	case g.Known:
		return language.Sprintf("%.1f dB", g.DB)
	case g.AtLeast > 0:
		return fmt.Sprintf(lang.L("over %.0f dB"), g.AtLeast)
	}
	return ""
}
