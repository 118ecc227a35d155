package judging

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/output"
	"quell/app/run"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/lesions"
	"quell/series"
)

// lesionFlags are the flags that say which lesions are put where, and what filters them.
type lesionFlags struct {
	recipe         option.Recipe
	noiseMap, mask string
	engine, shape  string
	sizes          []string
	contrasts      []string
	length, places int
	seed           uint64
	in             option.Choice
}

// detectFlags are the flags of quell detect.
type detectFlags struct {
	lesionFlags
	chart     string // path
	overwrite bool
}

// Detect is quell detect.
func Detect() command.Command {
	var f detectFlags
	c := command.Command{
		Name:  "detect IN --filter NAME|all|--preset NAME|--recipe FILE [parameters]",
		Short: "Measure what a filter leaves visible, with virtual lesions in the series itself",
		Long: `Put small faint objects into homogeneous tissue of the series, filter it with and without
them, on the same noise, and say what becomes of them:

  kept      the contrast that is left of the object, in its own profile
  edge      the width of its edge from 10 to 90 %
  d' eye    how well a person tells it from noise, by a model that sees the result
            through the eye (non-prewhitening observer): from 3 it is visible
  d' chan   how much information about it there is, by a model that knows the noise
            (channelised Hotelling observer)

Intervals are of 95 %, over the places. The verdict is over if an object that was visible
before keeps less than 85 % of its contrast or 90 % of its d'. Nothing is written; only
the surroundings of the objects are filtered. docs/DETECT.md has the definitions.

--filter all ranks every filter in its automatic form by the noise that it removes where
--strength visible stops. --chart draws the contrast kept over the noise left, a curve
for each filter.`,
		Example: `  quell detect ct/ --filter nlm --size 2,3,5 --contrast 10,20
  quell detect ct/ --filter all --chart frontier.png
  quell detect brain.nii.gz --recipe denoised.nii.gz.recipe.json --json`,
		Inputs: command.Every,
		First:  []command.First{{Flag: "preset"}, {Flag: "recipe"}, {Flag: "dims"}, {Flag: "json"}},
	}
	c.Flags = func(cmd *cobra.Command) {
		f.addTo(cmd, append(option.FilterNames(), option.EveryFilter), "; or all")
		option.AddOutput(cmd.Flags(), &f.chart, "chart", files.PictureOutput, "with all: write a PNG of the contrast kept over the noise left to this `file`")
		cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a file that Quell did not write")
		f.recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }
	return c
}

// addTo adds the flags to a command; parameters of filters are added after its own. names and more are those of
// Recipe.addWith.
func (f *lesionFlags) addTo(cmd *cobra.Command, names []string, more string) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.recipe.AddWith(cmd, names, more)
	f.engine, f.shape = "auto", string(lesions.Disc)
	flags.StringSliceVar(&f.sizes, "size", nil, "`MM,...`: diameters of the objects in mm; if not given, of 3, 5 and 8 pixels")
	flags.StringSliceVar(&f.contrasts, "contrast", nil, "`C,...`: contrasts, in the unit of the series or as multiples of its noise, such as 10,-20,1.5sigma; if not given, 1sigma,2sigma")
	option.AddName(cmd, &f.shape, "shape", "shape", []string{string(lesions.Disc), string(lesions.Gaussian)}, "`disc|gaussian`: the profile; the size of a Gaussian is its width at half its height")
	flags.IntVar(&f.length, "length", 0, "slices `N`, an odd number up to 9, that an object reaches through; if not given, as many as it is wide")
	flags.IntVar(&f.places, "places", 0, "put every object at `N` places at most; if not given, 64")
	flags.Uint64Var(&f.seed, "seed", lesions.UsualSeed, "seed `N` of the places")
	option.AddEngine(cmd, &f.engine, option.EngineHelp)
	option.AddPipe(flags, &f.noiseMap, "noise-map", "the noise map that the filter works by: this `file`, auto to estimate it, or none; if not given, as quell denoise does")
	option.AddPipe(flags, &f.mask, "mask", "keep to voxels that are not 0 in this `file`")
	f.in.AddTo(cmd)
}

func (f *detectFlags) run(cmd *cobra.Command, path string) error {
	var j job.Job
	if f.recipe.Filter == option.EveryFilter {
		if err := f.checkAll(cmd); err != nil {
			return err
		}
	} else if err := f.recipe.Apply(&j); err != nil {
		return err
	} else if f.chart != "" {
		return job.Usagef("--chart goes with --filter all")
	}
	q, closeInput, err := f.request(cmd, j, path)
	if err != nil {
		return err
	}
	defer closeInput()
	if j.Recipe == nil {
		return f.rank(cmd, q)
	}
	p, err := judge.Lesions(cmd.Context(), q)
	if err != nil {
		return err
	}
	if command.JSON(cmd) {
		return command.PrintJSON(cmd.OutOrStdout(), struct {
			lesions.Panel
			Visibility lesions.Visibility `json:"visibility"`
			Summary    string             `json:"summary"`
		}{p, p.Visibility(), p.String()})
	}
	return printPanel(cmd.OutOrStdout(), p)
}

