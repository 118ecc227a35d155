package app

import "slices"

// Product is an output that a job can make beside its result, such as a report. The command line has a
// flag for every product. A new one is a package with a [Sink] that registers itself.
type Product struct {
	Name   string      // of its flag, and in Output.Beside
	Help   string      // of its flag
	Kind   *OutputKind // what it holds
	Judged bool        // it shows the verdict, so that the result is judged
	Sink   func(b Beside) Sink
}

// Beside is what a product is made for.
type Beside struct {
	Path     string // of the output
	Job      Job
	Source   *Source               // of the job
	Progress func(done, total int) // of the files of one volume; nil for none
}

var products []Product

// RegisterProduct adds a product to the table, in whose order products are made. It is called from the
// init functions of packages.
func RegisterProduct(p Product) { products = append(products, p) }

// Products returns the table.
func Products() []Product { return slices.Clone(products) }

func init() {
	RegisterProduct(Product{
		Name: "noise-out", Kind: SeriesOutput,
		Help: "also write what was removed, input less result, to this `file` or folder",
		Sink: func(b Beside) Sink {
			return &seriesSink{
				out: b.Path, options: removedOptions(b.Path, b.Job.Output.ExportOptions), src: b.Source, progress: b.Progress, of: removedOf,
				report: func(r *Report, w ExportReport) { r.Removed = w.Output },
			}
		},
	})
	RegisterProduct(Product{
		Name: "scales-out", Kind: MapOutput,
		Help: "lpa and sadct: also write how many voxels the neighbourhood of each voxel reaches, to this NIfTI `file` of eight volumes, from +x by 45 degrees towards +y; of a 4-D series eight for each volume in turn",
		Sink: func(b Beside) Sink { return &scalesSink{out: b.Path, src: b.Source} },
	})
	RegisterProduct(Product{
		Name: "pictures", Kind: PicturesOutput,
		Help: "also draw before.png, after.png and residual.png of the middle slice into this `folder`; of a 4-D series into a folder for each volume there",
		Sink: func(b Beside) Sink {
			return &picturesSink{dir: b.Path, overwrite: b.Job.Output.Overwrite, src: b.Source}
		},
	})
	RegisterProduct(Product{
		Name: "report", Kind: ReportOutput, Judged: true,
		Help: "also judge the result and write a report with pictures, one HTML `file`; without the patient's identity with --deidentify",
		Sink: func(b Beside) Sink { return &reportSink{path: b.Path, out: b.Job.Output, src: b.Source} },
	})
}
