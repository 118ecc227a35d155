// Package kernels contains the GPU code of the filters and computes its launches.
//
// The code is CUDA C++ (*.cu, one file per filter with the formulas at its top). Each
// file is compiled by build.sh to a compressed fatbin, which is embedded here as a
// module. The Go file of a filter registers, for each of its passes, the rate of the
// kernels and the function that computes their launches: which kernel, how many
// blocks, which arguments. The package uses no device and needs no cgo, so that it is
// tested everywhere; the worker quell-gpu loads the modules and starts the launches.
//
// The package may import denoise, the filters and volume.
package kernels

import (
	"fmt"
	"math"
	"slices"

	"quell/denoise"
	_ "quell/denoise/filter" // recipes name filters of this table
	"quell/volume"
)

// Pass describes the kernels of one pass of a filter.
type Pass struct {
	// Rate is the number of steps, the unit of denoise.Pass.Work, per second on an
	// NVIDIA H200 (docs/benchmarks/performance.md).
	Rate float64

	// Speedup, if not nil, is the factor of Rate for the parameters of a program.
	Speedup func(p denoise.Program) float64

	// Launches returns the launches that compute part, to be queued in this order on
	// one stream. pass is the pass of p.
	Launches func(p denoise.Program, pass denoise.Pass, part Part) ([]Launch, error)

	// WholeSlices states that the kernels read whole slices of their inputs.
	WholeSlices bool

	// DeepTiles states that the tiles into which the kernels divide a region, from its first
	// slice on, are of other numbers of slices than 1 to 4, or begin elsewhere, and that the
	// last bits of a result depend on their begin.
	DeepTiles bool

	// Scratch, if not nil, returns the bytes of device memory that the launches for a
	// region of up to the given dims use apart from the buffers of the part.
	Scratch func(p denoise.Program, pass denoise.Pass, volume, region [3]int) int64
}

// Part is the region that a pass computes, and the place of its inputs on the device.
type Part struct {
	Dims   [3]int        // of the whole volume
	Region volume.Region // to compute, in indices of the whole volume
	Inputs []Buffer      // float32, in the order of the pass's Inputs
	Voxels Buffer        // float32: the voxels of the input volume, which excluded voxels keep
	Mask   Buffer        // bytes, 1 for a voxel that is not excluded; its address is 0 if none is excluded
	Out    uint64        // address of float32 for the voxels of Region
	Shapes Shapes        // of launches, if they are not the usual ones; may be nil
	// Scratch is the address of the scratch memory, of the size that Pass.Scratch returns,
	// aligned to 256 bytes. All passes of a run may share it, as may all parts.
	Scratch uint64

	// Shared is the bytes of shared memory that a block may have on the device; 0: 64 KB, which all have.
	Shared int

	shape int // the rate of the pass's first kernel, in the unit of its shapes; 0: the usual one
}

// Buffer is device memory that holds the voxels of a box of the volume, x fastest,
// then y, then z. The box contains every voxel of the volume that the pass reads.
type Buffer struct {
	Address uint64
	Box     volume.Region
}

// Launch is one kernel start.
type Launch struct {
	Module string // the image that contains the kernel
	Kernel string // its name there
	Grid   [3]int
	Block  [3]int
	Shared int    // bytes of dynamic shared memory; more than 48 KB needs a higher limit of the function
	Args   []byte // the parameter buffer, which contains the kernel's only argument, a struct

	// Symbol names memory of the module that receives Data before the kernel starts; ""
	// for none.
	Symbol string
	Data   []byte

	// Texture, if not nil, is made of device memory before the kernel starts; its handle
	// replaces the last 8 bytes of Args.
	Texture *Texture
}

// Texture is a two-dimensional texture of float32 texels, which a kernel reads unfiltered
// by coordinates in texels; beyond its edges these are clamped.
type Texture struct {
	Address       uint64 // of the texels, row by row without gaps
	Width, Height int
	// Mirrored states that coordinates are in parts of width and height, and that the
	// texels are mirrored beyond the edges, the last one repeated.
	Mirrored bool
}

// registered holds the passes by filter and name. It changes only during package
// initialisation.
var registered = map[string]map[string]Pass{}

// anyFilter stands for the filter in Register of passes that package denoise adds to
// programs of any filter.
const anyFilter = ""

// Register adds the kernels of a filter, by the names of its passes. It must be called
// from init.
func Register(filter string, passes map[string]Pass) {
	if registered[filter] != nil {
		panic("kernels: " + filter + " is registered twice")
	}
	registered[filter] = passes
}

// find returns the kernels of a pass.
func find(p denoise.Program, pass denoise.Pass) (Pass, error) {
	k, ok := registered[p.Recipe.Filter][pass.Name]
	if !ok {
		k, ok = registered[anyFilter][pass.Name]
	}
	if !ok {
		return k, fmt.Errorf("there is no GPU kernel for pass %q of %s: %w", pass.Name, p.Recipe.Filter, denoise.ErrUnsupported)
	}
	return k, nil
}

