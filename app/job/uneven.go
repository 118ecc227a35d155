package job

import (
	"strconv"
	"strings"
)

// What Job.Uneven asks for if slices are unevenly spaced or missing.
const (
	// UnevenSplit filters each run of evenly spaced slices by itself, in 3-D too. Every
	// slice stays at its place.
	UnevenSplit = "split"
	// UnevenResample interpolates evenly spaced slices, at the usual distance of the
	// series, or with "resample=MM" at that distance.
	UnevenResample = "resample"
)

// ParseUneven returns what Job.Uneven asks for; the spacing is 0 for the usual one.
func ParseUneven(text string) (what string, spacing float64, err error) {
	what, number, given := strings.Cut(text, "=")
	switch {
	case text == "", text == UnevenSplit, text == UnevenResample:
		return text, 0, nil
	case what == UnevenResample && given:
		if spacing, err = strconv.ParseFloat(number, 64); err == nil && spacing > 0 && spacing <= 1000 {
			return what, spacing, nil
		}
	}
	return "", 0, Usagef("uneven slices %q: give split, resample, or resample=MM with a distance in mm", text)
}

// CheckUneven returns a *UsageError if a text is none that Job.Uneven may hold.
func CheckUneven(text string) error {
	_, _, err := ParseUneven(text)
	return err
}
