package judging

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/app/output"
	"quell/app/run"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Assess is quell assess.
func Assess() command.Command {
	mask, noiseMap, recipeFile := new(string), new(string), new(string)
	var pick option.Choice
	c := command.Command{
		Name:  "assess BEFORE AFTER",
		Short: "Judge a denoised series without a reference",
		Long: `Judge how well AFTER was denoised from BEFORE, without a reference, by three figures
with intervals of 95 %, measured in homogeneous regions:

  noise removed   1 less the SD of the noise over that before
  contrast kept   of the smallest object that was visible
  texture kept    mean frequency of the noise, of that before

The verdict follows from them (docs/TRUST.md has the bounds):

  nothing    under 5 % of the noise was removed
  little     under 15 %, without harm
  good       noise was removed, contrast and texture are kept
  fades      objects keep under 85 % of their contrast, or one was removed
  texture    the noise keeps under 85 % of its mean frequency
  unknown    it cannot be judged; why says what is missing

If AFTER has its sidecar (AFTER.recipe.json) or --recipe is given, the filter is
run again: AFTER must be what it makes, or the place at which something was removed
or added is found. Otherwise the filter whose result is most like AFTER shows what an
honest result looks like, and a result that is moved, turned, clipped, in other
units or with slices in another order is named as that (mismatch). Slices and voxels are counted from 1; the numbers of the
JSON count from 0. A 4-D series of 8 volumes or more is judged as a whole: contrast
in the mean of its volumes, objects that one volume has alone by themselves (lost),
with the temporal SNR, and the bias of signal and mean diffusivity.`,
		Example: `  quell assess ct/ denoised/
  quell assess brain.nii.gz denoised.nii.gz --recipe tuned.json --json`,
		Inputs: command.Every,
		Pipes:  true,
	}
	c.Flags = func(cmd *cobra.Command) {
		option.AddPipe(cmd.Flags(), mask, "mask", "count only voxels that are not 0 in this `file`")
		option.AddPipe(cmd.Flags(), noiseMap, "noise-map", "the noise map that the filter worked by: this `file`, or auto to estimate it again; errors count in units of it")
		option.AddRecipe(cmd.Flags(), recipeFile, "recipe", "the recipe that made AFTER, if it lies in another `file` than beside it")
		pick.AddTo(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		events, done := command.EventsOf(cmd)
		defer done()
		before, err := open.Select(cmd.Context(), pick.Input(args[0]), events)
		if err != nil {
			return err
		}
		defer before.Close()
		after, err := open.Results(cmd.Context(), args[1], before, events)
		if err != nil {
			return err
		}
		defer after.Close()
		a := assessor{cmd: cmd, out: args[1], mask: *mask, noiseMap: *noiseMap, recipe: *recipeFile}
		load := func(k int) (judge.Input, error) { return a.volume(before, after, k) }
		var whole *judge.SeriesAssessment
		each := make([]judge.Assessment, len(before.Entries))
		if before.Group != nil && len(each) >= judge.FewestTogether {
			whole = &judge.SeriesAssessment{}
			*whole, each, err = judge.AssessSeries(cmd.Context(), before.Group, len(each), load)
		}
		for k := 0; err == nil && whole == nil && k < len(each); k++ {
			var in judge.Input
			if in, err = load(k); err == nil {
				each[k], err = judge.Assess(cmd.Context(), in)
			}
		}
		if err != nil {
			return err
		}
		done()
		return printAssessments(cmd.OutOrStdout(), whole, each, before, command.JSON(cmd))
	}
	return c
}

// assessor judges the volumes of a result.
type assessor struct {
	cmd                         *cobra.Command
	out, mask, noiseMap, recipe string // paths; "" for none
}

// volume loads the k-th volume and what it is judged by.
func (a assessor) volume(before, after *open.Selected, k int) (in judge.Input, err error) {
	ctx := a.cmd.Context()
	s, err := before.Load(ctx, k)
	if err != nil {
		return in, err
	}
	result, err := after.Load(ctx, k)
	if err != nil {
		return in, err
	}
	if result.Volume, err = command.InOrderOf(a.cmd, a.out, result.Volume, s.Volume); err != nil {
		return in, err
	}
	in = judge.Input{Before: s, After: result.Volume, WithoutMap: true}
	if a.mask != "" {
		if in.Mask, err = openMask(a.cmd, a.mask, s.Volume); err != nil {
			return in, err
		}
	}
	if in.Maps, err = run.OpenMaps(ctx, job.Job{NoiseMap: a.noiseMap}, s); err != nil {
		return in, err
	}
	if a.recipe != "" {
		r, err := files.LoadRecipe(a.recipe)
		if err != nil {
			return in, err
		}
		if !r.Resolved() {
			return in, job.Usagef("%s contains automatic values; give the recipe as it was run, which lies beside an output", a.recipe)
		}
		in.Recipe = &r
	} else if in.Recipe, err = output.RecipeBeside(a.out, s.Volume, in.Maps); err != nil {
		return in, err
	} else if in.Recipe == nil && a.noiseMap == "" && output.MappedBeside(a.out) {
		if in.Maps, err = run.OpenMaps(ctx, job.Job{NoiseMap: job.MapAuto}, s); err != nil {
			return in, err
		}
		if in.Recipe, err = output.RecipeBeside(a.out, s.Volume, in.Maps); err != nil {
			return in, err
		}
	}
	in.Engine, err = engines.Pick("cpu")
	return in, err
}

// volumeAssessment is the verdict about one volume; Name is its place in a 4-D series.
type volumeAssessment struct {
	Name       string           `json:"name"`
	Assessment judge.Assessment `json:"assessment"`
}

// printAssessments prints the verdict about a series, or about a 4-D series and each of its volumes; whole is nil if it has none.
func printAssessments(w io.Writer, whole *judge.SeriesAssessment, each []judge.Assessment, of *open.Selected, asJSON bool) error {
	switch {
	case of.Group == nil && asJSON:
		return command.PrintJSON(w, each[0])
	case of.Group == nil:
		return printAssessment(w, each[0])
	case asJSON:
		all := make([]volumeAssessment, len(each))
		for k, one := range each {
			all[k] = volumeAssessment{of.Name(k), one}
		}
		return command.PrintJSON(w, struct {
			*judge.SeriesAssessment
			Axis    string             `json:"axis"`
			Volumes []volumeAssessment `json:"volumes"`
			Covered open.Coverage      `json:"covered"`
		}{whole, of.Group.Axis(), all, of.Covered})
	case whole != nil:
		printSeries(w, *whole)
	}
	for k, one := range each {
		if whole == nil {
			fmt.Fprintln(w, of.Name(k))
			if err := printAssessment(w, one); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s  sigma %.4g%s\n", of.Name(k), one.Sigma, sharesText(one.Verdict, "  "))
	}
	return nil
}

// printSeries prints the verdict about a 4-D series that is judged as a whole.
func printSeries(w io.Writer, a judge.SeriesAssessment) {
	v := judge.Assessment{Verdict: a.Verdict}
	printVerdict(w, v, judge.Shares(judge.Measures{Assessment: v}))
	if t := a.TSNR; t != nil {
		fmt.Fprintf(w, "%-20s %.3g before, %.3g after, in %d volumes\n", "Temporal SNR", t.Before, t.After, t.Volumes)
	}
	for _, c := range a.Contrasts {
		fmt.Fprintf(w, "%-20s %.4g before, %.4g after (%+.1f per mille), in %d volumes\n", "Signal "+c.Name, c.Before, c.After, 1000*c.Bias, c.Volumes)
	}
	if d := a.Diffusivity; d != nil {
		fmt.Fprintf(w, "%-20s %.4g before, %.4g after (%+.1f per mille), 0.001 mm2/s at b-value %g\n", "Mean diffusivity", 1000*d.Before, 1000*d.After, 1000*d.Bias, d.B)
	}
	for _, l := range a.Lost[:min(len(a.Lost), 10)] {
		fmt.Fprintf(w, "%-20s volume %d, x %d, y %d in slice %d: %d voxels of %.3g sigmas keep %.0f %%\n", "Lost", l.Volume+1, l.At[0]+1, l.At[1]+1, l.At[2]+1, l.Voxels, l.Sigmas, 100*l.Kept)
	}
}

func sharesText(v judge.Verdict, before string) (text string) {
	for _, f := range judge.Shares(judge.Measures{Assessment: judge.Assessment{Verdict: v}}) {
		text += before + f.Label.String() + " " + f.Text()
	}
	return text
}

func printAssessment(w io.Writer, a judge.Assessment) error {
	printVerdict(w, a, judge.FiguresOf(judge.Measures{Assessment: a}))
	for _, b := range a.Spectrum {
		fmt.Fprintf(w, "%-20s %.3g x white noise, after a Gaussian of %g voxels\n", "Residual power", b.Power, b.Scale)
	}
	if a.Place != nil {
		fmt.Fprintf(w, "%-20s %s\n", "Most anatomy", a.Place)
	}
	for _, f := range a.Places {
		against := "the residual"
		if f.Recipe {
			against = "what the recipe makes"
		}
		fmt.Fprintf(w, "%-20s %s %s, %.3g standard errors, in %s\n", "Place", f.Change, f, f.Z, against)
	}
	for z, s := range a.Slices {
		fmt.Fprintf(w, "slice %-6d %-16s sigma %.4g%s\n", z+1, s.Judgement.Message(), s.Sigma, sharesText(s.Verdict, "; "))
	}
	return nil
}

func printVerdict(w io.Writer, a judge.Assessment, figures []judge.Figure) {
	fmt.Fprintf(w, "%-20s %s\n%-20s %s\n", "Verdict", a.Judgement.Message(), "", a.Why)
	for _, f := range figures {
		fmt.Fprintf(w, "%-20s %s\n", f.Label, f.Line())
	}
}
