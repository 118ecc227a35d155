package volume

import "image"

// Shrink returns a slice at most side voxels wide and high with square ones,
// each the mean of those it covers.
func (v *Volume) Shrink(side int) *Volume {
	width, height := float64(v.Dims[0])*v.Spacing[0], float64(v.Dims[1])*v.Spacing[1]
	pixel := max(width, height) / float64(side)
	cols, rows := max(1, int(width/pixel+0.5)), max(1, int(height/pixel+0.5))
	out := New(NewGeometry([3]int{cols, rows, 1}, [3]float64{pixel, pixel, 1}))
	// covered is the range of a source axis under pixel k of n: at least one.
	covered := func(k, n, source int) (from, to int) {
		from = k * source / n
		return from, max((k+1)*source/n, from+1)
	}
	for y := range rows {
		y0, y1 := covered(y, rows, v.Dims[1])
		for x := range cols {
			x0, x1 := covered(x, cols, v.Dims[0])
			var sum float64
			for j := y0; j < y1; j++ {
				for _, p := range v.Data[j*v.Dims[0]+x0 : j*v.Dims[0]+x1] {
					sum += float64(p)
				}
			}
			out.Data[y*cols+x] = float32(sum / float64((y1-y0)*(x1-x0)))
		}
	}
	return out
}

// Gray paints a slice in a window, or in the inverse of it.
func (v *Volume) Gray(w Window, inverted bool) *image.Gray {
	colour := image.NewRGBA(image.Rect(0, 0, v.Dims[0], v.Dims[1]))
	if inverted {
		w.RenderInverted(colour, v.Data)
	} else {
		w.Render(colour, v.Data)
	}
	grey := image.NewGray(colour.Rect)
	for i := range grey.Pix {
		grey.Pix[i] = colour.Pix[4*i]
	}
	return grey
}
