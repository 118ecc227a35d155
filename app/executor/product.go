package executor

import (
	"slices"

	"quell/app/files"
	"quell/app/job"
)

// GateOf returns what the job writes, and what it reads: the inputs, maps and the mask.
func GateOf(j job.Job, inputs ...string) files.Gate {
	inputs = append(slices.Clone(inputs), j.Mask, j.MapFile())
	g := files.Gate{Inputs: inputs, Overwrite: j.Output.Overwrite, Outputs: []files.Target{{Option: "OUT", Path: j.Output.Path, Kind: files.SeriesOutput}}}
	for _, p := range products {
		g.Outputs = append(g.Outputs, files.Target{Option: "--" + p.Name, Path: j.Output.Beside[p.Name], Kind: p.Kind})
	}
	return g
}

// Product is an output that a job can make besides its result, such as a report. The command line has
// a flag for every product. A new one is a package with a [Sink] that registers itself.
type Product struct {
	Name   string      // of its flag, and in job.Output.Beside
	Help   string      // of its flag
	Kind   *files.Kind // what it holds
	Judged bool        // it shows the verdict, so that the result is judged, with virtual lesions
	Sink   func(b Beside) Sink
}

// Beside is the output that a product is made for.
type Beside struct {
	Path     string // of the output
	Job      job.Job
	Source   *Source               // of the job
	Progress func(done, total int) // of the files of one volume; nil for none
}

var products []Product

// Register adds a product to the table, in whose order products are made. It is called from the
// init functions of packages.
func Register(p Product) { products = append(products, p) }

// Products returns the table.
func Products() []Product { return slices.Clone(products) }
