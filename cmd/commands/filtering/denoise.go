package filtering

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/app/run"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/dicom"
)

// denoiseFlags are the flags of quell denoise.
type denoiseFlags struct {
	recipe                        option.Recipe
	slices                        string
	limit                         int64 // of memory
	noiseMap, mask, phase, uneven string
	in                            option.Choice
	engine                        job.EnginePolicy
	output                        job.Output
	compress                      option.Compress
	beside                        []*string // paths of executor.Products
	assess                        bool
}

// Denoise is quell denoise.
func Denoise() command.Command {
	var f denoiseFlags
	var slicer bool
	c := command.Command{
		Name:  "denoise IN OUT [--filter NAME|--preset NAME] [parameters]",
		Short: "Remove noise from a series and write a new series",
		Long:  denoiseHelp(),
		Example: `  quell denoise ct/ denoised/ --filter nlm --dims 3 --h 12
  quell denoise brain.nii.gz denoised.nii.gz --filter bilateral --sigma-range 2.5sigma --sigma-spatial 1
  quell denoise brain.nii.gz denoised.nii.gz --filter nlm --h sure
  quell denoise brain.nii.gz denoised.nii.gz --preset mr-brain-3d
  quell denoise ct/ again/ --recipe denoised.recipe.json --h 10`,
		Args: func(cmd *cobra.Command, args []string) error {
			// --compress alone is a switch, so a name after a space is an argument.
			if len(args) == 3 && cmd.Flags().Changed("compress") {
				for _, c := range dicom.Compressions() {
					if slices.Contains(args, string(c)) {
						return job.Usagef("write --compress=%s, with an equals sign", c)
					}
				}
			}
			return command.Exactly(2, "IN and OUT")(cmd, args)
		},
		Inputs:  command.Leading,
		Outputs: command.Last(files.SeriesOutput),
		Pipes:   true,
		Module:  &command.Module{Title: "Quell", Help: "Remove noise by a preset, whose strength follows the noise of the series.", Output: "Output volume", About: "The volume without noise.", Presets: true},
		First: []command.First{
			{Flag: "preset"}, {Flag: "recipe", Text: "start from the recipe in this file"}, {Flag: "dims"},
			{Flag: "noise-out", Text: "also write what was removed"}, {Flag: "report", Text: "also write a report with pictures and a verdict"}, {Flag: "json"},
		},
		Filters: true,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		f.recipe.AddTo(cmd)
		f.engine.Name = "auto"
		option.AddEngine(cmd, &f.engine.Name, option.EngineHelp)
		flags.StringVar(&f.slices, "slices", "", "filter and write only the slices `A:B`, counted from 1, both included; either may be left out; the filter still reads the slices around them")
		option.AddPipe(flags, &f.noiseMap, "noise-map", "noise that differs from place to place: sigma for each voxel from this `file`, or from volumes of noise alone in NAME_noRF.nii.gz, auto to estimate it, or none; the filter works in units of it; if not given, it is estimated if the noise differs from place to place and no strength is a number")
		option.AddPipe(flags, &f.mask, "mask", "leave voxels that are 0 in this `file` unchanged, and do not use them")
		option.AddPipe(flags, &f.phase, "phase", "filter the real part of complex images, of which this `file` has the phase and IN the magnitude: its noise is Gaussian, and lifts no weak signal")
		option.AddOutputFlags(cmd, &f.output.Options)
		command.AddFormat(cmd)
		option.AddAttach(cmd, &f.output.Attach)
		for _, p := range executor.Products() {
			path := new(string)
			f.beside = append(f.beside, path)
			option.AddOutput(flags, path, p.Name, p.Kind, p.Help)
		}
		flags.BoolVar(&f.output.Deidentify, "deidentify", false, "remove the patient's identity from DICOM output (PS3.15 basic profile), and print and record pseudonyms in place of names; what is drawn in the pixels stays")
		f.compress.AddTo(cmd)
		option.AddUneven(cmd, &f.uneven, "split filters evenly spaced runs of slices by themselves, ")
		option.VolumeMemory(cmd, &f.limit, "filtered")
		f.in.AddTo(cmd)
		flags.BoolVar(&f.assess, "assess", false, "also judge the result, as quell assess does; each volume of a 4-D series by itself")
		command.AddSlicer(flags, &slicer)
		f.recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		events, done := command.EventsOf(cmd)
		if slicer {
			f.recipe.Params.WithoutDefaults(f.recipe.Filter)
			events = command.SlicerEvents(cmd)
		}
		defer done()
		job, err := f.job(cmd, args[0], args[1])
		if err != nil {
			return err
		}
		report, err := command.DoWith(cmd, job, events)
		if err != nil {
			return err
		}
		return printDenoised(cmd, report)
	}
	return c
}

