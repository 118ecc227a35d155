package open

import (
	"context"
	"image"
)

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
		picture, err := c.Entries[i].Volume.Thumbnail(ctx, side)
		if picture == nil && err == nil {
			if s, err := volumes.Load(ctx, k, nil); err == nil {
				picture = s.Thumbnail(side)
			}
		}
		if picture != nil && ctx.Err() == nil {
			show(i, picture)
		}
	}
}
