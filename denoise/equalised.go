package denoise

import (
	"slices"
	"sync"

	"quell/denoise/equalise"
	"quell/volume"
)

// A reader wants less than the filter alone at times: its result keeps little of the
// texture of the original, and faint objects lose contrast. A recipe of a strength
// below 100 takes
//
//	result = v - W * (v - F(v))   pass Equalise
//
// with F the filter and its transforms of the voxels, and W the kernel of the recipe's
// equaliser, or the share strength / 100 at all frequencies alike if it has none.

// Equalise is the name of the pass after all others if the strength is below 100.
const Equalise = "equalise"

// unmixed is the field that it reads.
const unmixed = "result at full strength"

// MixStrength is a parameter of every filter: the share of the noise that the filter
// alone removes, in percent. Register adds it.
var MixStrength = Param{
	Name: strengthName, Label: "Strength", Kind: Float, Unit: "%", Mixes: true,
	Min: 0, Max: fullStrength, Lo: 0, Hi: fullStrength, Step: 1, Default: Number(fullStrength), Absent: Number(fullStrength),
	Help: "The share of what the filter removes that is removed: 100 is the filter alone, 0 the original. Less keeps more of the texture and of faint contrast; visible stops before either is lost.",
}

const (
	strengthName = "strength"
	fullStrength = 100
)

// Mixed returns which share of what the filter alone removes r removes, 0 to 1; the
// strength must be a number.
func (r Recipe) Mixed() float64 { return r.Get(strengthName).Float() / fullStrength }

// Equalises reports whether the equaliser of r is to be found before it is resolved.
func (r Recipe) Equalises() bool { return r.Equaliser != nil && len(r.Equaliser) == 0 }

// Equalised returns r with a strength and the weights that take it, nil for all frequencies alike.
func (r Recipe) Equalised(strength float64, w equalise.Weights) Recipe {
	if r = r.With(strengthName, Number(strength)); r.Equaliser != nil {
		r.Equaliser = w
	}
	return r
}

// equaliserOf returns the equaliser of r with a strength: to be found between the original and the filter alone.
func equaliserOf(strength Value) equalise.Weights {
	if s := strength.Float(); strength.IsNumber() && s > 0 && s < fullStrength {
		return equalise.Weights{}
	}
	return nil
}

// weights returns those by which r takes what its filter removes.
func (r Recipe) weights() equalise.Weights {
	if len(r.Equaliser) > 0 {
		return r.Equaliser
	}
	return equalise.Share(r.Mixed())
}

// Steps of the equaliser and nanoseconds of one core for a voxel, with vector code.
const (
	shareSteps, equaliseSteps             = 2, 51
	shareNanoseconds, equaliseNanoseconds = 2, 30
)

// equalised returns the program whose result is v - W * (v - F(v)), with F(v) the result of p.
func (p Program) equalised(w equalise.Weights) Program {
	p.Weights = w
	reach := w.Reach()
	taps := sync.OnceValue(func() (taps [][]float64) {
		for j := range reach[2] + 1 {
			taps = append(taps, w.Taps(j))
		}
		return taps
	})
	pass := Pass{
		Name: Equalise, Inputs: []string{unmixed, Voxels}, Output: Result, Reach: reach, Work: equaliseSteps,
		Reference: func(in []Field, x, y, z int) float64 {
			sum, r, dims := 0.0, reach[0], in[0].Dims
			for dz := -reach[2]; dz <= reach[2]; dz++ {
				for i, tap := range taps()[max(dz, -dz)] {
					jx, jy := x+i%(2*r+1)-r, y+i/(2*r+1)-r
					sum += tap * removed(in, volume.Mirror(jx, dims[0]), volume.Mirror(jy, dims[1]), volume.Mirror(z+dz, dims[2]))
				}
			}
			return float64(in[1].At(x, y, z)) - sum
		},
		CPU: CPUPass{
			Tile: [3]int{128, 32, 32}, Scratch: 3 << 20, Nanoseconds: equaliseNanoseconds,
			Start: func(in []Field, out Field) func() Worker {
				return func() Worker { return equaliseWorker(w, in, out) }
			},
		},
	}
	if len(w) == 1 {
		pass.Work, pass.CPU.Nanoseconds = shareSteps, shareNanoseconds
	}
	p.Passes = slices.Clone(p.Passes)
	p.Passes[len(p.Passes)-1].Output = unmixed
	p.Passes = append(p.Passes, pass)
	return p
}

// removed is what the filter removed at a voxel: 0 if it is excluded, where under a noise map the two fields differ in unit.
func removed(in []Field, x, y, z int) float64 {
	if !in[0].Valid(in[0].Index(x, y, z)) {
		return 0
	}
	return float64(in[1].At(x, y, z)) - float64(in[0].At(x, y, z))
}

func equaliseWorker(w equalise.Weights, in []Field, out Field) Worker {
	kernel := equalise.NewKernel(w, out.Dims, func(dst []float64, x, y, z int) {
		first := in[0].Index(x, y, z)
		f, v := in[0].Data[first:], in[1].Data[in[1].Index(x, y, z):]
		for i := range dst {
			dst[i] = 0
			if in[0].Valid(first + i) {
				dst[i] = float64(v[i]) - float64(f[i])
			}
		}
	})
	return func(tile volume.Region, stop func() bool) {
		kernel.Run(tile, stop, func(y, z int, values []float64) {
			v, to := in[1].Data[in[1].Index(tile.Min[0], y, z):], out.Index(tile.Min[0], y, z)
			for i, x := range values {
				if out.Valid(to + i) {
					out.Data[to+i] = float32(float64(v[i]) - x)
				}
			}
		})
	}
}
