package noisetest

import (
	"math"

	"quell/volume"
)

// Acquire makes an image of truth with complex noise of about sigma, as one kind of scanner does.
type Acquire struct {
	Name string
	Make func(truth *volume.Volume, sigma float64, seed uint64) *volume.Volume
}

// partial is the response of 6/8 of k-space along y, of which the middle half is there twice.
func partial(fy float64) float64 {
	if fy < -0.25 {
		return 0
	}
	return 1
}

// homodyne is partial with twice the weight of what is there once.
func homodyne(fy float64) float64 {
	if fy > 0.25 {
		return 2
	}
	return partial(fy)
}

// Bands is a map of the noise as unfolding leaves it: bands along y that are up to 1.6 times as strong.
func Bands(x, y float64) float64 {
	c := math.Cos(3 * math.Pi * y)
	return 1 + 0.6*c*c*math.Exp(-x*x/0.3)
}

func scan(k KSpace) Acquire { return Acquire{k.Name, k.Scan} }

var white = KSpace{Name: "white", Response: func(_, _ float64) float64 { return 1 }}

// Acquisitions are the cases of the table of k-space.
var Acquisitions = []Acquire{
	scan(white),
	scan(KSpace{Name: "zero-filled 0.7", Response: func(fx, fy float64) float64 { return Box(fx, 0.7) * Box(fy, 0.7) }}),
	scan(KSpace{Name: "zero-filled 0.5", Response: func(fx, fy float64) float64 { return Box(fx, 0.5) * Box(fy, 0.5) }}),
	scan(KSpace{Name: "phase 0.6", Response: func(_, fy float64) float64 { return Box(fy, 0.6) }}),
	scan(KSpace{Name: "fermi", Response: func(fx, fy float64) float64 { return 1 / (1 + math.Exp((math.Hypot(fx, fy)-0.35)/0.025)) }}),
	scan(KSpace{Name: "hamming", Response: func(fx, fy float64) float64 { return Hamming(fx, 1) * Hamming(fy, 1) }}),
	scan(KSpace{Name: "partial Fourier", Response: func(_, fy float64) float64 { return partial(fy) }}),
	scan(KSpace{Name: "homodyne", Response: func(_, fy float64) float64 { return homodyne(fy) }, Real: true}),
	scan(KSpace{Name: "bands, white", Response: func(_, _ float64) float64 { return 1 }, Places: Bands}),
	scan(KSpace{Name: "bands, fermi", Response: func(fx, fy float64) float64 { return 1 / (1 + math.Exp((math.Hypot(fx, fy)-0.38)/0.03)) }, Places: Bands}),
	{"Lanczos x1.4", func(v *volume.Volume, sigma float64, seed uint64) *volume.Volume {
		return zoomed(v, sigma, seed, lanczos, 3)
	}},
	{"bilinear x1.4", func(v *volume.Volume, sigma float64, seed uint64) *volume.Volume {
		return zoomed(v, sigma, seed, tent, 1)
	}},
}

func lanczos(t float64) float64 {
	if t == 0 {
		return 1
	}
	if math.Abs(t) >= 3 {
		return 0
	}
	return 3 * math.Sin(math.Pi*t) * math.Sin(math.Pi*t/3) / (math.Pi * math.Pi * t * t)
}

func tent(t float64) float64 { return max(1-math.Abs(t), 0) }

// zoomed returns the slices of truth, scanned with white noise, on a grid of 1.4 times as many pixels along x and y.
func zoomed(truth *volume.Volume, sigma float64, seed uint64, kernel func(t float64) float64, reach int) *volume.Volume {
	const zoom = 1.4
	v := white.Scan(truth, sigma, seed)
	g := v.Geometry
	for c := range 2 {
		g.Dims[c] = int(zoom * float64(g.Dims[c]))
		g.Spacing[c] /= zoom
	}
	out := volume.New(g)
	out.Modality, out.Unit = v.Modality, v.Unit
	weights := func(n, of int) (w [][]float64) {
		w = make([][]float64, n)
		for i := range w {
			w[i] = make([]float64, of)
			at, sum := (float64(i)+0.5)/zoom-0.5, 0.0
			for k := int(at) - reach; k <= int(at)+reach+1; k++ {
				a := kernel(at - float64(k))
				sum += a
				w[i][min(max(k, 0), of-1)] += a
			}
			for k := range w[i] {
				w[i][k] /= sum
			}
		}
		return w
	}
	wx, wy := weights(g.Dims[0], v.Dims[0]), weights(g.Dims[1], v.Dims[1])
	rows := make([]float64, g.Dims[0]*v.Dims[1])
	for z := range g.Dims[2] {
		plane := v.Plane(z)
		for y := range v.Dims[1] {
			for x := range g.Dims[0] {
				sum, mid := 0.0, int(float64(x)/zoom)
				for k := max(mid-reach-2, 0); k <= min(mid+reach+2, v.Dims[0]-1); k++ {
					sum += wx[x][k] * float64(plane[y*v.Dims[0]+k])
				}
				rows[y*g.Dims[0]+x] = sum
			}
		}
		for y := range g.Dims[1] {
			mid := int(float64(y) / zoom)
			for x := range g.Dims[0] {
				sum := 0.0
				for k := max(mid-reach-2, 0); k <= min(mid+reach+2, v.Dims[1]-1); k++ {
					sum += wy[y][k] * rows[k*g.Dims[0]+x]
				}
				out.Data[out.Index(x, y, z)] = float32(sum)
			}
		}
	}
	return out
}

// Coarse returns the means of n x n pixels of slices.
func Coarse(v *volume.Volume, n int) *volume.Volume {
	g := v.Geometry
	for c := range 2 {
		g.Dims[c] /= n
		g.Spacing[c] *= float64(n)
	}
	out := volume.New(g)
	for z := range g.Dims[2] {
		for y := range g.Dims[1] {
			for x := range g.Dims[0] {
				sum := float32(0)
				for k := range n * n {
					sum += v.Data[v.Index(n*x+k%n, n*y+k/n, z)]
				}
				out.Data[out.Index(x, y, z)] = sum / float32(n*n)
			}
		}
	}
	return out
}
