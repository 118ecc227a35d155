package sliceview

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/measure"
	"quell/ui/palette"
	"quell/ui/viewer"
)

// Mark is a shape over the picture, with its figures.
type Mark struct {
	measure.Outline
	Text     string
	Selected bool
}

// Marker takes the drags that draw and move marks. Points are (column, row) of the picture.
type Marker interface {
	// PressMark takes a drag that begins at a point, or not. Reach is how near a point
	// counts as on a mark, in pixels along both axes.
	PressMark(at, reach [2]float64) bool
	DragMark(at [2]float64)
	ReleaseMark()
}

const (
	markReach  = 6   // screen units
	handleSize = 3.5 // half of the edge, in screen units
	markWidth  = 1.4 // screen units
	haloWidth  = 3.4
)

// inPixels turns a position of the pane into (column, row), and says how far the
// reach of a mark is there.
func (p *Pane) inPixels(pos fyne.Position) (at, reach [2]float64) {
	area := p.Size()
	t := p.cut().Transform(float64(area.Width), float64(area.Height))
	for c, x := range [2]float64{float64(pos.X), float64(pos.Y)} {
		at[c] = (x-t.Origin[c])/t.PixelSize[c] - 0.5
		reach[c] = markReach / t.PixelSize[c]
	}
	return at, reach
}

// pressMark begins a drag of a mark, if the marker takes it.
func (p *Pane) pressMark(pos fyne.Position) bool {
	if p.events.Marker == nil || p.state.Volume() == nil {
		return false
	}
	at, reach := p.inPixels(pos)
	return p.events.Marker.PressMark(at, reach)
}

func (p *Pane) releaseMark() {
	if p.marking {
		p.marking = false
		p.events.Marker.ReleaseMark()
	}
}

// marks is the layer of the marks: one image of the part of the pane that they cover, and
// their texts.
type marks struct {
	image  *canvas.Image
	texts  []*plate
	drawn  []Mark // that the image shows
	placed viewer.Transform
	area   image.Rectangle // of the image, in device pixels of the picture's area
}

func newMarks() *marks {
	m := &marks{image: canvas.NewImageFromImage(nil)}
	m.image.ScaleMode = canvas.ImageScaleFastest
	m.image.FillMode = canvas.ImageFillStretch
	m.image.Hidden = true
	return m
}

// layoutMarks draws the marks if they or their place have changed.
func (r *renderer) layoutMarks() {
	m, p := r.marks, r.pane
	shown := p.caption.Marks
	if p.frame.Image == nil || p.state.Overlay() == viewer.OverlayBare {
		shown = nil
	}
	area := p.Pixels()
	scale := float64(p.scale())
	t := p.cut().Transform(float64(area.Width), float64(area.Height))
	if !sameMarks(shown, m.drawn) || t != m.placed {
		m.drawn, m.placed = shown, t
		img, at := drawMarks(shown, t, area, scale)
		m.image.Hidden, m.area = img == nil, at
		if img != nil {
			img.Rect = img.Rect.Sub(img.Rect.Min) // what paints it without a GPU begins at (0, 0)
			m.image.Image = img
			m.image.Refresh()
		}
	}
	m.image.Move(fyne.NewPos(float32(float64(m.area.Min.X)/scale), float32(float64(m.area.Min.Y)/scale)))
	m.image.Resize(fyne.NewSize(float32(float64(m.area.Dx())/scale), float32(float64(m.area.Dy())/scale)))
	r.layoutMarkTexts(shown, t, scale)
}

func sameMarks(a, b []Mark) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Selected != b[i].Selected || a[i].Shape != b[i].Shape || len(a[i].Points) != len(b[i].Points) {
			return false
		}
		for k := range a[i].Points {
			if a[i].Points[k] != b[i].Points[k] {
				return false
			}
		}
	}
	return true
}

// onDevice returns the corners of a mark in device pixels of the picture's area.
func onDevice(points [][2]float64, t viewer.Transform) [][2]float64 {
	out := make([][2]float64, len(points))
	for i, p := range points {
		for c := range p {
			out[i][c] = t.Origin[c] + (p[c]+0.5)*t.PixelSize[c]
		}
	}
	return out
}

// drawMarks draws marks on a transparent image of the part of the pane that they need, and
// returns its place; nil if none is in the pane.
func drawMarks(all []Mark, t viewer.Transform, pane viewer.Pane, scale float64) (*image.RGBA, image.Rectangle) {
	var bounds image.Rectangle
	margin := int(math.Ceil((handleSize + haloWidth) * scale))
	for _, m := range all {
		if box, ok := boundsOf(onDevice(m.Corners(), t)); ok {
			bounds = bounds.Union(box.Inset(-margin))
		}
	}
	bounds = bounds.Intersect(image.Rect(0, 0, pane.Width, pane.Height))
	if bounds.Empty() {
		return nil, bounds
	}
	img := image.NewRGBA(bounds)
	for _, pass := range []struct {
		width float64
		halo  bool
	}{{haloWidth, true}, {markWidth, false}} {
		for _, m := range all {
			c := palette.Picture.Mark
			if m.Selected {
				c = palette.Picture.Selected
			}
			if pass.halo {
				c = palette.Picture.Halo
			}
			corners := onDevice(m.Corners(), t)
			stroke(img, corners, m.Shape != measure.Line, pass.width*scale, c)
			if m.Selected {
				for _, h := range onDevice(m.Handles(), t) {
					d := handleSize * scale
					stroke(img, [][2]float64{{h[0] - d, h[1] - d}, {h[0] + d, h[1] - d}, {h[0] + d, h[1] + d}, {h[0] - d, h[1] + d}}, true, pass.width*scale, c)
				}
			}
		}
	}
	return img, bounds
}

