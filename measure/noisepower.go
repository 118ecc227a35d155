package measure

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/volume"
)

// Spectrum is a noise power spectrum, averaged over directions.
type Spectrum struct {
	Frequency []float64 `json:"frequency"` // cycles per mm, the middle of each ring, rising from the first above 0
	Power     []Float   `json:"power"`     // squared unit of the volume times mm^2; NaN in a ring without samples
	Patches   int       `json:"patches"`   // how many were averaged
	Variance  float64   `json:"variance"`  // the integral of the two-dimensional spectrum
}

// NoisePower returns the two-dimensional noise power spectrum of slices (IEC
// 62220-1; Samei et al. 2019, AAPM TG-233):
//
//	NPS(u, v) = dx dy / (n n) < |DFT(patch - its mean)|^2 >
//
// The region is covered by patches of n x n voxels that overlap by half, on each
// of its slices; those that hold padding are left out. Rings of width 1 / (n d)
// with d the larger of dx and dy, up to the Nyquist frequency of d, average over
// directions.
//
// v should hold noise alone: a residual, a difference of two scans, or an even
// phantom. The region must lie inside v and hold at least one patch.
func NoisePower(ctx context.Context, v *volume.Volume, region volume.Region, n int) (Spectrum, error) {
	if err := region.Validate(v.Geometry); err != nil {
		return Spectrum{}, fmt.Errorf("measure: %w", err)
	}
	dims := region.Dims()
	if n < 4 || n > dims[0] || n > dims[1] {
		return Spectrum{}, fmt.Errorf("measure: patches of %d x %d voxels do not fit into %d x %d; 4 or more are needed", n, n, dims[0], dims[1])
	}
	type part struct {
		power   []float64
		patches int
	}
	parts := make([]part, dims[2])
	err := parallel(ctx, dims[2], func(i int) {
		f := newTransform(n)
		p := part{power: make([]float64, n*n)}
		z := region.Min[2] + i
		for y := region.Min[1]; y+n <= region.Max[1] && ctx.Err() == nil; y += n / 2 {
			for x := region.Min[0]; x+n <= region.Max[0]; x += n / 2 {
				if f.load(v, x, y, z) {
					f.addPower(p.power)
					p.patches++
				}
			}
		}
		parts[i] = p
	})
	if err != nil {
		return Spectrum{}, err
	}
	total := make([]float64, n*n)
	patches := 0
	for _, p := range parts {
		patches += p.patches
		for i, x := range p.power {
			total[i] += x
		}
	}
	if patches == 0 {
		return Spectrum{}, errors.New("measure: every patch of the region holds padding")
	}
	dx, dy := v.Spacing[0], v.Spacing[1]
	for i := range total {
		total[i] *= dx * dy / float64(n*n) / float64(patches)
	}
	s := rings(total, n, dx, dy)
	s.Patches = patches
	return s, nil
}

// rings averages a two-dimensional spectrum over directions.
func rings(power []float64, n int, dx, dy float64) Spectrum {
	width := 1 / (float64(n) * max(dx, dy))
	count := n / 2
	s := Spectrum{Frequency: make([]float64, count), Power: make([]Float, count)}
	samples := make([]int, count)
	for row := range n {
		for col := range n {
			p := power[row*n+col]
			s.Variance += p / (float64(n) * dx * float64(n) * dy)
			u := signedBin(col, n) / (float64(n) * dx)
			w := signedBin(row, n) / (float64(n) * dy)
			ring := int(math.Round(math.Hypot(u, w)/width)) - 1
			if ring >= 0 && ring < count {
				s.Power[ring] += Float(p)
				samples[ring]++
			}
		}
	}
	for i := range s.Power {
		s.Frequency[i] = float64(i+1) * width
		s.Power[i] /= Float(samples[i])
	}
	return s
}

// signedBin returns the frequency of bin i of a DFT of n samples, in cycles per
// n samples, between -n/2 and n/2.
func signedBin(i, n int) float64 {
	if 2*i > n {
		i -= n
	}
	return float64(i)
}

// transform computes two-dimensional DFTs of n x n patches.
type transform struct {
	n    int
	fft  *fourier.CmplxFFT
	data []complex128
	line []complex128
}

func newTransform(n int) *transform {
	return &transform{
		n: n, fft: fourier.NewCmplxFFT(n),
		data: make([]complex128, n*n), line: make([]complex128, n),
	}
}

// load takes the patch at x, y of slice z less its mean; it says no where the
// patch holds padding.
func (f *transform) load(v *volume.Volume, x, y, z int) bool {
	sum := 0.0
	for row := range f.n {
		at := v.Index(x, y+row, z)
		for col := range f.n {
			if !v.Valid(at + col) {
				return false
			}
			value := float64(v.Data[at+col])
			sum += value
			f.data[row*f.n+col] = complex(value, 0)
		}
	}
	mean := complex(sum/float64(f.n*f.n), 0)
	for i := range f.data {
		f.data[i] -= mean
	}
	return true
}

// addPower transforms the patch in place and adds its squared magnitudes.
func (f *transform) addPower(power []float64) {
	for row := range f.n {
		r := f.data[row*f.n : (row+1)*f.n]
		f.fft.Coefficients(r, r)
	}
	for col := range f.n {
		for row := range f.line {
			f.line[row] = f.data[row*f.n+col]
		}
		f.fft.Coefficients(f.line, f.line)
		for row, c := range f.line {
			power[row*f.n+col] += real(c)*real(c) + imag(c)*imag(c)
		}
	}
}
