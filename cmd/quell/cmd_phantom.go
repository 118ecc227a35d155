package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/phantom"
)

func newPhantom() *cobra.Command {
	var job app.PhantomJob
	scan := phantom.Scan{Recon: phantom.Recon{Relaxation: 0.3}}
	var size, spacing []float64
	cmd := &cobra.Command{
		Use:   "phantom OUT",
		Short: "Make a test volume whose truth is known",
		Long: `Make a test volume whose truth is known:

  ct     a head-sized cylinder with discs of 3 to 10 HU and 2 to 15 mm, rods and
         bars. With --views, --snr, --photons or --recon it is projected along
         parallel beams, noise is added to the projections, and it is
         reconstructed: the noise is correlated, and few views give streaks.
  mr     a head of T1 contrast, 0 to 230; --snr adds Rician noise
  steps  plates of rising value with discs; --snr adds Gaussian noise

--truth writes the same image without noise, --ideal the exact phantom. The same
seed gives the same values on every machine.`,
		Args: exactly(1, "one OUT"),
	}
	flags := cmd.Flags()
	flags.StringVar(&job.Kind, "kind", "ct", "the phantom: "+strings.Join(phantom.Kinds(), ", "))
	flags.StringVar(&job.Truth, "truth", "", "also write the image without noise to `OUT2`")
	flags.StringVar(&job.Ideal, "ideal", "", "also write the exact phantom to `OUT3`")
	flags.IntVar(&scan.Views, "views", 720, "ct: projections over 180 degrees")
	flags.Float64Var(&job.SNR, "snr", 0, "mean over standard deviation of the noise: of the projections (ct), of the object (mr, steps); 0 adds no noise")
	flags.Float64Var(&scan.Photons, "photons", 0, "ct: photons per detector element, in place of --snr")
	flags.StringVar(&scan.Recon.Method, "recon", "fbp", "ct: the reconstruction, "+strings.Join(phantom.Reconstructions(), " or "))
	flags.StringVar(&scan.Recon.Kernel, "kernel", "soft", "ct: the kernel of fbp, sharp or soft")
	flags.IntVar(&scan.Recon.Iterations, "iterations", 5, "ct: passes of sart over all views")
	flags.IntVar(&job.Repeats, "repeats", 1, "images with different noise: seeds S, S+1, ...; -1, -2, ... is added to OUT")
	flags.Uint64Var(&job.Seed, "seed", 1, "seed of the noise")
	flags.Float64SliceVar(&size, "dims", nil, "voxels along x, y and z")
	flags.Float64SliceVar(&spacing, "spacing", nil, "mm between voxels along x, y and z")
	addOutputFlags(cmd, &job.Options)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		scanned := false
		for _, name := range []string{"views", "photons", "recon", "kernel", "iterations"} {
			if flags.Changed(name) && job.Kind != "ct" {
				return app.Usagef("--%s is for the ct phantom; %s is not scanned", name, job.Kind)
			}
			scanned = scanned || flags.Changed(name)
		}
		for name, ignoredBy := range map[string]string{"kernel": "sart", "iterations": "fbp"} {
			if flags.Changed(name) && scan.Recon.Method == ignoredBy {
				return app.Usagef("--%s is not used by the reconstruction %s", name, ignoredBy)
			}
		}
		if job.Kind == "ct" && (scanned || flags.Changed("snr")) {
			scan.SNR, job.SNR = job.SNR, 0
			job.Scan = &scan
		}
		if job.Repeats < 1 || job.Repeats > 10000 {
			return app.Usagef("%d repeats: give 1 to 10000", job.Repeats)
		}
		if !(job.SNR >= 0) {
			return app.Usagef("an SNR of %g: it must be above 0, or 0 for no noise", job.SNR)
		}
		var err error
		if job.Size, err = phantomSize(size, spacing); err != nil {
			return err
		}
		job.Output = args[0]
		events, done := eventsOf(cmd)
		defer done()
		written, err := app.MakePhantom(cmd.Context(), job, events)
		done()
		for _, out := range written {
			fmt.Fprintf(cmd.OutOrStdout(), "written to %s\n", out)
		}
		return err
	}
	return cmd
}

// phantomSize reads --dims and --spacing.
func phantomSize(dims, spacing []float64) (size phantom.Size, err error) {
	if (dims != nil && len(dims) != 3) || (spacing != nil && len(spacing) != 3) {
		return size, app.Usagef("--dims and --spacing take three numbers: x,y,z")
	}
	for c, n := range dims {
		if n != float64(int(n)) || n < 1 {
			return size, app.Usagef("--dims: %g is not a number of voxels", n)
		}
		size.Dims[c] = int(n)
	}
	copy(size.Spacing[:], spacing)
	return size, nil
}
