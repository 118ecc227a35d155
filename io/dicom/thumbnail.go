package dicom

import (
	"context"
	"fmt"
	"image"

	"quell/io/dicom/instance"
	"quell/volume"
)

// Thumbnail paints the middle slice of entry i as it is stored, in the series'
// own window or one that fits it, at most side pixels wide and high and with the
// proportions that it has in space. Of a large file only that slice is read. It
// may be called from several goroutines. The error is the entry's Err, an *Error
// naming the file, or the context's.
func (c *Catalog) Thumbnail(ctx context.Context, i, side int) (*image.Gray, error) {
	if i < 0 || i >= len(c.Entries) || side < 1 {
		return nil, fmt.Errorf("dicom: thumbnail of %d pixels of entry %d of %d", side, i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := e.Stack[len(e.Stack)/2]
	f, _, err := h.OpenPixelFile(ctx, c.fsys, nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	slice := volume.New(volume.NewGeometry([3]int{h.Format.Cols, h.Format.Rows, 1}, [3]float64{h.Spacing[0], h.Spacing[1], 1}))
	one := &loader{slices: []*instance.Slice{h}, volume: slice, progress: newCounter(1, nil)}
	if h.Format.Padding {
		slice.Mask = make([]bool, len(slice.Data))
	}
	if _, err := one.loadSlice(f, 0, nil); err != nil {
		return nil, err
	}
	window := volume.AutoWindow(slice)
	if len(h.Meta.Windows) > 0 {
		window = h.Meta.Windows[0]
	}
	small := shrink(slice, side)
	return paint(small, window, h.Format.Photometric == "MONOCHROME1"), nil
}

// shrink returns a slice at most side voxels wide and high with square ones,
// each the mean of those it covers.
func shrink(v *volume.Volume, side int) *volume.Volume {
	width, height := float64(v.Dims[0])*v.Spacing[0], float64(v.Dims[1])*v.Spacing[1]
	pixel := max(width, height) / float64(side)
	cols, rows := max(1, int(width/pixel+0.5)), max(1, int(height/pixel+0.5))
	out := volume.New(volume.NewGeometry([3]int{cols, rows, 1}, [3]float64{pixel, pixel, 1}))
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

func paint(v *volume.Volume, w volume.Window, inverted bool) *image.Gray {
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
