package app

import (
	"context"
	"fmt"

	"quell/app/engines"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/output"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// PhantomJob is a phantom to be made and written.
type PhantomJob struct {
	Kind string       // see phantom.Kinds
	Size phantom.Size // zero: the kind's own
	Scan *phantom.Scan
	// Regularise filters each slice after every pass of the reconstruction sart, in two
	// dimensions; nil for none. Its automatic values follow from the slice as it is then.
	Regularise *denoise.Recipe

	SNR     float64 // of mr and steps: mean of the object over sigma; 0 adds no noise
	Seed    uint64
	Repeats int    // images with seeds Seed, Seed+1, ...; 1 at least
	Output  string // if repeats are more than one, -1, -2, ... is added to the name
	Truth   string // the path of the image without noise, "" for nowhere
	Ideal   string // likewise the exact phantom, which is not scanned
	Options job.Options
}

// MakePhantom makes the images of a phantom and writes them. It returns what was
// written, in order. All outputs are checked before any work; after an error
// outputs that were already written remain.
func MakePhantom(ctx context.Context, j PhantomJob, events job.Events) ([]string, error) {
	p, err := phantom.New(j.Kind, j.Size)
	if err != nil {
		return nil, job.Usage(err)
	}
	if j.Scan != nil {
		scan := *j.Scan
		if j.Regularise != nil {
			if j.Regularise.Dims != 2 {
				return nil, job.Usagef("--regularise: slices are reconstructed one by one; give a recipe of two dimensions, not of %d", j.Regularise.Dims)
			}
			scan.Recon.Regularise = func(ctx context.Context, slice *volume.Volume) (*volume.Volume, error) {
				return engines.CPU().Run(ctx, *j.Regularise, denoise.Input{Volume: slice}, slice.Bounds(), nil)
			}
		}
		if err := scan.Validate(); err != nil {
			return nil, job.Usage(err)
		}
		j.Scan = &scan
	}
	var images []phantomImage
	for k := range max(j.Repeats, 1) {
		out := j.Output
		if j.Repeats > 1 {
			out = numbered(out, k+1)
		}
		images = append(images, phantomImage{"OUT", out, func() (*volume.Volume, error) { return j.noisy(ctx, p, j.Seed+uint64(k)) }})
	}
	if j.Truth != "" {
		images = append(images, phantomImage{"--truth", j.Truth, func() (*volume.Volume, error) { return j.clean(ctx, p) }})
	}
	if j.Ideal != "" {
		images = append(images, phantomImage{"--ideal", j.Ideal, func() (*volume.Volume, error) { return p.Voxels(ctx) }})
	}
	gate := files.Gate{Overwrite: j.Options.Overwrite}
	for _, image := range images {
		if err := output.CheckOptions(phantomSeries(p, &volume.Volume{Geometry: p.Geometry, Unit: p.Unit}), image.out, j.Options); err != nil {
			return nil, err
		}
		gate.Outputs = append(gate.Outputs, files.Target{Option: image.option, Path: image.out, Kind: files.SeriesOutput})
	}
	if err := gate.Check(); err != nil {
		return nil, err
	}
	var written []string
	for _, image := range images {
		v, err := image.make()
		if err != nil {
			return written, err
		}
		report, err := Execute(ctx, job.Job{Output: job.Output{Path: image.out, Options: j.Options}}, executor.InMemory(phantomSeries(p, v)), executor.Means{}, events)
		if err != nil {
			return written, err
		}
		written = append(written, report.Output)
	}
	return written, nil
}

type phantomImage struct {
	option, out string

	make func() (*volume.Volume, error)
}

// clean returns the image without noise.
func (j PhantomJob) clean(ctx context.Context, p phantom.Phantom) (*volume.Volume, error) {
	if j.Scan == nil {
		return p.Voxels(ctx)
	}
	scan := *j.Scan
	scan.SNR, scan.Photons = 0, 0
	return p.Image(ctx, scan)
}

// noisy returns the image with the noise of a seed.
func (j PhantomJob) noisy(ctx context.Context, p phantom.Phantom, seed uint64) (*volume.Volume, error) {
	if j.Scan != nil {
		scan := *j.Scan
		scan.Seed = seed
		return p.Image(ctx, scan)
	}
	v, err := p.Voxels(ctx)
	if err != nil || j.SNR == 0 {
		return v, err
	}
	sum, n := 0.0, 0.0
	for _, x := range v.Data {
		if float64(x) > p.Background {
			sum, n = sum+float64(x), n+1
		}
	}
	model := noise.Gaussian
	if j.Kind == "mr" {
		model = noise.Rician
	}
	return noise.AddNoise(ctx, v, model, sum/n/j.SNR, seed)
}

// phantomSeries describes a phantom as readers describe what they read.
func phantomSeries(p phantom.Phantom, v *volume.Volume) *series.Series {
	modality := map[string]string{"ct": "CT", "abdomen": "CT", "mr": "MR"}[p.Kind]
	return &series.Series{
		Meta:   series.Meta{Format: "phantom", Modality: modality, Description: fmt.Sprintf("Quell %s phantom", p.Kind)},
		Volume: v,
	}
}

// numbered adds -k to a name, before the endings that say its format.
func numbered(out string, k int) string {
	base, ext := files.SplitEnding(out)
	return fmt.Sprintf("%s-%d%s", base, k, ext)
}
