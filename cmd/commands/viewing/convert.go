package viewing

import (
	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Convert is quell convert.
func Convert() command.Command {
	var options job.Options
	var uneven string
	var limit int64
	var pick option.Choice
	c := command.Command{
		Name:  "convert IN OUT",
		Short: "Convert a series between DICOM, NIfTI, Analyze, NRRD and MetaImage",
		Long: `Convert a series between DICOM, NIfTI, Analyze 7.5, NRRD and MetaImage. Values and geometry are
kept, but Analyze has no place for the patient's position and orientation. A
series whose slices are unevenly spaced or missing is refused: the other formats
store one spacing for all slices.`,
		Example: `  quell convert ct/ ct.nii.gz
  quell convert study.zip t1.nii.gz --series 2 --dtype int16
  quell convert gaps/ even.nii.gz --uneven resample=2.5`,
		Inputs:  command.Leading,
		Outputs: command.Last(files.SeriesOutput),
		Pipes:   true,
	}
	c.Flags = func(cmd *cobra.Command) {
		option.AddOutputFlags(cmd, &options)
		command.AddFormat(cmd)
		option.AddUneven(cmd, &uneven, "")
		option.VolumeMemory(cmd, &limit, "converted")
		pick.AddTo(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		report, err := command.Do(cmd, job.Job{Input: pick.Input(args[0]), Uneven: uneven, Memory: limit, Output: job.Output{Path: args[1], Options: options}})
		if err != nil {
			return err
		}
		return command.PrintWritten(cmd, report, command.VolumesText(report))
	}
	return c
}