// request opens the series and returns what is asked for, of the recipe of a job; nil leaves it out. The caller closes
// the input.
func (f *lesionFlags) request(cmd *cobra.Command, j job.Job, path string) (q judge.LesionRequest, closeInput func(), err error) {
	q = judge.LesionRequest{Shape: lesions.Shape(f.shape), Slices: f.length, Places: f.places, Seed: f.seed}
	if q.Sizes, err = sizesOf(f.sizes); err != nil {
		return q, nil, err
	}
	if q.Contrasts, err = contrastsOf(f.contrasts); err != nil {
		return q, nil, err
	}
	if f.places < 0 || cmd.Flags().Changed("places") && f.places < lesions.LeastPlaces {
		return q, nil, job.Usagef("--places %d: at least %d are needed", f.places, lesions.LeastPlaces)
	}
	if q.Engine, err = command.PickEngine(cmd, f.engine); err != nil {
		return q, nil, err
	}
	in, err := command.OpenInput(cmd, f.in.Input(path))
	if err != nil {
		return q, nil, err
	}
	j.NoiseMap, j.Mask = job.GivenMap(f.noiseMap), f.mask
	if err = f.prepare(cmd, j, in.Series, &q); err != nil {
		in.Close()
	}
	return q, func() { in.Close() }, err
}

// prepare takes the recipe and the maps for a series.
func (f *lesionFlags) prepare(cmd *cobra.Command, j job.Job, s *series.Series, q *judge.LesionRequest) (err error) {
	q.Series, q.IfVaries = s, j.NoiseMap == job.MapIfVaries
	if j.Recipe != nil {
		q.Recipe = *j.Recipe
	}
	if j.AutoDims {
		if q.Recipe.Dims, err = run.ProposeDims(s, q.Recipe.Filter); err != nil {
			return err
		}
	}
	q.Maps, err = run.OpenMaps(cmd.Context(), j, s)
	return err
}

// checkAll refuses what has no meaning with every filter.
func (f *detectFlags) checkAll(cmd *cobra.Command) error {
	given := []string{}
	for _, name := range []string{"recipe", "preset", "dims"} {
		if cmd.Flags().Changed(name) {
			given = append(given, name)
		}
	}
	for name, flag := range f.recipe.Params {
		if flag.Given {
			given = append(given, name)
		}
	}
	if len(given) > 0 {
		slices.Sort(given)
		return job.Usagef("--%s has no meaning with --filter all, which takes the automatic form of each", given[0])
	}
	return nil
}

// rank prints every filter by the noise that --strength visible leaves, and draws the chart.
func (f *detectFlags) rank(cmd *cobra.Command, q judge.LesionRequest) error {
	progress, done := command.EventsOf(cmd)
	all, err := judge.Frontiers(cmd.Context(), judge.FrontierRequest{Series: q.Series, Maps: q.Maps, Facts: q.Facts, Engine: q.Engine}, func(x judge.Frontier) {
		if progress.Message != nil {
			progress.Message(series.Note, x.Filter+" is measured.")
		}
	})
	done()
	if err != nil {
		return err
	}
	if f.chart != "" {
		if err := output.WriteFrontiers(all, f.chart, q.Series, f.overwrite); err != nil {
			return err
		}
	}
	return command.Print(cmd, struct {
		Filters []judge.Frontier `json:"filters"` // the least noise left first
	}{all}, func(tw io.Writer) {
		fmt.Fprintln(tw, "filter\tstrength\tnoise removed\tcontrast kept\ttexture kept\tat 100: noise removed\tcontrast kept\ttexture kept")
		row := func(s judge.Setting) string {
			return fmt.Sprintf("%.0f %%\t%.0f %%\t%.0f %%", 100*s.Noise().Value, 100*s.Contrast().Value, 100*s.Texture().Value)
		}
		for _, x := range all {
			switch name := fmt.Sprintf("%s %d-D", x.Filter, x.Recipe.Dims); {
			case x.Settings == nil:
				fmt.Fprintf(tw, "%s\t%s\n", x.Filter, x.Problem)
			case x.Dial == nil:
				fmt.Fprintf(tw, "%s\tnone\t\t\t\t%s\n", name, row(x.Settings[len(x.Settings)-1]))
			default:
				fmt.Fprintf(tw, "%s\t%.0f\t%s\t%s\n", name, x.Dial.Strength, row(*x.Dial), row(x.Settings[len(x.Settings)-1]))
			}
		}
	})
}

// sizesOf returns the sizes of --size; nil for none.
func sizesOf(texts []string) (all []float64, err error) {
	for _, text := range texts {
		size, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "mm"), 64)
		if err != nil || !(size > 0) {
			return nil, job.Usagef("--size %s: give sizes in mm, such as 2,3,5", text)
		}
		all = append(all, size)
	}
	return all, nil
}

// contrastsOf returns the contrasts of --contrast.
func contrastsOf(texts []string) (all []judge.Contrast, err error) {
	for _, text := range texts {
		number, inSigmas := strings.CutSuffix(strings.TrimSpace(text), "sigma")
		c := judge.Contrast{InSigmas: inSigmas}
		if c.Value, err = strconv.ParseFloat(number, 64); err != nil || c.Value == 0 || c.Value-c.Value != 0 {
			return nil, job.Usagef("--contrast %s: give contrasts other than 0, such as 10,-20,1.5sigma", text)
		}
		all = append(all, c)
	}
	return all, nil
}

// printPanel prints a table, the sentences and the verdict.
func printPanel(w io.Writer, p lesions.Panel) error {
	unit := p.Unit
	if unit != "" {
		unit = " " + unit
	}
	fmt.Fprintf(w, "%s\n%d places of homogeneous tissue, local SD %.3g%s\n", p.Recipe, p.Places, p.SD, unit)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(lesions.Head, "\t"))
	for _, r := range p.Rows {
		fmt.Fprintln(tw, strings.Join(r.Cells(p.Unit), "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	v := p.Visibility()
	fmt.Fprintf(w, "%s\nverdict %s: %s\n", p, v.Verdict, v.Why)
	return nil
}
