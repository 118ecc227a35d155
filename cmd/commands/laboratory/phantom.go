package laboratory

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/phantom"
)

// Phantom is quell phantom.
func Phantom() command.Command {
	var j app.PhantomJob
	scan := phantom.Scan{Recon: phantom.Recon{Relaxation: 0.3}}
	var size, spacing []float64
	var regularise string
	c := command.Command{
		Name:  "phantom OUT",
		Short: "Make a test volume whose truth is known",
		Long: `Make a test volume whose truth is known:

  ct     a head-sized cylinder with discs of 3 to 10 HU and 2 to 15 mm, rods and
         bars. With --views, --snr, --photons or --recon it is projected along
         parallel beams, noise is added to the projections, and it is
         reconstructed: the noise is correlated, and few views give streaks.
  abdomen
         fat, muscle, spine, liver, kidneys and loops of bowel with contrast in
         their walls, scanned likewise
  mr     a head of T1 contrast, 0 to 230; --snr adds Rician noise
  steps  plates of rising value with discs; --snr adds Gaussian noise

--truth writes the same image without noise, --ideal the exact phantom. The same
seed gives the same values on every machine.`,
		Example: `  quell phantom ct.nii.gz --views 360 --snr 25 --truth truth.nii.gz
  quell phantom mr.nii.gz --kind mr --snr 30 --dims 128,128,40 --spacing 1.5,1.5,3
  quell phantom few.nii.gz --views 30 --snr 25 --recon sart --iterations 20 --regularise nlm.json
  quell phantom repeat.nii.gz --kind steps --snr 10 --repeats 8`,
		Outputs: func(args []string) []command.Output {
			return []command.Output{{Name: "OUT", Path: &args[0], Kind: files.SeriesOutput, Several: j.Repeats > 1}}
		},
		Pipes: true,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		j.Kind, scan.Recon.Method, scan.Recon.Kernel = "ct", "fbp", "soft"
		option.AddName(cmd, &j.Kind, "kind", "phantom", phantom.Kinds(), "the phantom by `name`: "+strings.Join(phantom.Kinds(), ", "))
		option.AddOutput(flags, &j.Truth, "truth", files.SeriesOutput, "also write the image without noise to `OUT2`")
		option.AddOutput(flags, &j.Ideal, "ideal", files.SeriesOutput, "also write the exact phantom to `OUT3`")
		flags.IntVar(&scan.Views, "views", 720, "ct: `N` projections over 180 degrees")
		flags.Float64Var(&j.SNR, "snr", 0, "mean over standard deviation of the noise, the ratio `X`: of the projections (ct), of the object (mr, steps); 0 adds no noise")
		flags.Float64Var(&scan.Photons, "photons", 0, "ct: `N` photons per detector element, in place of --snr")
		option.AddName(cmd, &scan.Recon.Method, "recon", "reconstruction", phantom.Reconstructions(), "ct: the reconstruction by `name`, "+strings.Join(phantom.Reconstructions(), " or "))
		option.AddName(cmd, &scan.Recon.Kernel, "kernel", "kernel", []string{"sharp", "soft"}, "ct: the kernel of fbp by `name`, sharp or soft")
		flags.IntVar(&scan.Recon.Iterations, "iterations", 5, "ct: `N` passes of sart over all views")
		option.AddInput(flags, &regularise, "regularise", "ct: filter each slice after every pass of sart by the recipe in this `file`, of two dimensions")
		flags.IntVar(&j.Repeats, "repeats", 1, "`N` images with different noise: seeds S, S+1, ...; -1, -2, ... is added to OUT")
		flags.Uint64Var(&j.Seed, "seed", 1, "seed `N` of the noise")
		flags.Var((*numbersFlag)(&size), "dims", "size of the matrix: `NX,NY,NZ` voxels along x, y and z (not 2-D or 3-D, as in other commands)")
		flags.Var((*numbersFlag)(&spacing), "spacing", "`DX,DY,DZ` mm between voxels along x, y and z")
		option.AddOutputFlags(cmd, &j.Options)
		command.AddFormat(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		scanned, scans := false, j.Kind == "ct" || j.Kind == "abdomen"
		for _, name := range []string{"views", "photons", "recon", "kernel", "iterations", "regularise"} {
			if flags.Changed(name) && !scans {
				return job.Usagef("--%s is for the phantoms ct and abdomen; %s is not scanned", name, j.Kind)
			}
			scanned = scanned || flags.Changed(name)
		}
		for name, ignoredBy := range map[string]string{"kernel": "sart", "iterations": "fbp", "regularise": "fbp"} {
			if flags.Changed(name) && scan.Recon.Method == ignoredBy {
				return job.Usagef("--%s is not used by the reconstruction %s", name, ignoredBy)
			}
		}
		if scans && (scanned || flags.Changed("snr")) {
			scan.SNR, j.SNR = j.SNR, 0
			j.Scan = &scan
		}
		if j.Repeats < 1 || j.Repeats > 10000 {
			return job.Usagef("%d repeats: give 1 to 10000", j.Repeats)
		}
		if !(j.SNR >= 0) {
			return job.Usagef("an SNR of %g: it must be above 0, or 0 for no noise", j.SNR)
		}
		var err error
		if regularise != "" {
			r, err := files.LoadRecipe(regularise)
			if err != nil {
				return err
			}
			j.Regularise = &r
		}
		if j.Size, err = phantomSize(size, spacing); err != nil {
			return err
		}
		j.Output = args[0]
		events, done := command.EventsOf(cmd)
		defer done()
		written, err := app.MakePhantom(cmd.Context(), j, events)
		done()
		if len(written) == 0 {
			err = command.NothingWritten(err)
		} else {
			err = command.Leaving(err, "what is complete stays: "+strings.Join(written, ", "))
		}
		if len(written) == 0 && !command.JSON(cmd) {
			return err
		}
		return cmp.Or(err, command.Tell(cmd, map[string]any{"kind": j.Kind, "outputs": append([]string{}, written...)}, "%s", "written to "+strings.Join(written, "\nwritten to ")))
	}
	return c
}

// phantomSize reads --dims and --spacing.
func phantomSize(dims, spacing []float64) (size phantom.Size, err error) {
	if (dims != nil && len(dims) != 3) || (spacing != nil && len(spacing) != 3) {
		return size, job.Usagef("--dims and --spacing take three numbers: x,y,z")
	}
	for c, n := range dims {
		if n != float64(int(n)) || n < 1 {
			return size, job.Usagef("--dims: %g is not a number of voxels", n)
		}
		size.Dims[c] = int(n)
	}
	copy(size.Spacing[:], spacing)
	return size, nil
}

// numbersFlag is a flag of several numbers with commas between them.
type numbersFlag []float64

func (f *numbersFlag) String() string {
	words := make([]string, len(*f))
	for i, x := range *f {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

func (f *numbersFlag) Type() string { return "numbers" }

func (f *numbersFlag) Set(s string) error {
	*f = nil
	for word := range strings.SplitSeq(s, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return errors.New("give three numbers with commas between them: x,y,z")
		}
		*f = append(*f, x)
	}
	return nil
}
