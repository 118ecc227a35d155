package series

import (
	"image"

	"quell/volume"
)

// Thumbnail renders the middle slice of a series in its own window, or one that fits the
// slice, at most side pixels wide and high.
func (s *Series) Thumbnail(side int) *image.Gray {
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
