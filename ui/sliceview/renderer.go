package sliceview

import (
	"fmt"
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/lang"

	"quell/ui/palette"
	"quell/ui/viewer"
)

const (
	lineHeight = 19               // of the heading
	textTop    = 2*lineHeight + 4 // below the two lines of the heading
	crossArm   = 7
	otherSize  = 30 // of the number across another slice
	hairGap    = 9  // on every side of the crosshair's point
)

var badgeColors = map[BadgeKind]color.Color{
	NoBadge: palette.Picture.Dim,
	Good:    palette.Picture.Good,
	Busy:    palette.Picture.Busy,
	Caution: palette.Picture.Caution,
}

// renderer places the parts of a pane: ground, picture, texts, cross. The picture has the
// whole pane; texts lie over it on dark grounds.
type renderer struct {
	pane    *Pane
	ground  ground
	edge    *canvas.Rectangle // of an inset
	picture *canvas.Image
	title   *plate
	badge   *plate
	detail  *plate
	corner  *block // bottom left
	who     *block // top left: the patient
	how     *block // top right: how it was made
	place   *plate
	other   *plate // across a slice that is not that asked for: its number
	letters [4]*plate
	cross   [2]*canvas.Line
	hair    [4]*canvas.Line // of the crosshair: left, right, above and below its point
	profile *canvas.Line
	marks   *marks
	outline [8]*canvas.Line // around the voxel under the pointer
	scale   *legend         // of the residual; nil in other panes
	sides   *sides          // of a comparison
	tint    *legend         // of the layer over the picture
	objects []fyne.CanvasObject
	drawn   int // number of the frame that is uploaded

	stretched stretching // what part is of; none if the frame is as large as it was drawn
	part      *image.RGBA
	at        [4]float64 // of part: x, y, width and height in device pixels
}

// stretching is a frame at a place that it was not drawn for.
type stretching struct {
	frame  int
	placed viewer.Transform
}

// CreateRenderer implements fyne.Widget.
func (p *Pane) CreateRenderer() fyne.WidgetRenderer {
	p.ExtendBaseWidget(p)
	r := &renderer{
		pane:    p,
		ground:  newGround(),
		edge:    canvas.NewRectangle(color.Transparent),
		picture: canvas.NewImageFromImage(nil),
		title:   newPlate(palette.Picture.Text, textSize+1, true),
		badge:   newPlate(palette.Picture.Dim, textSize, true),
		detail:  newPlate(palette.Picture.Dim, textSize, false),
		place:   newPlate(palette.Picture.Text, textSize, false),
		other:   newPlate(badgeColors[Caution], otherSize, true),
	}
	r.title.set(lang.L(p.role.String()))
	r.edge.StrokeColor, r.edge.StrokeWidth = palette.Picture.Edge, 1
	// Frames have device resolution; the default mode would resample them again,
	// in software, on the UI goroutine.
	r.picture.ScaleMode = canvas.ImageScaleFastest
	r.picture.FillMode = canvas.ImageFillStretch

	r.profile = canvas.NewLine(palette.Picture.Profile)
	r.marks = newMarks()
	r.objects = append(r.ground.objects(), r.picture, r.profile, r.marks.image)
	for i := range r.outline {
		r.outline[i] = canvas.NewLine(palette.Picture.Outline)
		r.outline[i].StrokeWidth = 1.5
		r.objects = append(r.objects, r.outline[i])
	}
	for i := range r.cross {
		r.cross[i] = canvas.NewLine(palette.Picture.Cross)
		r.objects = append(r.objects, r.cross[i])
	}
	for i := range r.hair {
		r.hair[i] = canvas.NewLine(palette.Picture.Hair)
		r.objects = append(r.objects, r.hair[i])
	}
	add := func(t *plate) *plate {
		r.objects = append(r.objects, t.objects()...)
		return t
	}
	r.sides = newSides()
	r.objects = append(r.objects, r.sides.objects()...)
	for range maxMarkTexts {
		r.marks.texts = append(r.marks.texts, add(newPlate(palette.Picture.Mark, textSize, false)))
	}
	r.corner, r.who, r.how = newBlock(false), newBlock(false), newBlock(true)
	for _, b := range []*block{r.corner, r.who, r.how} {
		r.objects = append(r.objects, b.objects()...)
	}
	add(r.title)
	add(r.detail)
	for i := range r.letters { // over the ground of the heading, which may be as wide as the pane
		r.letters[i] = add(newPlate(palette.Picture.Letters, letterSize, true))
	}
	add(r.place)
	if p.role == viewer.Residual {
		r.scale = newLegend()
		r.objects = append(r.objects, r.scale.objects()...)
	}
	r.tint = newLegend()
	r.objects = append(r.objects, r.tint.objects()...)
	add(r.badge)
	add(r.other)
	r.objects = append(r.objects, r.edge)
	return r
}

