package cpu

import (
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// medianFilter takes the exact median of every window by quickselect on a copy
// of its values.
type medianFilter struct {
	in, out *volume.Volume
	region  volume.Region
	radius  [3]int
}

func newMedian(p denoise.MedianParams, in, out *volume.Volume, region volume.Region) *medianFilter {
	return &medianFilter{in: in, out: out, region: region, radius: p.Radius}
}

func (f *medianFilter) tileSize() [3]int { return [3]int{128, 16, 1} }

func (f *medianFilter) newWorker() worker {
	var values block
	var buf []float32
	return func(tile volume.Region, stop *atomic.Bool) {
		values.load(f.in, tile.Grow(f.radius, f.in.Geometry))
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				if stop.Load() {
					return
				}
				to := f.out.Index(tile.Min[0]-f.region.Min[0], y-f.region.Min[1], z-f.region.Min[2])
				for x := tile.Min[0]; x < tile.Max[0]; x++ {
					if i := to + x - tile.Min[0]; f.out.Valid(i) {
						buf = f.window(buf[:0], &values, x, y, z)
						f.out.Data[i] = median(buf)
					}
				}
			}
		}
	}
}

// window appends the values of the window around (x, y, z) that are used.
func (f *medianFilter) window(buf []float32, b *block, x, y, z int) []float32 {
	at := volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 1, y + 1, z + 1}}
	r := at.Grow(f.radius, f.in.Geometry)
	for jz := r.Min[2]; jz < r.Max[2]; jz++ {
		for jy := r.Min[1]; jy < r.Max[1]; jy++ {
			from := b.at(r.Min[0], jy, jz)
			to := from + r.Max[0] - r.Min[0]
			if b.mask == nil {
				buf = append(buf, b.v[from:to]...)
				continue
			}
			for i := from; i < to; i++ {
				if b.mask[i] != 0 {
					buf = append(buf, b.v[i])
				}
			}
		}
	}
	return buf
}

// median returns the middle value of s, or the mean of the two in the middle,
// rounded once. It changes the order of s.
func median(s []float32) float32 {
	n := len(s)
	upper := quickselect(s, n/2)
	if n%2 == 1 {
		return upper
	}
	// All that quickselect left before n/2 is at most upper.
	lower := s[0]
	for _, v := range s[1 : n/2] {
		lower = max(lower, v)
	}
	return float32((float64(lower) + float64(upper)) / 2)
}

// quickselect returns the k-th smallest value of s, from 0, and leaves nothing
// larger before place k and nothing smaller after it (Hoare 1961, with the
// middle of three as pivot).
func quickselect(s []float32, k int) float32 {
	lo, hi := 0, len(s)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if s[mid] < s[lo] {
			s[mid], s[lo] = s[lo], s[mid]
		}
		if s[hi] < s[lo] {
			s[hi], s[lo] = s[lo], s[hi]
		}
		if s[hi] < s[mid] {
			s[hi], s[mid] = s[mid], s[hi]
		}
		pivot := s[mid]
		i, j := lo, hi
		for i <= j {
			for s[i] < pivot {
				i++
			}
			for pivot < s[j] {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return s[k]
		}
	}
	return s[k]
}
