package lesions

import (
	"context"
	"sync"

	"quell/denoise"
	"quell/volume"
)

// once is what is found once of a tissue: the regions of each side in which its slices are looked at, and what equalisers of so many
// weights can do.
type once struct {
	sync.Mutex
	frames   map[frame]*Tissue
	possible map[asked]float64
}

// asked is what the least noise depends on: the weights of an equaliser and the bounds.
type asked struct {
	weights int
	bounds  Bounds
}

func newOnce() *once { return &once{frames: map[frame]*Tissue{}, possible: map[asked]float64{}} }

// frame is the side of regions and their slice in which a lesion is looked at.
type frame struct{ side, mid int }

// Apart returns the tissue without the volume that it is of, to be kept; see On.
func (t *Tissue) Apart() *Tissue { return t.On(denoise.Input{}) }

// On returns a tissue that was kept, of the input that it was found in.
func (t *Tissue) On(in denoise.Input) *Tissue {
	one := *t
	one.in = in
	return &one
}

// fewest is the number of regions that rank filters: a quarter of all.
const fewest = usualPlaces / 4

// Few returns the tissue with the first of its regions, which rank filters before all are run; nil if it has not all that are looked
// for. Fewer are of a small series, in which a filter costs little and a quarter of them errs.
func (t *Tissue) Few() *Tissue {
	if len(t.regions) < usualPlaces {
		return nil
	}
	one := *t
	one.At, one.regions, one.once = t.At[:fewest], t.regions[:fewest], newOnce()
	return &one
}

// Slice returns the tissue of slice z: the lesion of the whole by its templates, in regions of the slice, of which a result needs
// no other slice. Without enough regions figures are not known. The error is the context's.
func (t *Tissue) Slice(ctx context.Context, z int, foreground func(i int) bool) (*Tissue, error) {
	v := t.in.Volume
	if len(t.At) == 0 || v.Dims[2] == 1 {
		return FindTissue(ctx, t.in, volume.Slices(v.Geometry, z, z+1), t.noise, foreground)
	}
	first := min(max(z-t.depth/2, 0), v.Dims[2]-t.depth)
	n := t.noise
	n.Figure = n.Slice(z)
	masked := t.in.Masked()
	inside := func(i int) bool { return masked.Valid(i) && (foreground == nil || foreground(i)) }
	for k, side := range regionSides {
		if side > t.side || side < t.first.support+2 && side < t.side {
			continue
		}
		s := search{counts: inside, noise: n, sigmas: t.in.Noise, side: side, slices: t.depth, most: mostInSlice, seed: UsualSeed, noiseOnly: true}
		at, err := placesIn(ctx, v, volume.Slices(v.Geometry, first, first+t.depth), s)
		if err != nil {
			return nil, err
		}
		last := k == len(regionSides)-1 || regionSides[k+1] < t.first.support+2
		if len(at) < LeastRegions || len(at) < LeastPlaces && !last {
			continue
		}
		one := *t.frame(side, z-first)
		one.At, one.in, one.noise, one.regions = at, t.in, t.noise, nil
		one.cut()
		probe := *one.first
		one.first = &probe
		one.look(one.first, make([]float64, len(probe.values)))
		return &one, nil
	}
	return &Tissue{in: t.in}, ctx.Err()
}

// frame returns the tissue of a slice without its regions, with templates by those of the volume.
func (t *Tissue) frame(side, mid int) *Tissue {
	t.once.Lock()
	defer t.once.Unlock()
	key := frame{side, mid}
	if t.once.frames[key] == nil {
		spacing := t.in.Volume.Spacing
		one := &Tissue{in: t.in, noise: t.noise, At: t.At, Lesion: t.Lesion, side: side, depth: t.depth, mid: mid, alone: true, spectrum: t.spectrum}
		if side != t.side {
			one.spectrum = newSpectrum(side, [2]float64{spacing[0], spacing[1]})
		}
		one.cut() // what the ground leaves of noise depends on the side
		one.first = one.probe(t.Lesion.Size)
		one.first.q, one.first.own, one.regions, one.in = nil, nil, nil, denoise.Input{}
		t.once.frames[key] = one
	}
	return t.once.frames[key]
}

// read returns the part of a region that is read of a result.
func (t *Tissue) read(box volume.Region) volume.Region {
	if t.alone {
		box.Min[2] += t.mid
		box.Max[2] = box.Min[2] + 1
	}
	return box
}
