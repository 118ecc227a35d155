// Package sliceview is one pane of the comparison: a slice with its permanent
// label, orientation letters and corner texts, and the mouse that scrolls,
// windows, zooms and pans.
//
// A pane has no state but the drag in progress. Every gesture changes the
// viewer.State that all panes share; pictures arrive as viewer.Frames. The package
// imports measure, ui/language, ui/screen, ui/viewer, volume and Fyne.
package sliceview

import (
	"math"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/screen"
	"quell/ui/viewer"
	"quell/volume"
)

// BadgeKind selects the colour of a pane's badge.
type BadgeKind int

// The kinds of badges.
const (
	NoBadge BadgeKind = iota
	Good              // the picture belongs to the current recipe
	Busy              // a newer picture is being computed
	Caution           // the picture belongs to another recipe
)

// Caption is the text around a picture.
type Caption struct {
	Title     string    // the permanent label; "" for the title of the role
	Choice    bool      // a click on the heading offers other pictures
	Sides     [2]string // labels of the two sides if the pane compares them
	Detail    string    // below the permanent label: what is shown, and how
	Badge     string
	BadgeKind BadgeKind
	Who       []string  // top left: the patient; not over the residual, which has its scale there
	How       []string  // top right: how it was acquired; likewise
	Corner    []string  // bottom left, from top to bottom; the last line is the value under the pointer
	Place     string    // bottom right: the position of the pointer
	Letters   [4]string // patient direction at the left, right, top and bottom edge
	Unit      string    // of the residual's scale
	Profile   bool      // the row last pointed at is plotted: mark it
	// Outline is drawn around the voxel under the pointer: a polygon of eight corners
	// in voxels along x and y of the series, from its centre; nil for none.
	Outline [][2]float64
	Marks   []Mark  // shapes drawn on the picture
	Aside   float32 // units at the bottom right that an inset takes: Place stands next to it
	Small   bool    // the pane is an inset, with room for a title, the letters and Place; without a picture it is not seen
}

// Events are called for gestures that concern more than the shared state, on the
// UI goroutine.
type Events struct {
	Maximize  func(viewer.Role)                // double click
	Menu      func(viewer.Role, fyne.Position) // right click; position on the canvas
	Heading   func(viewer.Role, fyne.Position) // click on the heading; likewise
	Entered   func()                           // the pointer entered the pane
	Modifiers func() fyne.KeyModifier          // returns the modifier keys that are held
	Resized   func()                           // the pane's pixel size changed
	Moved     func()                           // the wheel or a drag changed the shared state
	Marker    Marker                           // takes drags that draw or move marks; nil for none
	Notch     float32                          // scroll units of one wheel notch; 0 for this system's
	Scale     float32                          // device pixels per screen unit; 0 for the ones of the screen
}

// Pane shows one picture of the comparison. Create it with New.
type Pane struct {
	widget.BaseWidget
	role    viewer.Role
	state   *viewer.State
	cut     func() viewer.Cut // whose slice it shows
	attends viewer.Role       // what is attended to when it is pointed at
	events  Events
	frame   viewer.Frame
	frames  int // number of frames set; the renderer uploads each once
	caption Caption

	pressed  desktop.MouseButton
	panning  bool
	dividing bool          // the divider of a curtain is dragged
	at       fyne.Position // of the pointer
	marking  bool          // the marker has taken the drag
	start    fyne.Position // of the press
	previous fyne.Position // of the last move with the right button held
	travel   float32       // of the pointer since the press
	wheel    float32       // scrolled notches, less than one slice
	hovered  bool
	heading  fyne.Size // of the permanent label, from the upper left corner
}

var (
	_ fyne.Widget            = (*Pane)(nil)
	_ fyne.Scrollable        = (*Pane)(nil)
	_ fyne.Draggable         = (*Pane)(nil)
	_ fyne.DoubleTappable    = (*Pane)(nil)
	_ fyne.Tappable          = (*Pane)(nil)
	_ fyne.SecondaryTappable = (*Pane)(nil)
	_ desktop.Mouseable      = (*Pane)(nil)
	_ desktop.Hoverable      = (*Pane)(nil)
	_ desktop.Cursorable     = (*Pane)(nil)
)

// New returns a pane of the given role over the shared state, in the plane that is chosen.
func New(role viewer.Role, state *viewer.State, events Events) *Pane {
	if events.Notch == 0 {
		events.Notch = systemNotch
	}
	p := &Pane{role: role, state: state, cut: state.Cut, attends: role, events: events}
	p.ExtendBaseWidget(p)
	return p
}

// NewPlane returns a pane of one plane. It goes with the denoised pane, which is the comparison
// next to it.
func NewPlane(plane volume.Plane, state *viewer.State, events Events) *Pane {
	p := New(viewer.Original, state, events)
	p.cut, p.attends = func() viewer.Cut { return state.In(plane) }, viewer.Denoised
	return p
}

// SetFrame shows a new picture.
func (p *Pane) SetFrame(f viewer.Frame) {
	p.frame = f
	p.frames++
	p.Refresh()
}

// Frame returns the picture shown.
func (p *Pane) Frame() viewer.Frame { return p.frame }

// SetCaption shows new text.
func (p *Pane) SetCaption(c Caption) {
	p.caption = c
	p.Refresh()
}

// Caption returns the text shown.
func (p *Pane) Caption() Caption { return p.caption }

// AccessibilityLabel implements fyne.Accessible: title, detail and badge of the
// pane, without the texts in the corners, which name the patient.
func (p *Pane) AccessibilityLabel() string {
	parts := []string{p.caption.Title, p.caption.Detail, p.caption.Badge}
	if p.caption.Title == "" {
		parts[0] = lang.L(p.role.String())
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// AccessibilityRole implements fyne.Accessible; Fyne has no role for a picture.
func (p *Pane) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// Pixels returns the pane's size on the device.
func (p *Pane) Pixels() viewer.Pane {
	area := p.Size()
	scale := p.scale()
	return viewer.Pane{
		Width:  int(math.Round(float64(area.Width * scale))),
		Height: int(math.Round(float64(area.Height * scale))),
		Hidden: !p.Visible(),
	}
}

// scale returns device pixels per screen unit.
func (p *Pane) scale() float32 {
	if p.events.Scale > 0 {
		return p.events.Scale
	}
	return float32(screen.PixelsPerUnit(p))
}

// shows says whether a voxel is in the slice that is shown.
func (p *Pane) shows(voxel [3]int) bool {
	_, _, index := p.cut().View().Locate(voxel)
	return index == p.cut().Index()
}

// onHeading says whether a position is on the permanent label.
func (p *Pane) onHeading(at fyne.Position) bool {
	return at.X < p.heading.Width && at.Y < p.heading.Height
}

// Resize implements fyne.CanvasObject.
func (p *Pane) Resize(s fyne.Size) {
	changed := s != p.Size()
	p.BaseWidget.Resize(s)
	if changed && p.events.Resized != nil {
		p.events.Resized()
	}
}

// MinSize implements fyne.CanvasObject. It is small, as panes get all space left.
func (p *Pane) MinSize() fyne.Size { return fyne.NewSize(160, 160) }

// Cursor implements desktop.Cursorable.
func (p *Pane) Cursor() desktop.Cursor {
	if p.dividing || p.onDivider(p.at) {
		return desktop.HResizeCursor
	}
	return desktop.CrosshairCursor
}

// systemNotch is what Fyne's desktop driver reports for one wheel notch.
var systemNotch = func() float32 {
	if runtime.GOOS == "darwin" {
		return 10
	}
	return 25
}()