// Destroy implements fyne.WidgetRenderer.
func (r *renderer) Destroy() {}

// MinSize implements fyne.WidgetRenderer.
func (r *renderer) MinSize() fyne.Size { return r.pane.MinSize() }

// Objects implements fyne.WidgetRenderer.
func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }

// Layout implements fyne.WidgetRenderer.
func (r *renderer) Layout(size fyne.Size) {
	r.edge.Resize(size)
	r.edge.Hidden = !r.pane.caption.Small || r.pane.frame.Image == nil
	r.layoutHead(size)
	r.layoutPicture()
	r.layoutGround(size)
	r.layoutTexts(size)
	r.layoutLegends(size)
	r.sides.place(r.pane, r.pane.caption.Sides)
}

// layoutHead places the permanent label and the badge in the top corners, and what is shown
// below them.
func (r *renderer) layoutHead(size fyne.Size) {
	c := r.pane.caption
	title := c.Title
	if title == "" {
		title = lang.L(r.pane.role.String())
	}
	if c.Choice {
		title += " ▾"
	}
	r.title.set(title)
	r.title.show(!r.empty())
	r.title.move(fyne.NewPos(margin, 3))
	r.pane.heading = r.title.size().AddWidthHeight(2*margin, margin)
	// The letter of the upper edge is in the middle, unless the label is as long.
	left := max(size.Width/2+2*margin, r.title.size().Width+3*margin)
	r.badge.text.Color = badgeColors[c.BadgeKind]
	r.badge.set(ellipsis(c.Badge, size.Width-left-margin, textSize, r.badge.text.TextStyle))
	r.badge.show(r.badge.text.Text != "")
	r.badge.move(fyne.NewPos(size.Width-margin-r.badge.size().Width, 3))
	r.detail.set(ellipsis(c.Detail, size.Width-2*margin, textSize, r.detail.text.TextStyle))
	r.detail.show(r.detail.text.Text != "")
	r.detail.move(fyne.NewPos(margin, 3+lineHeight))
	// The two lines have one ground, with an edge without a step.
	r.detail.ground.Hidden = true
	if both := r.detail.size(); !r.detail.text.Hidden {
		both.Width = max(both.Width, r.title.size().Width)
		r.title.ground.Resize(both.AddWidthHeight(2*platePadding, lineHeight))
	}
}

// layoutPicture places the frame, exact to the device pixel. A frame that was drawn for
// another size of the pane is stretched until the next one comes.
func (r *renderer) layoutPicture() {
	f := r.pane.frame
	r.picture.Hidden = f.Image == nil
	if f.Image == nil {
		r.picture.Image = nil // its memory may be drawn to again
		return
	}
	scale, pane := float64(r.pane.scale()), r.pane.Pixels()
	part := f.Image
	x, y, w, h := float64(f.X0), float64(f.Y0), float64(f.X1-f.X0), float64(f.Y1-f.Y0)
	if f.Pane != [2]int{pane.Width, pane.Height} && f.View == r.pane.cut().View() {
		t := r.pane.cut().Transform(float64(pane.Width), float64(pane.Height))
		if key := (stretching{r.pane.frames, t}); r.stretched != key {
			r.stretched = key
			r.part, r.at[0], r.at[1], r.at[2], r.at[3] = f.In(t, pane.Width, pane.Height)
		}
		part, x, y, w, h = r.part, r.at[0], r.at[1], r.at[2], r.at[3]
		r.picture.Hidden = part.Rect.Empty()
	} else {
		r.stretched, r.part = stretching{}, nil
	}
	if r.picture.Image != part {
		r.picture.Image = part
		r.picture.Refresh()
	}
	r.picture.Move(fyne.NewPos(float32(x/scale), float32(y/scale)))
	r.picture.Resize(fyne.NewSize(float32(w/scale), float32(h/scale)))
}

// empty reports whether the pane shows nothing at all: an inset without a picture.
func (r *renderer) empty() bool { return r.pane.caption.Small && r.pane.frame.Image == nil }

func (r *renderer) layoutGround(size fyne.Size) {
	switch {
	case r.empty():
		for _, part := range r.ground {
			part.Hidden = true
		}
	case r.picture.Hidden:
		r.ground.place(size, fyne.Size{}, fyne.Position{})
	default:
		r.ground.place(size, r.picture.Size(), r.picture.Position())
	}
}