// boundsOf returns a box around points, false without any that is finite.
func boundsOf(points [][2]float64) (box image.Rectangle, ok bool) {
	const limit = 1 << 20 // far outside every screen
	for _, p := range points {
		if math.IsNaN(p[0]) || math.IsNaN(p[1]) {
			continue
		}
		x, y := int(math.Round(min(max(p[0], -limit), limit))), int(math.Round(min(max(p[1], -limit), limit)))
		dot := image.Rect(x, y, x+1, y+1)
		if !ok {
			box, ok = dot, true
			continue
		}
		box = box.Union(dot)
	}
	return box, ok
}

// stroke draws the segments between points, with smooth edges. If two overlap, the
// stronger counts, so that translucent lines have no knots.
func stroke(img *image.RGBA, points [][2]float64, closed bool, width float64, c color.NRGBA) {
	if len(points) == 1 {
		points = append(points, points[0])
	}
	n := len(points) - 1
	if closed {
		n = len(points)
	}
	box, ok := boundsOf(points)
	if !ok {
		return
	}
	reach := int(math.Ceil(width/2 + 1))
	box = box.Inset(-reach).Intersect(img.Rect)
	if box.Empty() {
		return
	}
	cover := make([]float32, box.Dx()*box.Dy())
	for i := range n {
		a, b := points[i], points[(i+1)%len(points)]
		part, _ := boundsOf([][2]float64{a, b})
		part = part.Inset(-reach).Intersect(box)
		dx, dy := b[0]-a[0], b[1]-a[1]
		length := dx*dx + dy*dy
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				px, py := float64(x)+0.5-a[0], float64(y)+0.5-a[1]
				at := 0.0
				if length > 0 {
					at = min(max((px*dx+py*dy)/length, 0), 1)
				}
				share := float32(min(max(width/2+0.5-math.Hypot(px-at*dx, py-at*dy), 0), 1))
				k := (y-box.Min.Y)*box.Dx() + x - box.Min.X
				cover[k] = max(cover[k], share)
			}
		}
	}
	for k, share := range cover {
		if share > 0 {
			blend(img, box.Min.X+k%box.Dx(), box.Min.Y+k/box.Dx(), c, float64(share)*float64(c.A)/255)
		}
	}
}

// blend lays a colour over a pixel of an image with premultiplied alpha.
func blend(img *image.RGBA, x, y int, c color.NRGBA, alpha float64) {
	i := img.PixOffset(x, y)
	for k, v := range [4]uint8{c.R, c.G, c.B, 0xff} {
		img.Pix[i+k] = uint8(math.Round(float64(v)*alpha + float64(img.Pix[i+k])*(1-alpha)))
	}
}

// layoutMarkTexts places the text of each mark below it, inside the picture's area.
func (r *renderer) layoutMarkTexts(shown []Mark, t viewer.Transform, scale float64) {
	area := r.pane.Size()
	for i, text := range r.marks.texts {
		if i >= len(shown) {
			text.show(false)
			continue
		}
		m := shown[i]
		box, ok := boundsOf(onDevice(m.Corners(), t))
		c := palette.Picture.Mark
		if m.Selected {
			c = palette.Picture.Selected
		}
		text.text.Color = c
		text.set(ellipsis(m.Text, area.Width-2*margin, textSize, text.text.TextStyle))
		lo := fyne.NewPos(float32(float64(box.Min.X)/scale), float32(float64(box.Min.Y)/scale))
		hi := fyne.NewPos(float32(float64(box.Max.X)/scale), float32(float64(box.Max.Y)/scale))
		ok = ok && hi.X >= 0 && hi.Y >= 0 && lo.X <= area.Width && lo.Y <= area.Height
		text.show(ok && m.Text != "" && !r.pane.caption.Small)
		s := text.size()
		x := min(max((lo.X+hi.X-s.Width)/2, margin), area.Width-margin-s.Width)
		y := hi.Y + 5
		if y+s.Height > area.Height {
			y = max(lo.Y-5-s.Height, 0)
		}
		text.move(fyne.NewPos(x, y))
	}
}

// maxMarkTexts is how many marks of a slice have a text on the picture; the list has all.
const maxMarkTexts = 12
