package option

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/io/raster"
)

// People count slices, columns, rows and series from 1 and name both ends of a range, as viewers
// do. Packages and JSON count from 0, up to an end that is not included. This file is the border
// between the two.

// parseRange reads A:B, counted from 1 with both ends included, as a range from 0 without its end.
// Either number may be left out: from is then 0, to 0, which stands for the end. The error is a
// clause about what things, such as "slices", a user gave.
func parseRange(text, things string) (from, to int, err error) {
	a, b, ok := strings.Cut(text, ":")
	if !ok {
		return 0, 0, fmt.Errorf("give A:B, such as 10:20 for the %s 10 to 20, both included", things)
	}
	for _, end := range []struct {
		text  string
		value *int
	}{{a, &from}, {b, &to}} {
		if end.text == "" {
			continue
		}
		if *end.value, err = strconv.Atoi(end.text); err != nil || *end.value < 0 {
			return 0, 0, fmt.Errorf("%q is no number of %s from 1", end.text, things)
		}
		if *end.value == 0 {
			return 0, 0, fmt.Errorf("%s count from 1, both ends included%s", things, asCountedFromOne(a, b))
		}
	}
	if from = max(from-1, 0); to != 0 && to <= from {
		return 0, 0, fmt.Errorf("the %s end before they begin; give the lower number first", things)
	}
	return from, to, nil
}

// asCountedFromOne is a hint for who wrote a range from 0: "0:10" stood for the ten of 1:10.
func asCountedFromOne(a, b string) string {
	if n, err := strconv.Atoi(b); a == "0" && err == nil && n > 0 {
		return "; give 1:" + b + " for the first " + b
	}
	return ""
}

// ParseSlices reads --slices A:B.
func ParseSlices(text string) (job.SliceRange, error) {
	if text == "" {
		return job.SliceRange{}, nil
	}
	from, to, err := parseRange(text, "slices")
	if err != nil {
		return job.SliceRange{}, job.Usagef("--slices %s: %w", text, err)
	}
	return job.SliceRange{From: from, To: to}, nil
}

// Box is a rectangle of voxels in a slice, columns first, counted from 0; Max is not included.
type Box struct{ Min, Max [2]int }

// ParseBox reads X0:X1,Y0:Y1, counted from 1 with both ends included.
func ParseBox(text string) (out Box, err error) {
	x, y, two := strings.Cut(text, ",")
	for c, part := range []string{x, y} {
		if a, b, ok := strings.Cut(part, ":"); !two || !ok || a == "" || b == "" {
			return Box{}, errors.New("give X0:X1,Y0:Y1, such as 101:164,201:264 for the columns 101 to 164 of the rows 201 to 264")
		}
		if out.Min[c], out.Max[c], err = parseRange(part, [2]string{"columns", "rows"}[c]); err != nil {
			return Box{}, err
		}
	}
	return out, nil
}

// MarshalText writes the box as JSON has it: "100:164,200:264" from 0, with the ends not included.
func (b Box) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d:%d,%d:%d", b.Min[0], b.Max[0], b.Min[1], b.Max[1]), nil
}

// String writes the box as people do.
func (b Box) String() string {
	return fmt.Sprintf("%d:%d,%d:%d", b.Min[0]+1, b.Max[0], b.Min[1]+1, b.Max[1])
}

// Choice holds the flags that select one of the series under a path.
type Choice struct {
	series      Series
	component   string
	Modality    string
	skipDamaged bool
}

// Series is --series: a number from 1, all volumes of a 4-D series, or all of that to which a
// number belongs.
type Series struct {
	number int // from 0
	set    bool
	all    bool
}

func (f *Series) String() string {
	var words []string
	if f.all {
		words = append(words, "all")
	}
	if f.set {
		words = append(words, strconv.Itoa(f.number+1))
	}
	return strings.Join(words, ":")
}

// Type implements pflag.Value.
func (f *Series) Type() string { return "N|all" }

// Set implements pflag.Value.
func (f *Series) Set(s string) error {
	number, all := strings.CutPrefix(s, "all")
	*f = Series{all: all}
	if all && number == "" {
		return nil
	}
	if all {
		number = strings.TrimPrefix(number, ":")
	}
	f.set = true
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return errors.New("give the number of a series, as quell info counts them, all, or all:N")
	case n < 1:
		return errors.New("series count from 1, as quell info numbers them")
	}
	f.number = n - 1
	return nil
}

// AddTo adds the flags to a command.
func (c *Choice) AddTo(cmd *cobra.Command) {
	cmd.Flags().Var(&c.series, "series", seriesHelp)
	cmd.Flags().BoolVar(&c.skipDamaged, "skip-damaged", false, "leave damaged DICOM files out, and read the rest of their series with a gap")
	AddModality(cmd, &c.Modality)
	AddName(cmd, &c.component, "component", "component", raster.ComponentNames(), componentHelp)
}

// AddModality adds --modality.
func AddModality(cmd *cobra.Command, modality *string) {
	AddName(cmd, modality, "modality", "modality", job.Modalities(), "`CT|MR`: what measured the series, if the file does not say it; CT may contain HU, or HU + 1000 or 1024; if not given, the values decide")
}

// Input returns the selected series of a path.
func (c *Choice) Input(path string) job.Input {
	in := job.Input{Path: path, Component: c.component, Modality: c.Modality, All: c.series.all, SkipDamaged: c.skipDamaged}
	if c.series.set {
		in.Series = &c.series.number
	}
	return in
}

// Help texts of flags that several commands have.
const (
	seriesHelp    = "which series of IN, counted from 1 as by quell info, all volumes of the largest 4-D series, or of that of N with all:N; the largest, with all of its volumes, if not given"
	componentHelp = "which `component` of complex voxels (magnitude, phase, real, imaginary) or of colours (luminance, red, green, blue)"
)
