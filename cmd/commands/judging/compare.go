package judging

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/measure"
	"quell/volume"
)

// Compare is quell compare.
func Compare() command.Command {
	peak, mask := new(float64), new(string)
	c := command.Command{
		Name:  "compare REFERENCE TEST",
		Short: "Measure how a series differs from a reference",
		Long: `Measure how TEST differs from REFERENCE: mean squared error, peak signal-to-noise
ratio 10 log10(MAX^2 / MSE), structural similarity slice by slice and in three
dimensions, and the largest difference. The values in the files are compared as
they are, at the same places if both lie on one grid. MAX is the reference's range unless --max gives it.

Against a noise-free reference these measure quality. Against a filter's input
they only measure how much was changed.`,
		Example: `  quell compare truth.nii.gz denoised.nii.gz --max 255
  quell compare truth.nii.gz denoised.nii.gz --mask brain.nii.gz --json`,
		Inputs: command.Every,
		Pipes:  true,
	}
	c.Flags = func(cmd *cobra.Command) {
		cmd.Flags().Float64Var(peak, "max", 0, "`MAX` of psnr and ssim; the reference's range if not given")
		option.AddPipe(cmd.Flags(), mask, "mask", "count only voxels that are not 0 in this `file`")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("max") && !(*peak > 0 && !math.IsInf(*peak, 0)) {
			return job.Usagef("--max %g: give a positive number", *peak)
		}
		ref, err := command.OpenInput(cmd, job.Input{Path: args[0]})
		if err != nil {
			return err
		}
		defer ref.Close()
		test, err := command.OpenSame(cmd, args[1], ref.Volume)
		if err != nil {
			return err
		}
		options := measure.Options{Max: *peak, SSIM3D: true}
		if *mask != "" {
			if options.Mask, err = openMask(cmd, *mask, ref.Volume); err != nil {
				return err
			}
		}
		c, err := measure.Compare(cmd.Context(), ref.Volume, test, options)
		if err != nil {
			return err
		}
		return command.Print(cmd, c, func(tw io.Writer) {
			for _, row := range []struct {
				name  string
				value fmt.Stringer
			}{
				{"mse", c.MSE}, {"psnr", psnr(c.PSNR)}, {"ssim", c.SSIM}, {"ssim_3d", c.SSIM3D},
				{"max_abs_diff", c.MaxAbsDiff}, {"max", c.Max},
			} {
				fmt.Fprintf(tw, "%s\t%s\n", row.name, row.value)
			}
			fmt.Fprintf(tw, "voxels\t%d\n", c.Voxels)
		})
	}
	return c
}

// psnr is written like other figures, or as "identical".
type psnr measure.Float

// String implements fmt.Stringer.
func (p psnr) String() string {
	if float64(p) >= measure.Rounding {
		return measure.Decibels(measure.Float(p), 0)
	}
	return measure.Float(p).String()
}

// openMask reads a mask on the grid of ref: voxels that are not 0.
func openMask(cmd *cobra.Command, path string, ref *volume.Volume) ([]bool, error) {
	m, err := command.OpenSame(cmd, path, ref)
	if err != nil {
		return nil, err
	}
	mask := make([]bool, len(m.Data))
	for i, x := range m.Data {
		mask[i] = x != 0 && m.Valid(i)
	}
	return mask, nil
}
