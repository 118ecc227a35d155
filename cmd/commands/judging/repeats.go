package judging

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/open"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/noise"
	"quell/internal/message"
)

// estimateRepeats measures the noise of two repeats; --series and its like choose of the first.
func estimateRepeats(ctx context.Context, pick option.Choice, paths []string, events job.Events) (r noise.Repeat, unit string, err error) {
	first, err := open.Open(ctx, pick.Input(paths[0]), events)
	if err != nil {
		return r, "", err
	}
	defer first.Close()
	second, err := open.Open(ctx, job.Input{Path: paths[1], Modality: pick.Modality}, events)
	if err != nil {
		return r, "", err
	}
	defer second.Close()
	if err = open.SameGrid(first.Volume.Geometry, second.Volume.Geometry); err == nil {
		r, err = noise.Repeated(ctx, first.Volume, second.Volume)
	}
	if err != nil && ctx.Err() == nil {
		err = &job.InputError{Path: paths[1], Problem: message.Text("it is no repeat acquisition of %s: %s", message.Figure(paths[0]), message.Of(err)), Advice: message.Text("give two series of one protocol on one grid")}
	}
	return r, first.Volume.Unit, err
}

// repeatText describes the noise that repeats show, in two lines.
func repeatText(r noise.Repeat, unit string) string {
	return fmt.Sprintf("sigma %s\nnoise from the difference of repeat acquisitions, correlated: %.2f from column to column, %.2f from row to row, %.2f from slice to slice", figureText(r.Figure, unit, message.Message{}), r.Next[0], r.Next[1], r.Next[2])
}

// printRepeat prints the noise of two repeats.
func printRepeat(cmd *cobra.Command, r noise.Repeat, unit string) error {
	return command.Print(cmd, repeatJSON(r, unit), func(w io.Writer) {
		fmt.Fprintln(w, repeatText(r, unit))
		for z, f := range r.PerSlice {
			fmt.Fprintf(w, "slice %d  %s\n", z+1, figureText(f, unit, r.Why))
		}
	})
}

// printRepeats prints what the volumes of a 4-D series show; nothing if none repeat each other.
func printRepeats(w io.Writer, r *noise.Repeats, unit string) error {
	if r == nil {
		return nil
	}
	apart := "volumes that follow each other"
	if r.Apart > 1 {
		apart = fmt.Sprintf("volumes %d apart, as neighbours alternate", r.Apart)
	}
	_, err := fmt.Fprintf(w, "repeat acquisitions: %s of %s\n%s\n", message.Count(r.Pairs, "pair", "pairs"), apart, repeatText(r.Repeat, unit))
	return err
}

// repeatFigures is what repeats show, as JSON.
type repeatFigures struct {
	noise.Repeat
	Method string       `json:"method"`
	Code   message.Kind `json:"code,omitempty"` // of what limits the confidence
	Sigmas []float64    `json:"per_slice"`
	Unit   string       `json:"unit,omitempty"`
	Pairs  int          `json:"pairs,omitempty"` // of a 4-D series
	Apart  int          `json:"apart,omitempty"`
}

func repeatJSON(r noise.Repeat, unit string) repeatFigures {
	out := repeatFigures{Repeat: r, Method: "repeats", Code: r.Why.Kind(), Unit: unit, Sigmas: make([]float64, len(r.PerSlice))}
	for z, f := range r.PerSlice {
		out.Sigmas[z] = f.Sigma
	}
	return out
}

// repeatsJSON is repeatJSON of a 4-D series; nil if none of its volumes repeat each other.
func repeatsJSON(r *noise.Repeats, unit string) any {
	if r == nil {
		return nil
	}
	out := repeatJSON(r.Repeat, unit)
	out.Pairs, out.Apart = r.Pairs, r.Apart
	return out
}
