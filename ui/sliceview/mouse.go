package sliceview

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/viewer"
)

// Fyne reports drags of the left and middle button to Dragged, without button or
// modifiers, and a drag of the right button to MouseMoved only. Button and
// modifiers are therefore stored when the button goes down.

const (
	fastScroll   = 5   // slices per notch with Shift
	clickTravel  = 4   // screen units within which a press and release is a click
	zoomOctave   = 150 // screen units of right drag that zoom by a factor of e
	zoomPerNotch = 1.15
	maxNotches   = 8 // of one scroll event, as drivers accelerate without limit
)

// Scrolled implements fyne.Scrollable: the wheel scrolls slices, with Shift five
// at a time, and zooms about the pointer with Ctrl. The small steps of a touchpad
// add up to slices.
func (p *Pane) Scrolled(e *fyne.ScrollEvent) {
	// With Shift, some systems report a horizontal wheel.
	delta := e.Scrolled.DY + e.Scrolled.DX
	notches := min(max(delta/p.events.Notch, -maxNotches), maxNotches)
	switch mods := p.modifiers(); {
	case mods&(fyne.KeyModifierControl|fyne.KeyModifierSuper) != 0:
		area, at := p.Size(), e.Position
		p.cut().ZoomAt(math.Pow(zoomPerNotch, float64(notches)), float64(at.X), float64(at.Y), float64(area.Width), float64(area.Height))
	default:
		if notches*p.wheel < 0 { // a change of direction has an effect at once
			p.wheel = 0
		}
		p.wheel += notches
		whole := int(p.wheel)
		p.wheel -= float32(whole)
		if mods&fyne.KeyModifierShift != 0 {
			whole *= fastScroll
		}
		p.cut().Scroll(-whole)
		p.point(e.Position)
	}
	p.moved()
}

// moved says that a gesture changed the shared state.
func (p *Pane) moved() {
	if p.events.Moved != nil {
		p.events.Moved()
	}
}

func (p *Pane) modifiers() fyne.KeyModifier {
	if p.events.Modifiers == nil {
		return 0
	}
	return p.events.Modifiers()
}

// MouseDown implements desktop.Mouseable.
func (p *Pane) MouseDown(e *desktop.MouseEvent) {
	p.pressed = e.Button
	p.panning = e.Button == desktop.MouseButtonTertiary ||
		e.Button == desktop.MouseButtonPrimary && e.Modifier&fyne.KeyModifierShift != 0
	p.dividing = e.Button == desktop.MouseButtonPrimary && !p.panning && p.onDivider(e.Position)
	p.start, p.previous, p.travel = e.Position, e.Position, 0
	p.marking = e.Button == desktop.MouseButtonPrimary && !p.panning && !p.dividing && p.pressMark(e.Position)
}

// MouseUp implements desktop.Mouseable: a click moves the crosshair, if that is marked.
func (p *Pane) MouseUp(e *desktop.MouseEvent) {
	at := e.Position
	moved := at.Subtract(p.start)
	if p.pressed == desktop.MouseButtonPrimary && !p.panning && !p.dividing && !p.marking && !p.onHeading(at) &&
		math.Hypot(float64(moved.X), float64(moved.Y)) < clickTravel {
		area := p.Size()
		p.cut().MoveCrosshair(float64(at.X), float64(at.Y), float64(area.Width), float64(area.Height))
	}
	p.release()
}

// release ends a drag.
func (p *Pane) release() {
	p.pressed, p.dividing = 0, false
	p.state.EndDrag()
	p.releaseMark()
}

// Dragged implements fyne.Draggable: the left button draws or moves a mark if the marker
// takes it, or else sets window and level, on the residual its scale, and moves the
// divider of a swipe; the middle button, or the left with Shift, pans.
func (p *Pane) Dragged(e *fyne.DragEvent) {
	dx, dy := float64(e.Dragged.DX), float64(e.Dragged.DY)
	switch {
	case p.marking:
		at, _ := p.inPixels(e.Position)
		p.events.Marker.DragMark(at)
	case p.dividing:
		p.state.SetShare(float64(e.Position.X) / float64(max(p.Size().Width, 1)))
	case p.panning:
		area := p.Size()
		p.cut().PanBy(dx, dy, float64(area.Width), float64(area.Height))
	case p.role == viewer.Residual:
		p.state.Windows.DragResidual(dx)
	default:
		p.state.Windows.Drag(dx, dy)
	}
	p.moved()
}

// DragEnd implements fyne.Draggable.
func (p *Pane) DragEnd() { p.release() }

// MouseIn implements desktop.Hoverable.
func (p *Pane) MouseIn(e *desktop.MouseEvent) {
	p.hovered, p.at = true, e.Position
	p.state.Windows.Attend(p.attends)
	if p.events.Entered != nil {
		p.events.Entered()
	}
	p.point(e.Position)
}

// MouseMoved implements desktop.Hoverable: with the right button down it zooms
// about the point at which the button was pressed, otherwise it probes.
func (p *Pane) MouseMoved(e *desktop.MouseEvent) {
	p.at = e.Position
	if p.pressed != desktop.MouseButtonSecondary || e.Button&desktop.MouseButtonSecondary == 0 {
		p.point(e.Position)
		return
	}
	move := e.Position.Subtract(p.previous)
	p.previous = e.Position
	p.travel += float32(math.Hypot(float64(move.X), float64(move.Y)))
	if p.travel < clickTravel {
		return
	}
	area := p.Size()
	p.cut().DragZoom(math.Exp(-float64(move.Y)/zoomOctave), float64(p.start.X), float64(p.start.Y), float64(area.Width), float64(area.Height))
}

// MouseOut implements desktop.Hoverable.
func (p *Pane) MouseOut() {
	p.hovered = false
	p.state.PointAway()
}

func (p *Pane) point(pos fyne.Position) {
	area, at := p.Size(), pos
	p.cut().PointAt(float64(at.X), float64(at.Y), float64(area.Width), float64(area.Height))
}

// Tapped implements fyne.Tappable: a click on the heading lists what the pane can show.
func (p *Pane) Tapped(e *fyne.PointEvent) {
	if p.onHeading(e.Position) && p.events.Heading != nil {
		p.events.Heading(p.role, e.AbsolutePosition)
	}
}

// DoubleTapped implements fyne.DoubleTappable.
func (p *Pane) DoubleTapped(*fyne.PointEvent) {
	if p.events.Maximize != nil {
		p.events.Maximize(p.role)
	}
}

// TappedSecondary implements fyne.SecondaryTappable: a click opens the menu. Fyne
// calls it after a drag too.
func (p *Pane) TappedSecondary(e *fyne.PointEvent) {
	if p.travel < clickTravel && p.events.Menu != nil {
		p.events.Menu(p.role, e.AbsolutePosition)
	}
}
