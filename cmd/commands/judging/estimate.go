package judging

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/app/run"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Estimate is quell estimate.
func Estimate() command.Command {
	mapped, alone := new(string), new(bool)
	var options job.Options
	var pick option.Choice
	c := command.Command{
		Name:  "estimate IN [REPEAT]",
		Short: "Estimate the noise of a series and of each of its slices, or measure it from two repeat acquisitions",
		Long: `Estimate the standard deviation of the noise, of the whole series and of each
slice, with a confidence for each figure:

  high  the interval lies within 10 % of the best value
  fair  within 20 %
  low   it is wider: automatic values follow its low end, which removes less
  none  there is no figure

CT is measured in homogeneous soft tissue, with the correlation of its noise; everything else by
two kinds of evidence: differences of neighbours, for Gaussian or Rician noise, and what a
fit leaves in homogeneous windows, whatever its colour. What the header says
of filters before is printed: the noise is what they left. If the noise is known, the
filter that is expected to gain most with its automatic values is named, and what the others
would gain: decibels of squared error, measured on a sample of the foreground. --map writes
the noise of every voxel. Slices are counted from 1. Of a 4-D series each volume is
estimated by itself; if some of its volumes repeat each other, what their differences
show stands below.

With REPEAT, a second series of the same object on the same grid, the noise is measured
from the difference of the two, without any assumption about it. The gain and the mean
are made equal, and a slow drift is removed; it is said if something moved.

With --noise-only, IN holds noise alone, in one volume or more: an MR without excitation
(BIDS noRF), on the grid of its series. --map OUT is then for quell denoise --noise-map.`,
		Example: `  quell estimate ct/
  quell estimate first.nii.gz second.nii.gz
  quell estimate brain.nii.gz --map sigma.nii.gz --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return command.Exactly(1, "IN, or IN and REPEAT")(cmd, args)
		},
		Inputs: command.Every,
		Pipes:  true,
		Module: &command.Module{Title: "Quell noise map", Help: "Estimate the standard deviation of the noise of every voxel.", Output: "Noise map", About: "Sigma for every voxel."},
	}
	c.Flags = func(cmd *cobra.Command) {
		option.AddOutput(cmd.Flags(), mapped, "map", files.SeriesOutput, "write the noise map, sigma for every voxel, to `OUT`")
		cmd.Flags().BoolVar(alone, "noise-only", false, "IN holds noise alone, acquired without excitation (BIDS noRF)")
		option.AddOutputFlags(cmd, &options)
		pick.AddTo(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		events, done := command.EventsOf(cmd)
		defer done()
		if len(args) == 2 {
			if *mapped != "" {
				return job.Usagef("--map is for one series; leave %s out", args[1])
			}
			r, unit, err := estimateRepeats(cmd.Context(), pick, args, events)
			if err != nil {
				return err
			}
			done()
			return printRepeat(cmd, r, unit)
		}
		in, err := open.Select(cmd.Context(), pick.Input(args[0]), events)
		if err != nil {
			return err
		}
		defer in.Close()
		if *alone {
			e, err := estimateAlone(cmd.Context(), in, *mapped, options, events)
			if err != nil {
				return err
			}
			done()
			return printEstimates(cmd.OutOrStdout(), []VolumeEstimate{e}, nil, open.Selection{Covered: in.Covered}, command.JSON(cmd))
		}
		if *mapped != "" && in.Group != nil {
			return job.Usagef("%s is a 4-D series of %d volumes and a noise map of one; choose it with --series N", args[0], in.Group.Len())
		}
		var all []VolumeEstimate
		for k := range in.Entries {
			s, err := in.Load(cmd.Context(), k)
			if err != nil {
				return err
			}
			one := VolumeEstimate{Name: in.Name(k), unit: s.Volume.Unit, filtered: s.Filtered, kernel: s.Kernel}
			if *mapped != "" {
				_, one.Estimate, err = output.WriteNoiseMap(cmd.Context(), s, func() (*volume.Volume, noise.Estimate, error) { return run.MapNoise(cmd.Context(), s) }, *mapped, options, events)
				err = command.NothingWritten(err)
			} else {
				one.Estimate, err = noise.Of(cmd.Context(), s.Volume)
			}
			if err != nil {
				return err
			}
			if in.Group == nil {
				if one.proposal, err = proposalOf(cmd.Context(), s, one.Estimate); err != nil {
					return err
				}
			}
			all = append(all, one)
		}
		repeats, err := run.FindAlike(cmd.Context(), in.Group, in.Load)
		if err != nil {
			return err
		}
		done()
		for k := range all {
			all[k].Estimate = all[k].Estimate.OverTime(repeats)
		}
		return printEstimates(cmd.OutOrStdout(), all, repeats, in.Selection, command.JSON(cmd))
	}
	return c
}

// estimateAlone returns the noise of volumes that hold nothing else, and writes its map if mapped is not empty.
func estimateAlone(ctx context.Context, in *open.Selected, mapped string, o job.Options, events job.Events) (one VolumeEstimate, err error) {
	sigma, e, s, err := run.Alone(ctx, in)
	if err != nil {
		return one, err
	}
	if one.Estimate, one.unit = e, s.Volume.Unit; mapped != "" {
		_, _, err = output.WriteNoiseMap(ctx, s, func() (*volume.Volume, noise.Estimate, error) { return sigma, e, nil }, mapped, o, events)
	}
	return one, command.NothingWritten(err)
}

// proposalOf returns the filter that removes most noise of a series within the bounds. It is found on the CPU: the
// same on every machine.
func proposalOf(ctx context.Context, s *series.Series, e noise.Estimate) (run.Proposal, error) {
	cpu, err := engines.Pick("cpu")
	if err != nil {
		return run.Proposal{}, err
	}
	return run.ProposeFilter(ctx, cpu, run.ProposalRequest{Series: s, Noise: &e, IfVaries: true})
}

// VolumeEstimate is the noise of one volume; Name is its place in a 4-D series.
type VolumeEstimate struct {
	noise.Estimate
	Name     string
	unit     string
	proposal run.Proposal
	filtered string // what filtered the series before, as its header says
	kernel   string // of the reconstruction
}

// printEstimates prints the noise of a series, or of each volume of a 4-D series and what volumes that
// repeat each other show, nil if none do.
func printEstimates(w io.Writer, all []VolumeEstimate, repeats *noise.Repeats, of open.Selection, asJSON bool) error {
	switch {
	case of.Group == nil && asJSON:
		return command.PrintJSON(w, all[0].JSON())
	case of.Group == nil:
		return all[0].print(w)
	case asJSON:
		type named struct {
			Name string `json:"name"`
			Of   any    `json:"estimate"`
		}
		var volumes []named
		for _, v := range all {
			volumes = append(volumes, named{v.Name, v.JSON()})
		}
		return command.PrintJSON(w, struct {
			Axis    string        `json:"axis"`
			Volumes []named       `json:"volumes"`
			Repeats any           `json:"repeats,omitempty"`
			Covered open.Coverage `json:"covered"`
		}{of.Group.Axis(), volumes, repeatsJSON(repeats, all[0].unit), of.Covered})
	}
	for i, v := range all {
		var err error
		if same := all[0]; i > 0 && v.Sigma == same.Sigma && v.Low == same.Low && v.High == same.High {
			_, err = fmt.Fprintf(w, "%s  %s\n", v.Name, figureText(v.Figure, v.unit, same.Why)) // one figure, printed whole once
		} else if _, err = fmt.Fprintln(w, v.Name); err == nil {
			err = v.print(w)
		}
		if err != nil {
			return err
		}
	}
	return printRepeats(w, repeats, all[0].unit)
}

// JSON is the estimate with the sigmas of the slices as a plain list.
func (v VolumeEstimate) JSON() any {
	e := v.Estimate
	var proposal *run.Proposal
	if v.proposal.Filter != "" {
		proposal = &v.proposal
	}
	perSlice := make([]float64, len(e.PerSlice))
	for z, f := range e.PerSlice {
		perSlice[z] = f.Sigma
	}
	return struct {
		noise.Estimate
		Unknown  message.Message `json:"unknown,omitzero"` // a sentence, if the noise is unknown
		Code     message.Kind    `json:"code,omitempty"`   // of that, or of what limits the confidence
		Sigmas   []float64       `json:"per_slice"`
		Unit     string          `json:"unit,omitempty"`
		Filtered string          `json:"filtered,omitempty"`
		Kernel   string          `json:"kernel,omitempty"`
		// Proposal is the filter that removes most noise within the bounds; nil if there is none.
		Proposal *run.Proposal `json:"proposal,omitempty"`
	}{e, e.Sentence(), cmp.Or(e.Sentence().Kind(), e.Why.Kind()), perSlice, v.unit, v.filtered, v.kernel, proposal}
}

func (v VolumeEstimate) print(w io.Writer) error {
	e, unit := v.Estimate, v.unit
	kind := string(e.Model)
	if !e.ModelKnown {
		kind += " (assumed: no background shows it)"
	}
	if e.Correlation != nil {
		kind += fmt.Sprintf(", correlated: %.2f from pixel to pixel, %.2f from slice to slice", e.Correlation.Rho(1, 0, 0), e.Correlation.Rho(0, 0, 1))
	}
	if e.Acquired != nil {
		kind += ", " + e.Acquired.String()
	}
	if e.Shared > 0 {
		kind += fmt.Sprintf(", without the %.0f %% of the variance in homogeneous tissue that slices share as structure", 100*e.Shared)
	}
	sigma := figureText(e.Figure, unit, message.Message{})
	if e.Confidence == noise.None {
		sigma = "unknown. " + e.Sentence().String()
	}
	if _, err := fmt.Fprintf(w, "sigma %s\nnoise %s\n", sigma, kind+v.before()); err != nil {
		return err
	}
	for _, x := range e.Evidence {
		to := fmt.Sprintf("to %.3g", x.High)
		if x.High == 0 {
			to = "or more"
		}
		if _, err := fmt.Fprintf(w, "evidence %s: %.4g (%.3g %s)\n", x.Kind, x.Sigma, x.Low, to); err != nil {
			return err
		}
	}
	if text := e.Advice(); !text.IsZero() && !e.Negligible {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	if text := v.proposal.String(); text != "" {
		if _, err := fmt.Fprintf(w, "filter %s\n", text); err != nil {
			return err
		}
	}
	for z, f := range e.PerSlice {
		if _, err := fmt.Fprintf(w, "slice %d  %s\n", z+1, figureText(f, unit, e.Why)); err != nil {
			return err
		}
	}
	return nil
}

// before names what filtered the series before and the kernel of its reconstruction, a line each.
func (v VolumeEstimate) before() (text string) {
	if v.filtered != "" {
		text = "\nfiltered already: " + v.filtered
	}
	if v.kernel != "" {
		text += "\nkernel " + v.kernel
	}
	return text
}

// figureText is a figure with its unit, its confidence, and the reason if that is not the one that was said.
func figureText(f noise.Figure, unit string, said message.Message) string {
	if unit != "" {
		unit = " " + unit
	}
	if f.Confidence == noise.None {
		return "unknown: " + f.Why.String()
	}
	text := fmt.Sprintf("%.4g%s", f.Sigma, unit)
	if f.High > f.Low {
		text += fmt.Sprintf(" (%.3g to %.3g)", f.Low, f.High)
	}
	text += fmt.Sprintf("  %s confidence", f.Confidence)
	if !f.Why.IsZero() && f.Why.String() != said.String() {
		text += ": " + f.Why.String()
	}
	return text
}