// printDenoised prints what was filtered and how: of a 4-D series the noise, the strength
// and the verdict of each volume.
func printDenoised(cmd *cobra.Command, report executor.Outcome) error {
	if report.Volumes == nil {
		text := fmt.Sprintf("%s: %s voxels in %.2f s on %s", *report.Recipe, open.DimsText(report.Dims), report.Seconds.Filter, report.Engine)
		if m := report.Measures; m != nil {
			text += "\n" + m.Judgement.Message().String() + ": " + m.Why.String()
			for _, f := range judge.Shares(*m) {
				text += "\n" + f.Label.String() + " " + f.Line()
			}
		}
		return command.PrintWritten(cmd, report, text+proposalText(report)+tunedText(report.Tuned))
	}
	text := fmt.Sprintf("%s: %s in %.2f s on %s", *report.Asked, command.VolumesText(report), report.Seconds.Filter, report.Engine)
	for _, v := range report.Volumes {
		line := "\n" + v.Name
		if v.Noise == nil {
		} else if v.Noise.Confidence != noise.None {
			line += fmt.Sprintf("  sigma %.4g (%.3g to %.3g, %s confidence)", v.Noise.Sigma, v.Noise.Low, v.Noise.High, v.Noise.Confidence)
		}
		if f, err := denoise.FilterByName(v.Recipe.Filter); err == nil && f.Strength.Param != "" {
			line += fmt.Sprintf("  %s %s", f.Strength.Param, strengthText(v.Recipe.Get(f.Strength.Param)))
		}
		if v.Measures != nil {
			line += "  " + v.Measures.Judgement.Message().String()
			for _, f := range judge.Shares(*v.Measures) {
				line += fmt.Sprintf("  %s %s", f.Label, f.Text())
			}
		}
		text += line + tunedText(v.Tuned)
	}
	if t := report.TSNR; t != nil {
		text += fmt.Sprintf("\ntSNR %.3g before, %.3g after, in %d volumes", t.Before, t.After, t.Volumes)
		if t.NoiseRemoved.Finite() {
			text += fmt.Sprintf("; noise removed %.0f %%", 100*t.NoiseRemoved)
		}
	}
	return command.PrintWritten(cmd, report, text+proposalText(report))
}

// proposalText says how a filter was found that was not given.
func proposalText(report executor.Outcome) string {
	switch p := report.Proposal; {
	case p == nil:
		return ""
	case p.Filter == "":
		return fmt.Sprintf("\nfilter %s, the default. %s", report.Asked.Filter, strings.TrimSuffix(p.Why.String(), "."))
	default:
		return "\nfilter " + strings.TrimSuffix(p.String(), ".")
	}
}

// strengthText is a value as run, with four digits if it is a number.
func strengthText(v denoise.Value) string {
	if v.IsNumber() {
		return fmt.Sprintf("%.4g", v.Float())
	}
	return v.String()
}

// tunedText says how a strength was found by "sure", and what one leaves that was found by "visible".
func tunedText(t *run.Tuned) (text string) {
	if t == nil {
		return ""
	}
	if len(t.Curve.Points) > 0 {
		best := t.Curve.Points[t.Curve.Best]
		text = fmt.Sprintf("\n%s = %s, chosen by SURE: estimated error %.2f sigma", t.Curve.Param, strengthText(best.Value), best.RMSE())
	}
	if t.Dial != nil {
		text += "\n" + strings.TrimSuffix(t.Dial.Sentence().String(), ".")
	}
	return text
}

// job returns the job that the flags describe.
func (f *denoiseFlags) job(cmd *cobra.Command, input, output string) (job.Job, error) {
	in := f.in.Input(input)
	in.Phase = f.phase
	job := job.Job{Input: in, Engine: f.engine, Output: f.output, NoiseMap: job.GivenMap(f.noiseMap), Mask: f.mask, Measure: f.assess, Uneven: f.uneven}
	job.Output.Path, job.Output.Compress, job.Output.Beside = output, f.compress.Compression, map[string]string{}
	for i, p := range executor.Products() {
		if *f.beside[i] != "" {
			job.Output.Beside[p.Name] = *f.beside[i]
			job.Measure = job.Measure || p.Judged
		}
	}
	job.AutoFilter = f.recipe.Open()
	err := f.recipe.Apply(&job)
	if err != nil {
		return job, err
	}
	job.Memory = f.limit
	job.Slices, err = option.ParseSlices(f.slices)
	return job.Judged(), err
}

// denoiseHelp lists the filters by their own descriptions.
func denoiseHelp() string {
	var b strings.Builder
	b.WriteString("Remove noise from a series and write the result as a new series, with a sidecar\n" +
		"of the recipe beside it (OUT.recipe.json), or in a folder that is mounted\n(OUT/quell.recipe.json). A 4-D series becomes one series again:\n" +
		"a 4-D NIfTI file, or one DICOM series. Filters:\n\n")
	for _, f := range denoise.AllFilters() {
		fmt.Fprintf(&b, "  %-10s  %s (%s)\n              %s\n", f.Name, f.Help, command.FormsOf(f), f.Source)
	}
	return strings.TrimRight(b.String(), "\n")
}
