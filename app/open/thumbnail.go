package open

import (
	"context"
	"image"

	"quell/series"
	"quell/volume"
)

// Thumbnail renders the middle slice of a series in its own window, or one that fits the
// slice, at most side pixels wide and high.
func Thumbnail(s *series.Series, side int) *image.Gray {
	view := s.Volume.View(s.Volume.Acquired())
	slice := volume.New(volume.NewGeometry([3]int{view.Size[0], view.Size[1], 1}, [3]float64{view.Pixel[0], view.Pixel[1], 1}))
	slice.Data = view.Extract(slice.Data, s.Volume, view.Size[2]/2)
	slice.Mask = view.ExtractMask(nil, s.Volume, view.Size[2]/2)
	window := volume.AutoWindow(slice)
	if len(s.Windows) > 0 {
		window = s.Windows[0]
	}
	return slice.Shrink(side).Gray(window, false)
}

// Thumbnails renders the middle slices of entries in an order, and calls show with each.
// The volumes of a compressed 4-D file, which cannot be read in part, are read one after
// the other in one pass. Entries that cannot be loaded have no picture.
func (c *Catalog) Thumbnails(ctx context.Context, order []int, side int, show func(i int, m *image.Gray)) {
	volumes := c.Volumes(order)
	defer volumes.Close()
	for k, i := range order {
		if ctx.Err() != nil {
			return
		}
		if c.Entries[i].Err != nil {
			continue
		}
		picture := c.Thumbnail(ctx, i, side)
		if picture == nil && c.Entries[i].thumbnail == nil {
			if s, err := volumes.Load(ctx, k, nil); err == nil {
				picture = Thumbnail(s, side)
			}
		}
		if picture != nil && ctx.Err() == nil {
			show(i, picture)
		}
	}
}
