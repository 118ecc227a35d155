package dicom

import (
	"context"
	"fmt"
	"image"

	"quell/io/dicom/instance"
	"quell/series"
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
	slice := volume.New(volume.NewGeometry([3]int{h.Format.Cols, h.Format.Rows, 1}, [3]float64{h.Spacing[0], h.Spacing[1], 1}))
	if h.Format.Padding {
		slice.Mask = make([]bool, len(slice.Data))
	}
	one := &Slices{fsys: c.fsys, stack: []*instance.Slice{h}, plain: series.Series{Volume: slice}, progress: newCounter(1, nil)}
	if _, err := one.Read(ctx, slice.Data, slice.Mask); err != nil {
		return nil, err
	}
	window := volume.AutoWindow(slice)
	if len(h.Meta.Windows) > 0 {
		window = h.Meta.Windows[0]
	}
	return slice.Shrink(side).Gray(window, h.Format.Photometric == "MONOCHROME1"), nil
}
