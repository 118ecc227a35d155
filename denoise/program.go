package denoise

import (
	"context"
	"fmt"
	"slices"

	"quell/denoise/equalise"
	"quell/internal/message"
	"quell/volume"
)

// The names of inputs of a pass apart from the outputs of earlier passes, and
// of what the last pass writes.
const (
	Voxels      = "voxels"       // Input.Volume
	NoiseMap    = "noise map"    // Input.Noise
	GuideVolume = "guide volume" // Input.Guide
	Result      = "result"
)

// Program is a resolved recipe in the form that engines run: parameters as the
// filter's own type and the passes that compute the result.
type Program struct {
	Recipe Recipe // resolved
	Params any    // the filter's parameters: nlm.Params, ...; for the engines that have kernels of their own
	Passes []Pass // in the order they run; the last one writes Result

	// Lattice is above 1 along the axes on which the passes compute only every so many
	// voxels: the result moves with the input by multiples of it alone.
	Lattice [3]int

	// UsualSigma is above 0 if the passes bring the noise to sigma 1 by a noise
	// map, see [Program.Normalised].
	UsualSigma float32
	// Stabilised is above 0 if the passes stabilise Rician noise of that sigma.
	Stabilised float64
	// Last is the name of the pass with which the program ends before its filter does, see
	// [UpTo]; "" for the whole filter.
	Last string
	// Weights are those of the pass [Equalise]; nil without it.
	Weights equalise.Weights
	// Series is of a program of a 4-D series, see [Recipe.JoinedProgram].
	Series SeriesShape
}

// Pass computes one field from others, voxel by voxel.
//
// An excluded voxel (padding, or excluded by Input.Mask or by Input.Noise) is not
// computed, unless the pass says so: it holds the voxel of Input.Volume in every
// output. All inputs of a pass share one mask.
type Pass struct {
	Name   string
	Inputs []string // Voxels, NoiseMap, GuideVolume, or the Output of earlier passes
	Output string   // a name of its own; Result for the last pass
	Reach  [3]int   // how far around a voxel the pass reads its inputs, in voxels along x, y, z
	Work   float64  // steps per voxel, the unit of a GPU's cost model

	// Everywhere states that the pass computes excluded voxels too: it brings the
	// voxels into another unit, and later passes may read excluded ones.
	Everywhere bool

	// Reference computes voxel (x, y, z), in float64: the definition of the
	// filter, which every engine is tested against. in are the Inputs.
	Reference func(in []Field, x, y, z int) float64

	CPU CPUPass
}

// CPUPass is the form of a pass that package denoise/cpu runs.
type CPUPass struct {
	Tile        [3]int  // largest size of a tile
	Scratch     int64   // bytes of scratch memory of one worker
	Nanoseconds float64 // of one core for one voxel, on a server core of 3 GHz

	// Start prepares a run that reads in, in the order of Inputs, and writes the
	// voxels of out. It returns the function that makes a worker; every
	// goroutine has one worker with its own scratch memory.
	Start func(in []Field, out Field) (newWorker func() Worker)
}

// Worker computes the valid voxels of a tile, one tile after another. It calls
// stop between steps of about a millisecond, and returns early once stop returns
// true. No tile reads another one's result.
type Worker func(tile volume.Region, stop func() bool)

// Reach returns how far around a voxel the result depends on the input volumes,
// in voxels along each axis: the halo that a region needs.
func (p Program) Reach() [3]int {
	var reach [3]int
	for name, halo := range p.Halos() {
		if name == Voxels || name == NoiseMap || name == GuideVolume {
			reach = larger(reach, halo)
		}
	}
	return reach
}

// Halos returns, for every input and output of the passes, how far around a
// region it must be known so that the result can be computed in the region: the
// largest sum of reaches over all chains of passes from it to the result.
func (p Program) Halos() map[string][3]int {
	halos := map[string][3]int{Result: {}}
	for _, pass := range slices.Backward(p.Passes) {
		halo := halos[pass.Output]
		for c, r := range pass.Reach {
			halo[c] += r
		}
		for _, name := range pass.Inputs {
			halos[name] = larger(halos[name], halo)
		}
	}
	return halos
}

func larger(a, b [3]int) [3]int {
	return [3]int{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])}
}

// upToKey is the key of the name of the last pass in a context.
type upToKey struct{}

// UpTo returns a context in which [Recipe.ProgramFor] ends programs with the pass of that
// name, so that engines run it and the passes before it, and its field is the result. It is for
// measurements of a part of a filter. A program without such a pass gives an error.
func UpTo(ctx context.Context, pass string) context.Context {
	return context.WithValue(ctx, upToKey{}, pass)
}

// upTo ends the program as UpTo says, if ctx is such a context.
func (p Program) upTo(ctx context.Context) (Program, error) {
	if name, ok := ctx.Value(upToKey{}).(string); ok {
		return p.EndingWith(name)
	}
	return p, nil
}

// EndingWith returns the passes of the program up to the pass of that name, whose field is
// the result. The error says that there is no such pass.
func (p Program) EndingWith(name string) (Program, error) {
	i := slices.IndexFunc(p.Passes, func(pass Pass) bool { return pass.Name == name })
	if i < 0 {
		return p, fmt.Errorf("%s has no pass %q", p.Recipe.Filter, name)
	}
	p.Passes = slices.Clone(p.Passes[:i+1])
	p.Passes[i].Output, p.Last = Result, name
	return p, nil
}

// Reads reports whether a pass reads the input of that name.
func (p Program) Reads(name string) bool {
	return slices.ContainsFunc(p.Passes, func(pass Pass) bool { return slices.Contains(pass.Inputs, name) })
}

// Accepts reports an input that does not fit the program: inconsistent, without
// a map that a pass reads, or with one that no pass reads.
func (p Program) Accepts(in Input) error {
	if err := in.Check(); err != nil {
		return err
	}
	for _, m := range []struct {
		name  string
		given bool
	}{{NoiseMap, in.Noise != nil}, {GuideVolume, in.Guide != nil}} {
		switch reads := p.Reads(m.name); {
		case m.given && !reads:
			return message.Errorf(message.RecipeInput, "%s does not use a %s; leave it out", p.Recipe.Filter, message.Word(m.name))
		case !m.given && reads:
			return message.Errorf(message.RecipeInput, "%s needs a %s", p.Recipe.Filter, message.Word(m.name))
		}
	}
	return nil
}

// check reports a mistake in the chain of passes.
func (p Program) check() error {
	known := []string{Voxels, NoiseMap, GuideVolume}
	if len(p.Passes) == 0 || p.Passes[len(p.Passes)-1].Output != Result {
		return fmt.Errorf("no pass computes the result")
	}
	for i, pass := range p.Passes {
		for _, name := range pass.Inputs {
			if !slices.Contains(known, name) {
				return fmt.Errorf("pass %s reads %q, which no pass before it computes", pass.Name, name)
			}
		}
		if slices.Contains(known, pass.Output) || (pass.Output == Result && i < len(p.Passes)-1) {
			return fmt.Errorf("pass %s writes %q, which exists already", pass.Name, pass.Output)
		}
		if pass.Reference == nil || pass.CPU.Start == nil || min(pass.CPU.Tile[0], pass.CPU.Tile[1], pass.CPU.Tile[2]) < 1 {
			return fmt.Errorf("pass %s lacks a reference, a CPU form or a tile size", pass.Name)
		}
		if min(pass.Reach[0], pass.Reach[1], pass.Reach[2]) < 0 {
			return fmt.Errorf("pass %s has a negative reach", pass.Name)
		}
		known = append(known, pass.Output)
	}
	return nil
}
