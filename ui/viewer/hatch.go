package viewer

// Hatching marks where side A of a comparison has no data: lines that rise to the right, hatchStep device
// pixels apart and hatchLine wide, in a colour that no window gives.
const (
	hatchStep = 12
	hatchLine = 2
)

var hatchColor = [3]uint8{0x50, 0x62, 0x78}

// hatch draws the hatching over the samples of a frame, which t places. Of a comparison it covers side A.
func (p *painter) hatch(job Job, show content, f Frame, pane Pane, t Transform) {
	cover := &p.outside[0]
	*cover = p.resampler.Resample(*cover, show.outside, t, f.X0, f.Y0, f.X1, f.Y1, true)
	if show.first != nil {
		b := &p.outside[1]
		*b = resize(*b, len(*cover))
		clear(*b)
		job.Compare.compose(*cover, *b, f, pane)
		cover = b
	}
	width := f.X1 - f.X0
	for i, share := range *cover {
		x, y := i%width, i/width
		if share <= 0 || (x+f.X0+y+f.Y0)%hatchStep >= hatchLine {
			continue
		}
		rgb := f.Image.Pix[f.Image.PixOffset(x, y):][:3]
		for c, v := range rgb {
			rgb[c] = uint8(float32(v) + share*(float32(hatchColor[c])-float32(v)))
		}
	}
}
