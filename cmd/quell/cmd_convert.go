package main

import (
	"github.com/spf13/cobra"

	"quell/app/job"
)

func newConvert() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a series between DICOM, NIfTI, Analyze, NRRD and MetaImage",
		Long: `Convert a series between DICOM, NIfTI, Analyze 7.5, NRRD and MetaImage. Values and geometry are
kept, but Analyze has no place for the patient's position and orientation. A
series whose slices are unevenly spaced or missing is refused: the other formats
store one spacing for all slices.`,
		Example: `  quell convert ct/ ct.nii.gz
  quell convert study.zip t1.nii.gz --series 2 --dtype int16
  quell convert gaps/ even.nii.gz --uneven resample=2.5`,
		Args: exactly(2, "IN and OUT"),
	}
	var options job.Options
	addOutputFlags(cmd, &options)
	addFormatFlag(cmd)
	var uneven, memory string
	addUnevenFlag(cmd, &uneven, "")
	addMemoryFlag(cmd, &memory, "converted")
	var pick choice
	pick.addTo(cmd)
	asJSON := cmd.Flags().Bool("json", false, jsonHelp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		limit, err := memorySize(cmd, memory)
		if err != nil {
			return err
		}
		report, err := do(cmd, job.Job{Input: pick.input(args[0]), Uneven: uneven, Memory: limit, Output: job.Output{Path: args[1], Options: options}})
		if err != nil {
			return err
		}
		if *asJSON {
			return printReport(cmd.OutOrStdout(), report)
		}
		return printWritten(cmd, report, volumesText(report))
	}
	return cmd
}
