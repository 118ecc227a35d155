package filtering

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/output"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise"
	"quell/measure"
	"quell/series"
)

// gallery holds the flags of quell tune that only --filter all takes.
type gallery struct {
	slices, reference, picture string
}

var galleryFlags = []string{"slices", "reference", "picture"}

func (g *gallery) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&g.slices, "slices", "", "with all: the slices `A:B`, counted from 1, both included, that are filtered and measured; the middle one if not given")
	option.AddInput(flags, &g.reference, "reference", "with all: a noise-free series on the same grid, in this `file`, for PSNR")
	option.AddOutput(flags, &g.picture, "picture", files.PictureOutput, "with all: write a PNG of the middle slice by every filter to this `file`")
}

// check refuses flags that do not go together.
func (g *gallery) check(flags *pflag.FlagSet, all bool, params option.Params) error {
	if !all {
		for _, name := range galleryFlags {
			if flags.Changed(name) {
				return job.Usagef("--%s goes with --filter all", name)
			}
		}
		return nil
	}
	for _, name := range []string{"recipe", "objective", "dims"} {
		if flags.Changed(name) {
			return job.Usagef("--%s has no meaning with --filter all, which takes the best automatic setting of each", name)
		}
	}
	for name, flag := range params {
		if flag.Given {
			return job.Usagef("--%s has no meaning with --filter all, which takes the best automatic setting of each", name)
		}
	}
	return nil
}

// run shows every filter on a series, and writes the recipe of the best one to out.
func (g *gallery) run(cmd *cobra.Command, engine denoise.Engine, s *series.Series, out string, overwrite bool) error {
	q := judge.GalleryRequest{Series: s}
	if g.slices != "" {
		part, err := option.ParseSlices(g.slices)
		if err != nil {
			return err
		}
		if q.Region, err = part.Region(s.Volume.Geometry); err != nil {
			return err
		}
	}
	if g.reference != "" {
		v, err := command.OpenSame(cmd, g.reference, s.Volume)
		if err != nil {
			return err
		}
		q.Reference = &series.Series{Volume: v}
	}
	progress, done := command.EventsOf(cmd)
	q.Ready = func(e judge.Exhibit) {
		if progress.Message != nil {
			progress.Message(series.Note, fmt.Sprintf("%s took %s.", e.Filter, job.TimeText(e.ChooseSeconds+e.Seconds)))
		}
	}
	shown, err := judge.ShowGallery(cmd.Context(), engine, q)
	done()
	if err != nil {
		return err
	}
	if g.picture != "" {
		if err := output.WriteGallery(shown, g.picture, s, q.Reference, overwrite); err != nil {
			return err
		}
	}
	if out != "" {
		if shown.Best < 0 {
			return job.Usagef("no filter removes noise within the bounds, so that no recipe is written to %s", out)
		}
		if err := files.WriteRecipe(out, shown.Exhibits[shown.Best].Recipe, overwrite); err != nil {
			return err
		}
	}
	best := ""
	if shown.Best >= 0 {
		best = shown.Exhibits[shown.Best].Filter
	}
	return command.Print(cmd, struct {
		judge.Gallery
		Sigma      float64 `json:"sigma"`
		Confidence string  `json:"sigma_confidence"`
		Slices     [2]int  `json:"slices"` // from, to
		Best       string  `json:"best"`
	}{shown, shown.Noise.Noise.Sigma, string(shown.Noise.Noise.Confidence), [2]int{shown.Region.Min[2], shown.Region.Max[2]}, best}, func(w io.Writer) { printGallery(w, shown) })
}

// printGallery writes a table.
func printGallery(tw io.Writer, g judge.Gallery) {
	reference := slices.ContainsFunc(g.Exhibits, func(e judge.Exhibit) bool { return e.Truth != nil })
	fmt.Fprint(tw, "filter\tstrength\tnoise removed\tcontrast kept\ttexture kept\tverdict\ttime\t")
	if reference {
		fmt.Fprint(tw, "PSNR\t")
	}
	fmt.Fprintln(tw, "setting")
	for i, e := range g.Exhibits {
		if !e.Problem.IsZero() {
			continue
		}
		fmt.Fprintf(tw, "%s\t%.0f", e.Filter, e.Strength)
		for _, f := range judge.Shares(judge.Measures{Assessment: judge.Assessment{Verdict: e.Verdict}}) {
			fmt.Fprintf(tw, "\t%s", f.Text())
		}
		if !e.Noise().Known() {
			fmt.Fprint(tw, "\t-\t-\t-")
		}
		fmt.Fprintf(tw, "\t%s\t%s\t", e.Judgement.Message(), job.TimeText(e.Seconds))
		if e.Truth != nil {
			fmt.Fprintf(tw, "%s\t", measure.Decibels(e.Truth.PSNR, 2))
		}
		mark := ""
		if i == g.Best {
			mark = "  <- best"
		}
		fmt.Fprintf(tw, "%s%s\n", e.Recipe, mark)
	}
	for _, e := range g.Exhibits {
		if !e.Problem.IsZero() {
			fmt.Fprintf(tw, "%s cannot run: %s\n", e.Filter, e.Problem)
		}
	}
}