func (r *renderer) layoutTexts(size fyne.Size) {
	c, overlay := r.pane.caption, r.pane.state.Overlay()
	lines, who, how := c.Corner, c.Who, c.How
	if overlay == viewer.OverlayBare {
		lines = nil
	}
	if overlay != viewer.OverlayFull || r.scale != nil {
		who, how = nil, nil
	}
	r.corner.set(lines, size.Width-2*margin, true)
	r.corner.place(margin, size.Height-margin-r.corner.size().Height)
	// Between the edge and the letter in the middle.
	half := (size.Width-fyne.MeasureText(c.Letters[2], letterSize, fyne.TextStyle{Bold: true}).Width)/2 - 3*margin
	r.who.set(who, half, false)
	r.who.place(margin, textTop)
	r.how.set(how, half, false)
	r.how.place(size.Width-margin, textTop)

	r.place.show(overlay == viewer.OverlayFull && c.Place != "" && !r.empty())
	r.place.set(c.Place)
	s := r.place.size()
	// One line up: in a narrow pane the letter of the bottom edge is in the way.
	foot := 2*margin + 2*s.Height
	if c.Small {
		foot = margin + s.Height
	}
	r.place.move(fyne.NewPos(size.Width-margin-c.Aside-s.Width, size.Height-foot))

	middle, top := size.Height/2, float32(2)
	r.other.show(r.pane.frame.Other > 0)
	if r.pane.frame.Other > 0 {
		r.other.set(fmt.Sprintf(lang.L("SLICE %d"), r.pane.frame.Other))
		r.other.text.TextSize = min(otherSize, size.Width/8) // of an inset, between the letters at its edges
	}
	s = r.other.size()
	r.other.move(fyne.NewPos((size.Width-s.Width)/2, middle-s.Height/2))
	if r.title.size().Width > half { // a long label reaches the letter's place
		top = textTop
	}
	for i, text := range c.Letters {
		t := r.letters[i]
		t.set(text)
		t.show(text != "" && (!c.Small || i < 2) && !r.empty())
		s := t.size()
		t.move([...]fyne.Position{
			fyne.NewPos(margin, middle-s.Height/2),
			fyne.NewPos(size.Width-margin-s.Width, middle-s.Height/2),
			fyne.NewPos((size.Width-s.Width)/2, top),
			fyne.NewPos((size.Width-s.Width)/2, size.Height-margin-s.Height),
		}[i])
	}
	r.layoutProfile()
	r.layoutOutline()
	r.layoutMarks()
	r.layoutCross()
	r.layoutHair()
}

// layoutHair draws the crosshair over the whole picture, with a gap around its point.
func (r *renderer) layoutHair() {
	voxel, marked := r.pane.state.Crosshair()
	area, f, scale := r.pane.Size(), r.pane.frame, r.pane.scale()
	col, row, _ := r.pane.cut().View().Locate(voxel)
	cx, cy := r.pane.cut().Transform(float64(area.Width), float64(area.Height)).Center(col, row)
	x, y := float32(cx), float32(cy)
	left, right, top, bottom := float32(f.X0)/scale, float32(f.X1)/scale, float32(f.Y0)/scale, float32(f.Y1)/scale
	for i, ends := range [4][4]float32{{left, y, x - hairGap, y}, {x + hairGap, y, right, y}, {x, top, x, y - hairGap}, {x, y + hairGap, x, bottom}} {
		line := r.hair[i]
		// A part outside the picture, or of no length, is left out.
		line.Hidden = !marked || f.Image == nil || ends[0] > ends[2] || ends[1] > ends[3] ||
			ends[0] < left || ends[2] > right || ends[1] < top || ends[3] > bottom
		line.Position1, line.Position2 = fyne.NewPos(ends[0], ends[1]), fyne.NewPos(ends[2], ends[3])
	}
}

// layoutProfile draws the line of the profile plot.
func (r *renderer) layoutProfile() {
	f := r.pane.frame
	r.profile.Hidden = !r.pane.caption.Profile || f.Image == nil
	if r.profile.Hidden {
		return
	}
	area, scale := r.pane.Size(), r.pane.scale()
	col, row, _ := r.pane.cut().View().Locate(r.pane.state.Focus())
	_, y := r.pane.cut().Transform(float64(area.Width), float64(area.Height)).Center(col, row)
	if y < 0 || y > float64(area.Height) {
		r.profile.Hidden = true
		return
	}
	r.profile.Position1 = fyne.NewPos(float32(f.X0)/scale, float32(y))
	r.profile.Position2 = fyne.NewPos(float32(f.X1)/scale, float32(y))
}

