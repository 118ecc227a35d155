package option

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/io/raster"
)

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
	AddName(cmd, modality, "modality", "modality", job.Modalities(), "`CT|MR`: what measured the series, if the file does not say it; CT may hold HU, or HU + 1000 or 1024; if not given, the values decide")
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
