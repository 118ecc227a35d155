package judging

import (
	"fmt"
	"io"
	"strings"

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
JSON count from 0. Of a 4-D series each volume is judged by itself.`,
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
		var all []volumeAssessment
		for k := range before.Entries {
			one, err := a.volume(before, after, k)
			if err != nil {
				return err
			}
			all = append(all, volumeAssessment{before.Name(k), one})
		}
		done()
		return printAssessments(cmd.OutOrStdout(), all, before.Selection, command.JSON(cmd))
	}
	return c
}

// assessor judges the volumes of a result.
type assessor struct {
	cmd                         *cobra.Command
	out, mask, noiseMap, recipe string // paths; "" for none
}

// volume judges the k-th volume.
func (a assessor) volume(before, after *open.Selected, k int) (judge.Assessment, error) {
	ctx := a.cmd.Context()
	s, err := before.Load(ctx, k)
	if err != nil {
		return judge.Assessment{}, err
	}
	result, err := after.Load(ctx, k)
	if err != nil {
		return judge.Assessment{}, err
	}
	if result.Volume, err = command.InOrderOf(a.cmd, a.out, result.Volume, s.Volume); err != nil {
		return judge.Assessment{}, err
	}
	in := judge.Input{Before: s, After: result.Volume, WithoutMap: true}
	if a.mask != "" {
		if in.Mask, err = openMask(a.cmd, a.mask, s.Volume); err != nil {
			return judge.Assessment{}, err
		}
	}
	if a.noiseMap != "" {
		if in.Maps, err = run.OpenNoiseMap(ctx, a.noiseMap, s); err != nil {
			return judge.Assessment{}, err
		}
	}
	if a.recipe != "" {
		r, err := files.LoadRecipe(a.recipe)
		if err != nil {
			return judge.Assessment{}, err
		}
		if !r.Resolved() {
			return judge.Assessment{}, job.Usagef("%s contains automatic values; give the recipe as it was run, which lies beside an output", a.recipe)
		}
		in.Recipe = &r
	} else if in.Recipe, err = output.RecipeBeside(a.out, s.Volume, in.Maps); err != nil {
		return judge.Assessment{}, err
	} else if in.Recipe == nil && a.noiseMap == "" && output.MappedBeside(a.out) {
		if in.Maps, err = run.OpenNoiseMap(ctx, job.MapAuto, s); err != nil {
			return judge.Assessment{}, err
		}
		if in.Recipe, err = output.RecipeBeside(a.out, s.Volume, in.Maps); err != nil {
			return judge.Assessment{}, err
		}
	}
	if in.Engine, err = engines.Pick("cpu"); err != nil {
		return judge.Assessment{}, err
	}
	return judge.Assess(ctx, in)
}

// volumeAssessment is the verdict about one volume; Name is its place in a 4-D series.
type volumeAssessment struct {
	Name       string           `json:"name"`
	Assessment judge.Assessment `json:"assessment"`
}

// printAssessments prints the verdict about a series, or about each volume of a 4-D series.
func printAssessments(w io.Writer, all []volumeAssessment, of open.Selection, asJSON bool) error {
	switch {
	case of.Group == nil && asJSON:
		return command.PrintJSON(w, all[0].Assessment)
	case of.Group == nil:
		return printAssessment(w, all[0].Assessment)
	case asJSON:
		return command.PrintJSON(w, struct {
			Axis    string             `json:"axis"`
			Volumes []volumeAssessment `json:"volumes"`
			Covered open.Coverage      `json:"covered"`
		}{of.Group.Axis(), all, of.Covered})
	}
	for _, v := range all {
		if _, err := fmt.Fprintln(w, v.Name); err != nil {
			return err
		}
		if err := printAssessment(w, v.Assessment); err != nil {
			return err
		}
	}
	return nil
}

func printAssessment(w io.Writer, a judge.Assessment) error {
	m := judge.Measures{Assessment: a}
	fmt.Fprintf(w, "%-20s %s\n%-20s %s\n", "Verdict", a.Judgement.Message(), "", a.Why)
	for _, f := range judge.FiguresOf(m) {
		fmt.Fprintf(w, "%-20s %s\n", f.Label, f.Line())
	}
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
		texts := []string{fmt.Sprintf("sigma %.4g", s.Sigma)}
		for _, f := range judge.Shares(judge.Measures{Assessment: judge.Assessment{Verdict: s.Verdict}}) {
			texts = append(texts, f.Label.String()+" "+f.Text())
		}
		fmt.Fprintf(w, "slice %-6d %-16s %s\n", z+1, s.Judgement.Message(), strings.Join(texts, "; "))
	}
	return nil
}
