package output

import (
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/volume"
)

func init() {
	executor.Register(executor.Product{
		Name: "noise-out", Kind: files.SeriesOutput,
		Help: "also write what was removed, input less result, to this `file` or folder",
		Sink: func(b executor.Beside) executor.Sink {
			return &seriesSink{
				out: b.Path, options: removedOptions(b.Path, b.Job.Output.Options), src: b.Source, progress: b.Progress, of: removedOf,
				report: func(r *executor.Outcome, w job.Written) { r.Removed = w.Output },
			}
		},
	})
	executor.Register(executor.Product{
		Name: "scales-out", Kind: files.MapOutput,
		Help: "lpa and sadct: also write how many voxels the neighbourhood of each voxel reaches, to this NIfTI `file` of eight volumes, from +x by 45 degrees towards +y; of a 4-D series eight for each volume in turn",
		Sink: func(b executor.Beside) executor.Sink { return &scalesSink{staged: staged{out: b.Path}, src: b.Source} },
	})
	executor.Register(executor.Product{
		Name: "rank-out", Kind: files.MapOutput,
		Help: "lowrank: also write the rank that was kept around each voxel, of all volumes, to this NIfTI `file`",
		Sink: func(b executor.Beside) executor.Sink {
			return &seriesMapSink{staged: staged{out: b.Path}, option: "rank-out", about: "Rank.", values: func(m *executor.Made) *volume.Volume { return m.Rank }}
		},
	})
	executor.Register(executor.Product{
		Name: "sigma-out", Kind: files.MapOutput,
		Help: "lowrank: also write the noise by which the volumes were filtered, sigma of each voxel, to this NIfTI `file`",
		Sink: func(b executor.Beside) executor.Sink {
			return &seriesMapSink{staged: staged{out: b.Path}, option: "sigma-out", about: "Noise.", values: sigmaOf}
		},
	})
	executor.Register(executor.Product{
		Name: "pictures", Kind: files.PicturesOutput,
		Help: "also draw before.png, after.png and residual.png of the middle slice into this `folder`; of a 4-D series into a folder for each volume there",
		Sink: func(b executor.Beside) executor.Sink {
			return &picturesSink{dir: b.Path, overwrite: b.Job.Output.Overwrite, src: b.Source}
		},
	})
	executor.Register(executor.Product{
		Name: "report", Kind: files.ReportOutput, Judged: true,
		Help: "also judge the result and write a report with pictures, one HTML `file`; without the patient's identity with --deidentify",
		Sink: func(b executor.Beside) executor.Sink {
			return &reportSink{path: b.Path, out: b.Job.Output, src: b.Source}
		},
	})
}
