package phantom

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/internal/parallel"
	"quell/volume"
)

func (r Recon) validate() error {
	switch r.Method {
	case "fbp":
		if r.Regularise != nil {
			return fmt.Errorf("fbp has no passes to filter after; the reconstruction sart has")
		}
		if r.Kernel != "sharp" && r.Kernel != "soft" {
			return fmt.Errorf("no kernel is called %q; there are sharp and soft", r.Kernel)
		}
		return nil
	case "sart":
		if r.Iterations < 1 || r.Iterations > 1000 {
			return fmt.Errorf("%d iterations: SART takes 1 to 1000", r.Iterations)
		}
		if !(r.Relaxation > 0 && r.Relaxation < 2) {
			return fmt.Errorf("a relaxation of %g: it must lie between 0 and 2", r.Relaxation)
		}
		return nil
	}
	return fmt.Errorf("no reconstruction is called %q; there are %s", r.Method, strings.Join(Reconstructions(), ", "))
}

// run reconstructs one slice of attenuation in 1/mm.
func (r Recon) run(ctx context.Context, s *sinogram, g volume.Geometry) ([]float64, error) {
	if r.Method == "sart" {
		return r.sart(ctx, s, g)
	}
	r.filter(s)
	image := make([]float64, g.SliceVoxels())
	for view := range s.views {
		row := s.row(view)
		err := s.alongRays(ctx, g, view, func(i int, at float64) {
			if k := int(at); k >= 0 && k < len(row)-1 {
				t := at - float64(k)
				image[i] += (1-t)*row[k] + t*row[k+1]
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range image {
		image[i] *= math.Pi / float64(s.views)
	}
	return image, nil
}

// alongRays calls f with every pixel of the slice and the place at which its centre
// falls on the detector, in elements; rows of pixels side by side. The error is the context's.
func (s *sinogram) alongRays(ctx context.Context, g volume.Geometry, view int, f func(i int, at float64)) error {
	sin, cos := s.angle(view)
	return inChunks(ctx, g.Dims[1], func(y int) {
		at := float64(s.detectors-1)/2 - float64(g.Dims[0]-1)/2*cos + (float64(y)-float64(g.Dims[1]-1)/2)*sin
		for i := y * g.Dims[0]; i < (y+1)*g.Dims[0]; i++ {
			f(i, at)
			at += cos
		}
	})
}

// inChunks calls f(0) to f(n-1), in any order. Calls of a few microseconds each are handed out by the chunk.
func inChunks(ctx context.Context, n int, f func(i int)) error {
	const chunk = 32
	return parallel.For(ctx, (n+chunk-1)/chunk, func(c int) error {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			f(i)
		}
		return nil
	})
}

// filter convolves every view with the ramp (Ramachandran, Lakshminarayanan
// 1971), sampled in space so that the mean stays right, and for the soft kernel
// with a Hann window on its spectrum.
func (r Recon) filter(s *sinogram) {
	n := 1
	for n < 2*s.detectors {
		n *= 2
	}
	ramp := make([]float64, n)
	ramp[0] = 0.25 / (s.pitch * s.pitch)
	for k := 1; k < n/2; k += 2 {
		h := -1 / math.Pow(math.Pi*float64(k)*s.pitch, 2)
		ramp[k], ramp[n-k] = h, h
	}
	fft := fourier.NewFFT(n)
	response := fft.Coefficients(nil, ramp)
	for k := range response {
		gain := real(response[k]) * s.pitch
		if r.Kernel == "soft" {
			gain *= 0.5 + 0.5*math.Cos(math.Pi*float64(k)/float64(n/2))
		}
		response[k] = complex(gain/float64(n), 0) // the inverse is not normalised
	}
	padded := make([]float64, n)
	var spectrum []complex128
	for view := range s.views {
		clear(padded)
		copy(padded, s.row(view))
		spectrum = fft.Coefficients(spectrum, padded)
		for k := range spectrum {
			spectrum[k] *= response[k]
		}
		copy(s.row(view), fft.Sequence(padded, spectrum))
	}
}

// sart is the simultaneous algebraic reconstruction technique (Andersen, Kak
// 1984): view after view, the difference between measured and computed
// projections, divided by the length of the ray, is added to the pixels that the
// ray passes. Attenuation stays at 0 or above. After each pass the slice
// is filtered if Regularise is set.
func (r Recon) sart(ctx context.Context, s *sinogram, g volume.Geometry) ([]float64, error) {
	image := make([]float64, g.SliceVoxels())
	correction := make([]float64, s.detectors)
	for range r.Iterations {
		for _, view := range interleaved(s.views) {
			measured := s.row(view)
			err := inChunks(ctx, s.detectors, func(d int) {
				sum, length := s.along(image, g, view, d)
				correction[d] = 0
				if length > 0 {
					correction[d] = r.Relaxation * (measured[d] - sum) / length
				}
			})
			if err != nil {
				return nil, err
			}
			err = s.alongRays(ctx, g, view, func(i int, at float64) {
				if k := int(at); k >= 0 && k < s.detectors-1 {
					t := at - float64(k)
					image[i] = max(image[i]+(1-t)*correction[k]+t*correction[k+1], 0)
				}
			})
			if err != nil {
				return nil, err
			}
		}
		if err := r.regularise(ctx, image, g); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// regularise filters the image, if Regularise is set.
func (r Recon) regularise(ctx context.Context, image []float64, g volume.Geometry) error {
	if r.Regularise == nil {
		return nil
	}
	g.Dims[2] = 1
	slice := volume.New(g)
	slice.Unit = "HU"
	for i, mu := range image {
		slice.Data[i] = hounsfield(mu)
	}
	filtered, err := r.Regularise(ctx, slice)
	if err != nil {
		return err
	}
	for i, hu := range filtered.Data {
		image[i] = max(attenuation(hu), 0)
	}
	return nil
}

// along integrates the image along the ray of detector element d by Joseph's
// method (1982): one sample, interpolated between two pixels, for every row or
// column that the ray crosses. It returns the integral and the length of the ray
// within the grid, in mm.
func (s *sinogram) along(image []float64, g volume.Geometry, view, d int) (sum, length float64) {
	sin, cos := s.angle(view)
	at := float64(d) - float64(s.detectors-1)/2
	nx, ny := g.Dims[0], g.Dims[1]
	cx, cy := float64(nx-1)/2, float64(ny-1)/2
	// The ray is x cos + y sin = at; u runs along the axis that it is closer to.
	n, m, stepU, stepV := ny, nx, nx, 1
	first, slope := cx+(at+cy*sin)/cos, -sin/cos // x at y = 0, and per row
	inclination := math.Abs(cos)
	if math.Abs(sin) > math.Abs(cos) {
		n, m, stepU, stepV = nx, ny, 1, nx
		first, slope = cy+(at+cx*cos)/sin, -cos/sin
		inclination = math.Abs(sin)
	}
	step := s.pitch / inclination
	lo, hi := crossed(n, m, first, slope)
	for u := lo; u < hi; u++ {
		v := first + slope*float64(u)
		k := int(math.Floor(v))
		if k < 0 || k >= m-1 {
			continue
		}
		t := v - float64(k)
		i := u*stepU + k*stepV
		sum += step * ((1-t)*image[i] + t*image[i+stepV])
		length += step
	}
	return sum, length
}

// crossed returns a range of u from lo to below hi that holds every u from 0 to n-1 with first + slope u within 0 to m-1.
func crossed(n, m int, first, slope float64) (lo, hi int) {
	if slope == 0 {
		return 0, n
	}
	a, b := -first/slope, (float64(m-1)-first)/slope
	if a > b {
		a, b = b, a
	}
	limit := func(x float64) int { return int(min(max(x, 0), float64(n))) }
	return limit(math.Floor(a)), limit(math.Floor(b) + 2)
}

// interleaved orders views so that successive ones lie far apart: by the golden
// section of half a turn.
func interleaved(views int) []int {
	order := make([]int, views)
	key := make([]float64, views)
	for i := range order {
		order[i] = i
		_, key[i] = math.Modf(float64(i) * 0.6180339887498949)
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case key[a] < key[b]:
			return -1
		case key[a] > key[b]:
			return 1
		}
		return a - b
	})
	return order
}
