package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// PickEngine returns the engine of that name; a line says if it takes long to start.
func PickEngine(cmd *cobra.Command, name string) (denoise.Engine, error) {
	return engines.Await(func() (denoise.Engine, error) { return engines.Pick(name) }, func(text message.Message) { Note(cmd, "%s", text) })
}

// Do does a job and writes its events to stderr.
func Do(cmd *cobra.Command, job job.Job) (executor.Outcome, error) {
	events, done := EventsOf(cmd)
	defer done()
	return DoWith(cmd, job, events)
}

// DoWith does a job and keeps what it left out for the end of the command.
func DoWith(cmd *cobra.Command, job job.Job, events job.Events) (executor.Outcome, error) {
	report, err := app.Do(cmd.Context(), job, events)
	cmd.SetContext(context.WithValue(cmd.Context(), leftOutKey{}, report.LeftOut))
	return report, NothingWritten(err)
}

// leftOutKey is the key of what the job of a command left out.
type leftOutKey struct{}

// leftOut returns the error that ends a command whose job is done and left something out.
func leftOut(cmd *cobra.Command) error {
	left, _ := cmd.Context().Value(leftOutKey{}).([]series.LeftOut)
	return job.Partial(left)
}

// PrintWritten prints what was done and the path of the result; the first line says if a
// part of the input was left out. JSON has the codes of warnings too.
func PrintWritten(cmd *cobra.Command, report executor.Outcome, what string) error {
	codes := make([]message.Kind, len(report.Warnings))
	for i, m := range report.Warnings {
		codes[i] = m.Kind()
	}
	if report.Slabs != nil {
		what = report.Slabs.Text + "\n" + what
	}
	if report.Covered.Text != "" {
		what = report.Covered.Text + "\n" + what
	}
	if report.Outcome == run.AsItIs {
		what += "; unchanged"
	}
	return Tell(cmd, struct {
		executor.Outcome
		Codes []message.Kind `json:"warning_codes,omitempty"` // in their order; "" for none
	}{report, codes}, "%s; written to %s", what, report.Output)
}

// VolumesText says how many voxels a result has: "64 x 64 x 15 voxels", or of a 4-D series
// "10 volumes of 64 x 64 x 15 voxels along temporal position".
func VolumesText(report executor.Outcome) string {
	if report.Volumes == nil {
		return open.DimsText(report.Dims) + " voxels"
	}
	return fmt.Sprintf("%d volumes of %s voxels along %s", len(report.Volumes), open.DimsText(report.Dims), report.Axis)
}

// OpenInput reads a series and writes what a person should know of it to stderr.
func OpenInput(cmd *cobra.Command, in job.Input) (*open.Opened, error) {
	events, done := EventsOf(cmd)
	defer done()
	return open.Open(cmd.Context(), in, events)
}

// InOrderOf returns a volume of a path in the order of the reference's voxels, and refuses one that has not its dims.
func InOrderOf(cmd *cobra.Command, path string, v, ref *volume.Volume) (*volume.Volume, error) {
	if ordered, ok := v.InOrderOf(ref.Geometry, open.GridTolerance); ok {
		return ordered, nil
	}
	if v.Dims != ref.Dims {
		return nil, &job.InputError{
			Path:    path,
			Problem: message.New(message.GridDiffers, "is %s voxels, the reference %s", open.DimsText(v.Dims), open.DimsText(ref.Dims)),
			Advice:  message.Text("compare series of the same dims"),
		}
	}
	if err := open.SameGrid(ref.Geometry, v.Geometry); err != nil {
		Warn(cmd, "warning: %s: %v", path, err)
	}
	return v, nil
}

// OpenSame reads a volume that must have the reference's dims, in the order of its voxels if both lie on one grid.
// Different positions are only a warning: many programs do not write them.
func OpenSame(cmd *cobra.Command, path string, ref *volume.Volume) (*volume.Volume, error) {
	in, err := OpenInput(cmd, job.Input{Path: path})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return InOrderOf(cmd, path, in.Volume, ref)
}
