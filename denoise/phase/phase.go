// Package phase makes real images of complex ones. Noise of a magnitude is Rician and lifts what is weaker than it; that of the
// real part, once the phase of the signal is taken out, is Gaussian, and its mean is the signal (Eichner et al. 2015).
package phase

import (
	"context"
	"math"
	"math/cmplx"

	"quell/internal/parallel"
	"quell/volume"
)

// width is the standard deviation, in voxels, of the window by which the phase of the signal is found. In a narrower one a voxel
// follows its own noise, which lifts weak signals; a wider one loses signal where the phase bends.
const width = 2.0

// Real returns the real part of a complex volume, given as its magnitude and its phase on the same grid, in steps of so many
// radians, without the phase of the signal. That is found in each slice by itself, as each may have a shot of its own: a ramp
// along x and y, by the mean step from voxel to voxel, and what is left of it in a Gaussian window. Excluded voxels are not
// used, and keep their value. The error is the context's.
func Real(ctx context.Context, magnitude, phase *volume.Volume, step float64) (*volume.Volume, error) {
	out := magnitude.Clone()
	window := window()
	err := parallel.For(ctx, out.Dims[2], func(z int) error {
		n, first := out.SliceVoxels(), z*out.SliceVoxels()
		s := slice{width: out.Dims[0], z: make([]complex128, n)}
		for i := range s.z {
			if k := first + i; magnitude.Valid(k) && phase.Valid(k) {
				s.z[i] = cmplx.Rect(float64(magnitude.Data[k]), step*float64(phase.Data[k]))
			}
		}
		s.level(1)
		s.level(s.width)
		smooth := s.smoothed(window, 1).smoothed(window, s.width)
		for i, v := range s.z {
			if k, b := first+i, smooth.z[i]; v != 0 && b != 0 {
				out.Data[k] = float32(real(v*cmplx.Conj(b)) / cmplx.Abs(b))
			}
		}
		return nil
	})
	return out, err
}

// window returns the weights of distances 0, 1, ...
func window() (w []float64) {
	for d := 0.0; d <= 3*width; d++ {
		w = append(w, math.Exp(-d*d/(2*width*width)))
	}
	return w
}

// slice is a complex slice, x fastest.
type slice struct {
	width int
	z     []complex128
}

// place returns the position of voxel i along the axis with that stride, and the number of positions.
func (s slice) place(i, stride int) (at, n int) {
	if stride == 1 {
		return i % s.width, s.width
	}
	return i / s.width, len(s.z) / s.width
}

// level takes the mean step of the phase along an axis out.
func (s slice) level(stride int) {
	var sum complex128
	for i, v := range s.z {
		if at, n := s.place(i, stride); at+1 < n {
			sum += s.z[i+stride] * cmplx.Conj(v)
		}
	}
	step := cmplx.Phase(sum)
	for i := range s.z {
		at, _ := s.place(i, stride)
		s.z[i] *= cmplx.Rect(1, -step*float64(at))
	}
}

// smoothed returns the slice in a window along an axis.
func (s slice) smoothed(window []float64, stride int) slice {
	out := slice{s.width, make([]complex128, len(s.z))}
	for i := range s.z {
		at, n := s.place(i, stride)
		for d := max(-at, 1-len(window)); d < min(n-at, len(window)); d++ {
			out.z[i] += complex(window[max(d, -d)], 0) * s.z[i+d*stride]
		}
	}
	return out
}
