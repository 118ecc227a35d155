package lcd

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"quell/measure"
	"quell/measure/detect"
	"quell/volume"
)

// look fills in the figures. ground is noise alone after filtering.
func (s solid) look(ctx context.Context, row *Row, before, after regions, ground [][]float64) error {
	spectrum := func(of [][]float64) measure.NPS {
		var patches []measure.Patch
		for _, region := range of {
			patches = append(patches, measure.NewPatch(side, side, [2]float64{1, 1}, append([]float64(nil), region...)))
		}
		return measure.NPSOf(patches...)
	}
	was, is := spectrum(s.before), spectrum(ground)
	row.Noise, row.Texture = math.Sqrt(is.Variance/was.Variance), float64(is.Mean/was.Mean)
	for b := range len(bandEdges) - 1 {
		var all, left float64
		for k, f := range was.Frequency {
			if f >= bandEdges[b] && f < bandEdges[b+1] {
				all, left = all+was.Power[k]*was.Area[k], left+is.Power[k]*is.Area[k]
			}
		}
		row.Bands = append(row.Bands, left/all)
	}
	row.Seen = map[string][]float64{}
	for i := range after {
		row.Kept = append(row.Kept, kept(before[i], after[i]).Value)
		size := s.task.Inserts[1].Diameter
		if i < len(s.task.Inserts) {
			size = s.task.Inserts[i].Diameter
		}
		lg := detect.LaguerreGauss(side, detect.WidthFor(size/s.task.pixel), detect.LaguerreGaussCount)
		for name, channels := range map[string][][]float64{"LG_CHO": lg, "NPW": nil} {
			row.Seen[name] = append(row.Seen[name], seen(after[i], ground, channels)/seen(before[i], s.before, channels))
		}
	}
	return ctx.Err()
}

// seen returns d' of an observer that knows the mean signal and the noise: the Hotelling observer in channels, or the
// non-prewhitening one with the signal as its only channel. The noise is half that at the places with the signal and half ground.
func seen(of [2][][]float64, ground, channels [][]float64) float64 {
	signal := make([]float64, side*side)
	for i := range of[0] {
		floats.AddScaled(signal, 1/float64(len(of[0])), of[1][i])
		floats.AddScaled(signal, -1/float64(len(of[0])), of[0][i])
	}
	if channels == nil {
		channels = [][]float64{signal}
	}
	through := func(region []float64) (out []float64) {
		for _, c := range channels {
			out = append(out, floats.Dot(c, region))
		}
		return out
	}
	noise := mat.NewSymDense(len(channels), nil)
	for _, some := range [][][]float64{ground, of[1]} {
		scores := mat.NewDense(len(some), len(channels), nil)
		for i, region := range some {
			scores.SetRow(i, through(region))
		}
		var own mat.SymDense
		stat.CovarianceMatrix(&own, scores, nil)
		noise.AddSym(noise, &own)
	}
	var template mat.VecDense
	response := mat.NewVecDense(len(channels), through(signal))
	if template.SolveVec(noise, response) != nil {
		return math.NaN()
	}
	return math.Sqrt(2 * mat.Dot(response, &template))
}

// ground returns regions of noise alone, at the places of the spheres.
func (s solid) ground(all twins) (out [][]float64) {
	for _, pair := range all {
		for z := 4; z < depth-4; z += 3 {
			slice := pair[0].Crop(volume.Slices(pair[0].Geometry, z, z+1))
			for p := range across * across {
				if column, row, kind := s.place(p); kind < len(s.task.Inserts) {
					out = append(out, cut(slice, column, row)...)
				}
			}
		}
	}
	return out
}

// rod returns the pixel in the middle of a rod.
func rod(i int) (x, y int) {
	const half = pixels / 2
	return [...]int{half - middle, half + middle, half}[i], [...]int{half, half, half - middle}[i]
}

// sharpness returns f50, in cycles per pixel, of the mean of what rods add to all slices; NaN if it cannot be measured.
func (s solid) sharpness(all twins) (f50 []float64) {
	if s.MR {
		return nil
	}
	const wide = 4*radius + 1
	for i := range rods {
		x, y := rod(i)
		mean := measure.Slice{Values: make([]float32, wide*wide), Width: wide, Height: wide, Pixel: [2]float64{1, 1}}
		for _, pair := range all {
			for z := 4; z < depth-4; z++ {
				for k := range mean.Values {
					j := pair[0].Index(x-wide/2+k%wide, y-wide/2+k/wide, z)
					mean.Values[k] += (pair[1].Data[j] - pair[0].Data[j]) / float32(len(all)*(depth-8))
				}
			}
		}
		f := math.NaN()
		if rim, err := measure.RimOf(mean, measure.Outline{Shape: measure.Ellipse, Points: [][2]float64{{0, 0}, {wide, wide}}}); err == nil {
			if mtf, err := rim.MTF(mean); err == nil {
				f = float64(mtf.F50.At)
			}
		}
		f50 = append(f50, f)
	}
	return f50
}