// Rate returns the steps per second of a pass on the reference device, see Pass. The
// error says that the pass has no kernels and wraps denoise.ErrUnsupported.
func Rate(p denoise.Program, pass denoise.Pass) (float64, error) {
	k, err := find(p, pass)
	if k.Speedup != nil {
		return k.Rate * k.Speedup(p), err
	}
	return k.Rate, err
}

// DeepTiles reports whether a pass of p has Pass.DeepTiles.
func DeepTiles(p denoise.Program) bool {
	return slices.ContainsFunc(p.Passes, func(pass denoise.Pass) bool {
		k, err := find(p, pass)
		return err == nil && k.DeepTiles
	})
}

// Scratch returns the bytes of Part.Scratch that the passes of p need for parts with a
// region as last results of up to the given dims.
func Scratch(p denoise.Program, volume, region [3]int) int64 {
	most, halos := int64(0), Halos(p)
	for _, pass := range p.Passes {
		k, err := find(p, pass)
		if err != nil || k.Scratch == nil {
			continue
		}
		part, halo := region, halos[pass.Output]
		for c := range part {
			part[c] = min(part[c]+2*halo[c], volume[c])
		}
		most = max(most, k.Scratch(p, pass, volume, part))
	}
	return most
}

// Check reports what the kernels cannot do in a program: a pass without kernels, or
// parameters that they do not support. The error wraps denoise.ErrUnsupported.
func Check(p denoise.Program) error { return check(p, Launches) }

func check(p denoise.Program, launches func(denoise.Program, denoise.Pass, Part) ([]Launch, error)) error {
	// The launches for a single voxel depend on the parameters only.
	voxel := volume.Region{Max: [3]int{1, 1, 1}}
	for _, pass := range p.Passes {
		part := Part{Dims: voxel.Max, Region: voxel, Voxels: Buffer{Box: voxel}}
		for range pass.Inputs {
			part.Inputs = append(part.Inputs, Buffer{Box: voxel})
		}
		if _, err := launches(p, pass, part); err != nil {
			return err
		}
	}
	return nil
}

// Halos returns how far around a region each output of the passes is computed, as
// denoise.Program.Halos does, but for the whole slices that some kernels need: an
// intermediate that they read is computed to the edges of the volume along x and y.
func Halos(p denoise.Program) map[string][3]int {
	const edge = math.MaxInt32 / 2 // beyond every volume, and small enough to be added up
	passes := slices.Clone(p.Passes)
	for i, pass := range passes {
		if k, err := find(p, pass); err == nil && k.WholeSlices {
			passes[i].Reach[0], passes[i].Reach[1] = edge, edge
		}
	}
	p.Passes = passes
	return p.Halos()
}

// Launches returns the launches that compute part of a pass of p, to be queued in this
// order on one stream. The results do not depend on which part of the volume is on the
// device. The error wraps denoise.ErrUnsupported if it is about the pass or its
// parameters.
func Launches(p denoise.Program, pass denoise.Pass, part Part) ([]Launch, error) {
	k, err := find(p, pass)
	if err != nil {
		return nil, err
	}
	launches, err := launchesBy(p, pass, part, k)
	if err != nil || part.Shapes == nil {
		return launches, err
	}
	if part.shape = part.Shapes.of(launches[0].Kernel, part.Region); part.shape == 0 {
		return launches, nil
	}
	return launchesBy(p, pass, part, k)
}

// launchesBy is Launches with given kernels.
func launchesBy(p denoise.Program, pass denoise.Pass, part Part, k Pass) ([]Launch, error) {
	if err := part.check(pass); err != nil {
		return nil, err
	}
	launches, err := k.Launches(p, pass, part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", p.Recipe.Filter, err, denoise.ErrUnsupported)
	}
	for _, l := range launches {
		if l.Grid[0] < 1 {
			return nil, fmt.Errorf("kernels: region %v-%v has too many voxels for one launch", part.Region.Min, part.Region.Max)
		}
	}
	return launches, nil
}

// check reports a part that does not contain what the pass reads.
func (p Part) check(pass denoise.Pass) error {
	whole := volume.Geometry{Dims: p.Dims}
	if err := p.Region.Validate(whole); err != nil {
		return err
	}
	if len(p.Inputs) != len(pass.Inputs) {
		return fmt.Errorf("kernels: pass %s has %d inputs and %d are given", pass.Name, len(pass.Inputs), len(p.Inputs))
	}
	reads := p.Region.Grow(pass.Reach, whole)
	for i, b := range p.Inputs {
		if !contains(b.Box, reads) {
			return fmt.Errorf("kernels: pass %s reads %v of %s and %v is given", pass.Name, reads, pass.Inputs[i], b.Box)
		}
	}
	if !contains(p.Voxels.Box, p.Region) || (p.Mask.Address != 0 && !contains(p.Mask.Box, reads)) {
		return fmt.Errorf("kernels: the voxels or the mask of %v are not given", reads)
	}
	return nil
}

// contains reports whether r lies in box.
func contains(box, r volume.Region) bool {
	for c := range 3 {
		if r.Min[c] < box.Min[c] || r.Max[c] > box.Max[c] {
			return false
		}
	}
	return true
}
