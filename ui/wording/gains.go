package wording

import (
	"fyne.io/fyne/v2/lang"

	"quell/denoise"
)

// Filter returns the title of a filter.
func Filter(name string) string {
	f, err := denoise.FilterByName(name)
	if err != nil {
		return name
	}
	return lang.L(f.Title)
}