// layoutOutline draws the polygon around the voxel under the pointer.
func (r *renderer) layoutOutline() {
	corners := r.corners()
	for i, line := range r.outline {
		if line.Hidden = corners == nil; line.Hidden {
			continue
		}
		line.Position1, line.Position2 = corners[i], corners[(i+1)%len(corners)]
		line.Hidden = !r.inPicture(line.Position1) || !r.inPicture(line.Position2)
	}
}

// corners returns the places of the corners of the outline; nil for none.
func (r *renderer) corners() []fyne.Position {
	outline, state := r.pane.caption.Outline, r.pane.state
	voxel, ok := state.Cursor()
	if len(outline) != len(r.outline) || !ok || r.pane.frame.Image == nil {
		return nil
	}
	area := r.pane.Size()
	transform, view := r.pane.cut().Transform(float64(area.Width), float64(area.Height)), r.pane.cut().View()
	center := func(dx, dy int) [2]float64 {
		col, row, _ := view.Locate([3]int{voxel[0] + dx, voxel[1] + dy, voxel[2]})
		x, y := transform.Center(col, row)
		return [2]float64{x, y}
	}
	origin, right, down := center(0, 0), center(1, 0), center(0, 1)
	corners := make([]fyne.Position, len(outline))
	for i, c := range outline {
		var at [2]float64
		for k := range at {
			at[k] = origin[k] + c[0]*(right[k]-origin[k]) + c[1]*(down[k]-origin[k])
		}
		corners[i] = fyne.NewPos(float32(at[0]), float32(at[1]))
	}
	return corners
}

// inPicture reports whether a position of the pane is in the picture's area.
func (r *renderer) inPicture(p fyne.Position) bool {
	area := r.pane.Size()
	return p.X >= 0 && p.X <= area.Width && p.Y >= 0 && p.Y <= area.Height
}

// layoutCross marks the voxel under the pointer in the other panes.
func (r *renderer) layoutCross() {
	voxel, ok := r.pane.state.Cursor()
	ok = ok && !r.pane.hovered && r.pane.frame.Image != nil && r.pane.shows(voxel)
	for _, line := range r.cross {
		line.Hidden = !ok
	}
	if !ok {
		return
	}
	area := r.pane.Size()
	col, row, _ := r.pane.cut().View().Locate(voxel)
	cx, cy := r.pane.cut().Transform(float64(area.Width), float64(area.Height)).Center(col, row)
	x, y := float32(cx), float32(cy)
	if x < 0 || y < 0 || x > area.Width || y > area.Height {
		r.cross[0].Hidden, r.cross[1].Hidden = true, true
		return
	}
	r.cross[0].Position1, r.cross[0].Position2 = fyne.NewPos(x-crossArm, y), fyne.NewPos(x+crossArm, y)
	r.cross[1].Position1, r.cross[1].Position2 = fyne.NewPos(x, y-crossArm), fyne.NewPos(x, y+crossArm)
}

// layoutLegends places the colour scales at the right edge, below the text in the corner, the scale of the
// residual above the scale of what is laid over it.
func (r *renderer) layoutLegends(size fyne.Size) {
	f := r.pane.frame
	shown := f.Image != nil && r.pane.state.Overlay() != viewer.OverlayBare && !r.pane.caption.Small
	height := min(max(size.Height*0.3, 60), 140)
	top := float32(textTop + 6)
	if corner := r.how.size().Height; corner > 0 {
		top += corner + margin
	}
	if r.scale != nil {
		r.scale.show(shown && f.Limit > 0)
		if f.Limit > 0 {
			r.scale.set(divergingScale(f.Limit, r.pane.caption.Unit))
		}
		r.scale.place(size.Width-margin, top, height)
		// Between the letter in the middle of the edge and the position below.
		top = max(top+height+3*margin, size.Height/2+3*margin)
		height = min(height, size.Height-10*margin-top)
	}
	r.tint.show(shown && f.Tint != nil && height >= leastLegend)
	if f.Tint != nil {
		r.tint.set(tintScale(f.Tint))
	}
	r.tint.place(size.Width-margin, top, height)
}

// Refresh implements fyne.WidgetRenderer.
func (r *renderer) Refresh() {
	r.Layout(r.pane.Size())
	// Refreshing a picture uploads it again, which a moved pointer does not need.
	// Texts are drawn from their strings with every repaint, so refreshing one
	// part repaints them all.
	if r.drawn != r.pane.frames {
		r.drawn = r.pane.frames
		r.picture.Refresh()
	}
	r.ground[0].Refresh()
}
