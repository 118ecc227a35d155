// Package noisetest makes volumes with the noise of real scanners, for tests: complex noise in k-space, which the
// scanner filters, cuts or fills with zeros before it takes the magnitude.
package noisetest

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/volume"
)

// KSpace is what a scanner does to k-space before it makes an image.
type KSpace struct {
	Name     string
	Response func(fx, fy float64) float64 // at a frequency in cycles a pixel, along x and y
	Real     bool                         // the image is the real part, as after a correction of the phase
	Places   func(x, y float64) float64   // by which the noise before k-space is stronger, at -1 to 1; nil: nowhere
}

// Box is the response of the middle of k-space, of that width in cycles a pixel.
func Box(f, width float64) float64 {
	if math.Abs(f) <= width/2+1e-9 {
		return 1
	}
	return 0
}

// Hamming is the response of a Hamming window of that width in cycles a pixel.
func Hamming(f, width float64) float64 {
	return Box(f, width) * (0.54 + 0.46*math.Cos(2*math.Pi*f/width))
}

// Gauss is the response of a Gaussian of s pixels.
func Gauss(s float64) func(fx, fy float64) float64 {
	return func(fx, fy float64) float64 { return math.Exp(-2 * math.Pi * math.Pi * s * s * (fx*fx + fy*fy)) }
}

// Scanners are the filters of tables.
var Scanners = []KSpace{
	{Name: "zero-filled x2", Response: func(fx, fy float64) float64 { return Box(fx, 0.5) * Box(fy, 0.5) }},
	{Name: "phase 60 %", Response: func(_, fy float64) float64 { return Box(fy, 0.6) }},
	{Name: "ellipse", Response: func(fx, fy float64) float64 {
		if math.Hypot(fx, fy) <= 0.5 {
			return 1
		}
		return 0
	}},
	{Name: "hamming", Response: func(fx, fy float64) float64 { return Hamming(fx, 1) * Hamming(fy, 1) }},
	{Name: "hamming, 75 %", Response: func(fx, fy float64) float64 { return Hamming(fx, 0.75) * Hamming(fy, 0.75) }},
	{Name: "fermi", Response: func(fx, fy float64) float64 { return 1 / (1 + math.Exp((math.Hypot(fx, fy)-0.38)/0.03)) }},
	{Name: "gauss 0.4", Response: Gauss(0.4)},
	{Name: "gauss 0.6", Response: Gauss(0.6)},
	{Name: "gauss 0.8", Response: Gauss(0.8)},
}

// Scan returns the magnitude image of truth with complex noise whose k-space went through the response, and in
// the image has the given sigma. The truth goes through it as well.
func (k KSpace) Scan(truth *volume.Volume, sigma float64, seed uint64) *volume.Volume {
	out := truth.Clone()
	nx, ny := truth.Dims[0], truth.Dims[1]
	rows, columns := fourier.NewCmplxFFT(nx), fourier.NewCmplxFFT(ny)
	h := make([]float64, nx*ny)
	energy := 0.0
	for y := range ny {
		for x := range nx {
			h[y*nx+x] = k.Response(rows.Freq(x), columns.Freq(y))
			energy += h[y*nx+x] * h[y*nx+x]
		}
	}
	gain := math.Sqrt(energy / float64(nx*ny))
	if k.Real { // which holds half of the noise of frequencies whose opposites are empty
		energy = 0
		for y := range ny {
			for x := range nx {
				a, b := h[y*nx+x], h[(ny-y)%ny*nx+(nx-x)%nx]
				energy += (a*a + b*b) / 2
			}
		}
		gain = math.Sqrt(energy / float64(nx*ny))
	}
	r := rand.New(rand.NewPCG(seed, 27))
	plane, column := make([]complex128, nx*ny), make([]complex128, ny)
	each := func(row func(line []complex128), column1 func(line []complex128)) {
		for y := range ny {
			row(plane[y*nx : (y+1)*nx])
		}
		for x := range nx {
			for y := range ny {
				column[y] = plane[y*nx+x]
			}
			column1(column)
			for y := range ny {
				plane[y*nx+x] = column[y]
			}
		}
	}
	for z := range truth.Dims[2] {
		for i := range plane {
			s := sigma / gain
			if k.Places != nil {
				s *= k.Places(2*float64(i%nx)/float64(nx)-1, 2*float64(i/nx)/float64(ny)-1)
			}
			plane[i] = complex(float64(truth.Data[z*nx*ny+i])+s*r.NormFloat64(), s*r.NormFloat64())
		}
		each(func(l []complex128) { rows.Coefficients(l, l) }, func(l []complex128) { columns.Coefficients(l, l) })
		for i := range plane {
			plane[i] *= complex(h[i]/float64(nx*ny), 0)
		}
		each(func(l []complex128) { rows.Sequence(l, l) }, func(l []complex128) { columns.Sequence(l, l) })
		for i, a := range plane {
			if k.Real {
				a = complex(real(a), 0)
			}
			out.Data[z*nx*ny+i] = float32(math.Hypot(real(a), imag(a)))
		}
	}
	return out
}

// Thick returns the means of n slices each.
func Thick(v *volume.Volume, n int) *volume.Volume {
	g := v.Geometry
	g.Dims[2] /= n
	g.Spacing[2] *= float64(n)
	out := volume.New(g)
	for i := range out.Data {
		sum := float32(0)
		for k := range n {
			sum += v.Data[(i/g.SliceVoxels()*n+k)*g.SliceVoxels()+i%g.SliceVoxels()]
		}
		out.Data[i] = sum / float32(n)
	}
	return out
}

// Rho is the correlation of pixels that lie (dx, dy) apart in noise with that response.
func (k KSpace) Rho(dx, dy int) float64 {
	const n = 128
	sum, total := 0.0, 0.0
	for i := range n {
		for j := range n {
			fx, fy := (float64(i)-n/2)/n, (float64(j)-n/2)/n
			h := k.Response(fx, fy)
			total += h * h
			sum += h * h * math.Cos(2*math.Pi*(fx*float64(dx)+fy*float64(dy)))
		}
	}
	return sum / total
}

// Turned returns n sections of a volume of axial slices from the middle on: coronal ones, or sagittal ones.
func Turned(v *volume.Volume, sagittal bool, n int) *volume.Volume {
	across := 1
	if sagittal {
		across = 0
	}
	g := v.Geometry
	g.Dims = [3]int{v.Dims[1-across], v.Dims[2], n}
	g.Spacing = [3]float64{v.Spacing[1-across], v.Spacing[2], v.Spacing[across]}
	out := volume.New(g)
	for i := range out.Data {
		at := [3]int{}
		at[1-across], at[2], at[across] = i%g.Dims[0], i/g.Dims[0]%g.Dims[1], v.Dims[across]/2+i/g.SliceVoxels()
		out.Data[i] = v.Data[v.Index(at[0], at[1], at[2])]
	}
	return out
}
