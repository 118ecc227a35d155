package dicom

import (
	"context"
	"fmt"
	"image"
	"io/fs"

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
	h := e.slices[len(e.slices)/2]
	f, err := h.readPixels(c.fsys)
	if err != nil {
		return nil, err
	}
	slice := volume.New(volume.NewGeometry([3]int{h.format.cols, h.format.rows, 1}, [3]float64{h.spacing[0], h.spacing[1], 1}))
	if slice.Mask, err = h.loadSlice(slice.Data, f); err != nil {
		return nil, err
	}
	window := volume.AutoWindow(slice)
	if len(h.meta.Windows) > 0 {
		window = h.meta.Windows[0]
	}
	small := shrink(slice, side)
	return paint(small, window, h.format.photometric == "MONOCHROME1"), nil
}

// readPixels reads as much of a slice's file as its pixels need.
func (h *header) readPixels(fsys fs.FS) (*pixelFile, error) {
	n := h.image().bytes()
	// Bytes that were swapped in pairs may cross from frame to frame.
	if swapped := h.syntax.encoding == explicitBE && h.format.alloc == 8; !h.syntax.native() || swapped || h.size < 2*n {
		file, err := readFile(fsys, h.name, h.size, nil)
		if err != nil {
			return nil, err
		}
		return h.openPixels(file)
	}
	first := int64(h.frame)
	if h.tiles != nil {
		first = 0
	}
	file, err := fsys.Open(h.name)
	if err != nil {
		return nil, fileError(h.name, "check that it exists and may be read", err, "it cannot be opened (%s)", cause(err))
	}
	defer file.Close()
	w := &window{r: file, size: h.size}
	raw, err := w.at(h.pixelsAt+first*n, int(n))
	if err != nil {
		return nil, fileError(h.name, "scan the folder again", err, "the file changed since it was scanned")
	}
	littleEndian(raw, h.syntax.encoding, h.pixelsVR, h.format.alloc)
	return &pixelFile{pixels: raw, first: first, frame: n}, nil
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
