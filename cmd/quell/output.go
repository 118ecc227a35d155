package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/clean"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/raster"
	"quell/series"
)

// addOutputFlags adds the flags that all commands with an output have.
func addOutputFlags(cmd *cobra.Command, o *job.Options) {
	flags := cmd.Flags()
	addNameFlag(cmd, &o.Dtype, "dtype", "data type", raster.Datatypes(), "voxel `type` of NIfTI, Analyze, NRRD and MetaImage output: "+strings.Join(raster.Datatypes(), ", ")+"; float32 if not given")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "replace OUT although Quell did not write it; earlier outputs of Quell are replaced in any case")
}

// addAttachFlag adds the flag for the DICOM objects about a result.
func addAttachFlag(cmd *cobra.Command, attach *[]string) {
	cmd.Flags().StringSliceVar(attach, "attach", nil, "attach to a result that is DICOM, as series of its study, `what`: "+strings.Join(job.Attachments(), ",")+": parametric maps of what was removed and of the noise (sigma), and a structured report of noise, verdict and contrast kept, for which the result is judged")
}

// addUnevenFlag adds the flag for slices that are unevenly spaced or missing.
func addUnevenFlag(cmd *cobra.Command, uneven *string, words string) {
	f := addNameFlag(cmd, uneven, "uneven", "", []string{job.UnevenSplit, job.UnevenResample, job.UnevenResample + "=MM"}, words+"where slices are unevenly spaced or missing: `resample` interpolates them at the usual distance, resample=MM at that one; they then have positions of their own, which the JSON and the record state")
	f.rest = "=" // resample=MM
}

// compressFlag is --compress: alone it means the default, as --compress=NAME
// another compression. true and false are accepted too, as for a switch.
type compressFlag struct{ dicom.Compression }

func (f *compressFlag) addTo(cmd *cobra.Command) {
	flag := cmd.Flags().VarPF(f, "compress", "", fmt.Sprintf("lossless compression of DICOM output, by `name`: %s, %s or %s",
		dicom.JPEGLossless, dicom.RLE, dicom.Uncompressed))
	flag.NoOptDefVal = string(job.DefaultCompression)
}

func (f *compressFlag) String() string { return string(f.Compression) }

func (f *compressFlag) Type() string { return "name" }

func (f *compressFlag) Set(s string) error {
	switch s {
	case "true":
		s = string(job.DefaultCompression)
	case "false":
		s = string(dicom.Uncompressed)
	}
	var names []string
	for _, c := range dicom.Compressions() {
		names = append(names, string(c))
	}
	named := nameFlag{value: (*string)(&f.Compression), kind: "compression", names: names}
	return named.Set(s)
}

// printJSON writes the one object of --json.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printReport is printJSON of a job, with the codes of its warnings.
func printReport(w io.Writer, report executor.Outcome) error {
	codes := make([]message.Kind, len(report.Warnings))
	for i, m := range report.Warnings {
		codes[i] = m.Kind()
	}
	return printJSON(w, struct {
		executor.Outcome
		Codes []message.Kind `json:"warning_codes,omitempty"` // in their order; "" for none
	}{report, codes})
}

// pickEngine returns the engine of that name; a line says if it takes long to start.
func pickEngine(cmd *cobra.Command, name string) (denoise.Engine, error) {
	return engines.Await(func() (denoise.Engine, error) { return engines.Pick(name) }, func(text message.Message) { warn(cmd, "%s", text) })
}

// warn writes a line to stderr, which scripts read by lines.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintln(cmd.ErrOrStderr(), "quell: "+clean.Line(fmt.Sprintf(format, args...)))
}

// do does a job and writes its events to stderr.
func do(cmd *cobra.Command, job job.Job) (executor.Outcome, error) {
	events, done := eventsOf(cmd)
	defer done()
	return doWith(cmd, job, events)
}

// doWith does a job and keeps what it left out for the end of the command.
func doWith(cmd *cobra.Command, job job.Job, events job.Events) (executor.Outcome, error) {
	report, err := app.Do(cmd.Context(), job, events)
	cmd.SetContext(context.WithValue(cmd.Context(), leftOutKey{}, report.LeftOut))
	return report, nothingWritten(err)
}

// leftOutKey is the key of what the job of a command left out.
type leftOutKey struct{}

// leftOut returns the error that ends a command whose job is done and left something out.
func leftOut(cmd *cobra.Command) error {
	left, _ := cmd.Context().Value(leftOutKey{}).([]series.LeftOut)
	return job.Partial(left)
}

// printWritten prints what was done and the path of the result; the first line says if a
// part of the input was left out.
func printWritten(cmd *cobra.Command, report executor.Outcome, what string) error {
	if report.Slabs != nil {
		what = report.Slabs.Text + "\n" + what
	}
	if report.Covered.Text != "" {
		what = report.Covered.Text + "\n" + what
	}
	if report.Outcome == run.AsItIs {
		what += "; unchanged"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s; written to %s\n", what, report.Output)
	return err
}

// volumesText says how many voxels a result has: "64 x 64 x 15 voxels", or of a 4-D series
// "10 volumes of 64 x 64 x 15 voxels along temporal position".
func volumesText(report executor.Outcome) string {
	if report.Volumes == nil {
		return open.DimsText(report.Dims) + " voxels"
	}
	return fmt.Sprintf("%d volumes of %s voxels along %s", len(report.Volumes), open.DimsText(report.Dims), report.Axis)
}
