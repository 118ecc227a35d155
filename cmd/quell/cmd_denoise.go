package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/denoise"
	"quell/io/dicom"
	"quell/volume"
)

// seconds are the times of a run in its JSON.
type seconds struct {
	Load   float64 `json:"load"`
	Filter float64 `json:"filter"`
	Write  float64 `json:"write"`
}

// denoiseResult is the JSON of quell denoise.
type denoiseResult struct {
	Engine   string         `json:"engine"`
	Device   string         `json:"device"`
	Recipe   denoise.Recipe `json:"recipe"` // as run: plain numbers
	Asked    denoise.Recipe `json:"asked"`  // as asked: with "auto" and percentages
	Seconds  seconds        `json:"seconds"`
	Voxels   int            `json:"voxels"` // filtered
	Output   string         `json:"output"`
	Files    int            `json:"files"`
	Clipped  int64          `json:"clipped"` // voxels that OUT cannot store as they are
	Warnings []string       `json:"warnings"`
	Record   string         `json:"recipe_file"`
}

// denoiseFlags are the flags of quell denoise.
type denoiseFlags struct {
	filter, recipe, engine, slices, dtype, pictures string
	dims                                            int
	in                                              choice
	json, deidentify                                bool
	compress                                        compressFlag
	params                                          paramFlags
}

func newDenoise() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "denoise IN OUT --filter NAME [parameters]",
		Short: "Filter the noise of a series and write a new series",
		Long:  denoiseHelp(),
		Example: `  quell denoise ct/ quiet/ --filter nlm --dims 3 --h 12
  quell denoise brain.nii.gz quiet.nii.gz --filter bilateral --sigma-range 15% --sigma-spatial 1
  quell denoise ct/ again/ --recipe quiet.recipe.json --h 10`,
		Args: func(cmd *cobra.Command, args []string) error {
			// --compress alone is a switch, so that a name behind a space is an argument.
			if len(args) == 3 && cmd.Flags().Changed("compress") {
				for _, c := range dicom.Compressions() {
					if slices.Contains(args, string(c)) {
						return app.Usagef("write --compress=%s, with an equals sign", c)
					}
				}
			}
			return exactly(2, "IN and OUT")(cmd, args)
		},
	}
	var f denoiseFlags
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.filter, "filter", "", "the filter's `name`: "+filterNames())
	flags.StringVar(&f.recipe, "recipe", "", "start from the recipe in this `file`, or in the record beside an output; flags override it")
	flags.IntVar(&f.dims, "dims", 0, "2 filters slice by slice, 3 as a volume; if not given, the recipe's or the filter's default")
	flags.StringVar(&f.engine, "engine", "auto", "auto, cpu or cuda")
	flags.StringVar(&f.slices, "slices", "", "filter and write only the slices `A:B`: counted from 0, A is in, B is not, either may be left out; the filter still sees their neighbours")
	flags.StringVar(&f.dtype, "dtype", "", dtypeHelp)
	flags.StringVar(&f.pictures, "pictures", "", "also draw before.png, after.png and residual.png of the middle slice into this `folder`")
	flags.BoolVar(&f.deidentify, "deidentify", false, "leave the patient's identity out of DICOM output (PS3.15 basic profile); what is drawn in the pixels stays")
	f.compress.addTo(cmd)
	f.in.addTo(cmd)
	flags.BoolVar(&f.json, "json", false, jsonHelp)
	f.params = addParamFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if flags.Changed("dims") && f.dims != 2 && f.dims != 3 {
			return app.Usagef("--dims %d: give 2 or 3", f.dims)
		}
		return f.run(cmd, args[0], args[1])
	}
	return cmd
}

