package main

import (
	"github.com/spf13/cobra"

	"quell/app"
)

func newConvert() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a series between DICOM, NIfTI and Analyze",
		Long: `Convert a series between DICOM, NIfTI and Analyze 7.5, values and geometry kept.
Analyze has no place for the patient's position and orientation: they are lost.`,
		Args: exactly(2, "IN and OUT"),
	}
	dtype := cmd.Flags().String("dtype", "", dtypeHelp)
	var pick choice
	pick.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := open(cmd, args[0], pick)
		if err != nil {
			return err
		}
		defer in.close()
		b := newBar("writing")
		report, err := app.Convert(cmd.Context(), in.Series, args[1], app.ExportOptions{Dtype: *dtype}, b.files)
		b.end()
		return finish(cmd, report, err, app.DimsText(in.Volume.Dims)+" voxels")
	}
	return cmd
}
