package viewer

import "math"

// taps are the weights of the input samples in one output sample along an axis:
// weights[k] belongs to sample first+k. The weights sum to 1.
type taps struct {
	first   int
	weights []float32
}

// axis holds the taps of all output samples along one axis. Their weights share one
// slice, which is reused from frame to frame.
type axis struct {
	taps    []taps
	weights []float32
}

// plan computes the taps of output samples from..to-1 from n input samples; sample i
// covers [origin + i*size, origin + (i+1)*size).
//
// Magnified pictures are interpolated linearly, or shown as squares if nearest is
// set. Reduced pictures use a triangle of two output samples' width, which averages
// noise without aliasing.
func (a *axis) plan(from, to, n int, origin, size float64, nearest bool) {
	a.taps, a.weights = a.taps[:0], a.weights[:0]
	width := max(1, 1/size) // half the triangle's base, in input samples
	most := int(2*width) + 2
	if need := (to - from) * most; cap(a.weights) < need {
		a.weights = make([]float32, 0, need)
	}
	for i := from; i < to; i++ {
		at := (float64(i)+0.5-origin)/size - 0.5 // in input samples, 0 = centre of the first
		first := clamp(int(math.Ceil(at-width+1e-9)), n)
		last := clamp(int(math.Floor(at+width-1e-9)), n)
		if nearest && size >= 1 {
			first = clamp(int(math.Round(at)), n)
			last = first
		}
		start := len(a.weights)
		sum := float32(0)
		for k := first; k <= last; k++ {
			w := float32(max(0, 1-math.Abs(float64(k)-at)/width))
			a.weights = append(a.weights, w)
			sum += w
		}
		weights := a.weights[start:]
		for k := range weights {
			if sum > 0 {
				weights[k] /= sum
			} else { // half a sample beyond the outermost centre
				weights[k] = 1 / float32(len(weights))
			}
		}
		a.taps = append(a.taps, taps{first: first, weights: weights})
	}
}

func clamp(i, n int) int { return min(max(i, 0), n-1) }

// Resampler resamples float values to screen resolution, first along rows, then
// along columns. It holds its working memory and is for one goroutine at a time.
type Resampler struct {
	cols, rows axis
	lines      []float32
}

// Resample returns the values of the screen samples [x0, x1) x [y0, y1), row by
// row, in dst if that is large enough. Values are interpolated before they are
// mapped to grey, so that a narrow window does not show the interpolation.
func (r *Resampler) Resample(dst, src []float32, t Transform, x0, y0, x1, y1 int, nearest bool) []float32 {
	w, h := max(x1-x0, 0), max(y1-y0, 0)
	dst = resize(dst, w*h)
	if w == 0 || h == 0 {
		return dst
	}
	r.cols.plan(x0, x1, t.Size[0], t.Origin[0], t.PixelSize[0], nearest)
	r.rows.plan(y0, y1, t.Size[1], t.Origin[1], t.PixelSize[1], nearest)

	// Only the input rows that output rows need.
	top := r.rows.taps[0].first
	end := r.rows.taps[h-1]
	lines := end.first + len(end.weights) - top
	r.lines = resize(r.lines, lines*w)
	for l := range lines {
		in := src[(top+l)*t.Size[0]:][:t.Size[0]]
		out := r.lines[l*w:][:w]
		for x, tap := range r.cols.taps {
			if len(tap.weights) == 2 { // every magnification
				pair := in[tap.first:][:2]
				out[x] = tap.weights[0]*pair[0] + tap.weights[1]*pair[1]
				continue
			}
			sum := float32(0)
			for k, weight := range tap.weights {
				sum += weight * in[tap.first+k]
			}
			out[x] = sum
		}
	}
	for y, tap := range r.rows.taps {
		out := dst[y*w:][:w]
		if len(tap.weights) == 2 {
			above, below := r.lines[(tap.first-top)*w:][:w], r.lines[(tap.first-top+1)*w:][:w]
			a, b := tap.weights[0], tap.weights[1]
			for x := range out {
				out[x] = a*above[x] + b*below[x]
			}
			continue
		}
		for k, weight := range tap.weights {
			in := r.lines[(tap.first-top+k)*w:][:w]
			if k == 0 {
				for x, v := range in {
					out[x] = weight * v
				}
				continue
			}
			for x, v := range in {
				out[x] += weight * v
			}
		}
	}
	return dst
}

// resize returns a slice of n undefined values, in the memory of s if it is large
// enough.
func resize(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