// run checks everything that can be checked before the filter begins, and then
// filters and writes.
func (f *denoiseFlags) run(cmd *cobra.Command, input, output string) error {
	r, err := f.params.recipe(f.recipe, f.filter, f.dims)
	if err != nil {
		return err
	}
	eng, err := app.PickEngine(f.engine)
	if err != nil {
		return err
	}
	span, err := parseSlices(f.slices)
	if err != nil {
		return err
	}
	in, err := open(cmd, input, f.in)
	if err != nil {
		return err
	}
	defer in.close()
	region, err := span.region(in.Volume.Geometry)
	if err != nil {
		return err
	}
	options := app.ExportOptions{Dtype: f.dtype, Deidentify: f.deidentify, Compress: f.compress.Compression}
	if err := app.CheckOutput(in.Series, output, options); err != nil {
		return err
	}

	b := newBar("filtering")
	run, err := app.Denoise(cmd.Context(), eng, in.Series, r, region, nil, b.update)
	b.end()
	if f.engine == "auto" && errors.Is(err, app.ErrEngineFailed) {
		warn(cmd, "warning: %v; going on with the cpu engine", err)
		if eng, err = app.PickEngine("cpu"); err == nil {
			run, err = app.Denoise(cmd.Context(), eng, in.Series, r, region, nil, b.update)
		}
	}
	if err != nil {
		return err
	}
	b = newBar("writing")
	report, err := app.Export(cmd.Context(), run, output, options, b.files)
	b.end()
	if err != nil {
		return err
	}
	if f.pictures != "" {
		if _, err := app.Pictures(cmd.Context(), run, f.pictures); err != nil {
			return err
		}
	}
	return f.report(cmd, in, run, report)
}

func (f *denoiseFlags) report(cmd *cobra.Command, in *input, run *app.Run, report app.ExportReport) error {
	if !f.json {
		what := fmt.Sprintf("%s: %s voxels in %.2f s on %s", run.Resolved, app.DimsText(run.Region.Dims()), run.Filter.Seconds(), run.Engine.Name)
		return finish(cmd, report, nil, what)
	}
	warnings(cmd, report)
	return printJSON(cmd.OutOrStdout(), denoiseResult{
		Engine: run.Engine.Name, Device: run.Engine.Device, Recipe: run.Resolved, Asked: run.Recipe,
		Seconds: seconds{in.load.Seconds(), run.Filter.Seconds(), report.Write.Seconds()},
		Voxels:  run.Region.Voxels(), Output: report.Output, Files: report.Files, Clipped: report.Clipped,
		Warnings: append([]string{}, report.Warnings...), Record: report.Recipe,
	})
}

// denoiseHelp lists the filters from their own descriptions.
func denoiseHelp() string {
	var b strings.Builder
	b.WriteString("Filter the noise of a series and write the result as a new series, with a record\n" +
		"of the recipe beside it (OUT.recipe.json). Filters:\n\n")
	for _, f := range denoise.Filters() {
		forms := make([]string, len(f.Dims))
		for i, d := range f.Dims {
			forms[i] = strconv.Itoa(d) + "-D"
		}
		fmt.Fprintf(&b, "  %-10s %s (%s)\n             %s\n", f.Name, f.Help, strings.Join(forms, ", "), f.Source)
	}
	return strings.TrimRight(b.String(), "\n")
}

// span is what --slices holds: half open, an end left out is -1.
type span struct{ from, to int }

func parseSlices(s string) (span, error) {
	all := span{-1, -1}
	if s == "" {
		return all, nil
	}
	a, b, ok := strings.Cut(s, ":")
	if !ok {
		return all, app.Usagef("--slices %s: give A:B, such as 10:20 for the slices 10 to 19", s)
	}
	out := all
	for _, end := range []struct {
		text string
		to   *int
	}{{a, &out.from}, {b, &out.to}} {
		if end.text == "" {
			continue
		}
		n, err := strconv.Atoi(end.text)
		if err != nil || n < 0 {
			return all, app.Usagef("--slices %s: %q is not a slice number", s, end.text)
		}
		*end.to = n
	}
	return out, nil
}

// region returns the slices of a geometry that the span asks for.
func (s span) region(g volume.Geometry) (volume.Region, error) {
	if s.from < 0 {
		s.from = 0
	}
	if s.to < 0 {
		s.to = g.Dims[2]
	}
	if s.from >= s.to || s.to > g.Dims[2] {
		return volume.Region{}, app.Usagef("--slices %d:%d: the series has the slices 0:%d", s.from, s.to, g.Dims[2])
	}
	return volume.Slices(g, s.from, s.to), nil
}
