package viewer

import (
	"math"

	"quell/volume"
)

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

// Transform places a picture in a pane: screen x = Origin[0] + col *
// PixelSize[0]with pixel col covering [col, col+1).
type Transform struct {
	Scale     float64    // screen units per mm
	Origin    [2]float64 // screen position of the picture's top left corner
	PixelSize [2]float64 // width and height of a pixel in screen units
	Size      [2]int     // pixels
}

// Place fits a view's picture into a w x h pane with the aspect ratio of its
// spacing, then magnifies it by zoom about the pane's centre and moves it by pan mm.
func Place(w, h float64, view volume.View, zoom float64, pan [2]float64) Transform {
	t := Transform{Scale: 1, Size: [2]int{view.Size[0], view.Size[1]}}
	mm := [2]float64{float64(view.Size[0]) * view.Pixel[0], float64(view.Size[1]) * view.Pixel[1]}
	if mm[0] > 0 && mm[1] > 0 && w > 0 && h > 0 {
		t.Scale = min(w/mm[0], h/mm[1]) * zoom
	}
	for c, pane := range [2]float64{w, h} {
		t.PixelSize[c] = t.Scale * view.Pixel[c]
		t.Origin[c] = pane/2 + pan[c]*t.Scale - mm[c]*t.Scale/2
	}
	return t
}

// Magnification returns the screen units that a pixel takes along the axis along which
// pixels are closer; 1 on a device is one to one.
func (t Transform) Magnification() float64 { return min(t.PixelSize[0], t.PixelSize[1]) }

// aligned moves the picture by less than one screen unit so that it begins at a whole
// one: at one to one no pixel is interpolated.
func (t Transform) aligned() Transform {
	t.Origin = [2]float64{math.Round(t.Origin[0]), math.Round(t.Origin[1])}
	return t
}

// Pixel returns the pixel under a screen position, which may be outside the picture.
func (t Transform) Pixel(x, y float64) (col, row int) {
	return int(math.Floor((x - t.Origin[0]) / t.PixelSize[0])), int(math.Floor((y - t.Origin[1]) / t.PixelSize[1]))
}

// Center returns the screen position of a pixel's centre.
func (t Transform) Center(col, row int) (x, y float64) {
	return t.Origin[0] + (float64(col)+0.5)*t.PixelSize[0], t.Origin[1] + (float64(row)+0.5)*t.PixelSize[1]
}

// Pixels returns the first and the last pixel (column, row) that a w x h pane shows, wholly or in
// part; all pixels if it shows none.
func (t Transform) Pixels(w, h float64) (first, last [2]int) {
	for c, pane := range [2]float64{w, h} {
		from := math.Floor(-t.Origin[c] / t.PixelSize[c])
		to := math.Ceil((pane-t.Origin[c])/t.PixelSize[c]) - 1
		if !(from < float64(t.Size[c]) && to >= 0 && from <= to) {
			return [2]int{}, [2]int{t.Size[0] - 1, t.Size[1] - 1}
		}
		first[c], last[c] = int(max(from, 0)), int(min(to, float64(t.Size[c]-1)))
	}
	return first, last
}

// Visible returns the screen units [x0, x1) x [y0, y1) of a w x h pane that the
// picture covers, wholly or in part.
func (t Transform) Visible(w, h int) (x0, y0, x1, y1 int) {
	span := func(c, limit int) (from, to int) {
		from = int(math.Round(t.Origin[c]))
		to = int(math.Round(t.Origin[c] + t.PixelSize[c]*float64(t.Size[c])))
		return min(max(from, 0), limit), min(max(to, 0), limit)
	}
	x0, x1 = span(0, w)
	y0, y1 = span(1, h)
	return x0, y0, x1, y1
}
