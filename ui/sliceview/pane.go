// Package sliceview is one pane of the comparison: a slice with its permanent
// label, orientation letters and corner texts, and the mouse that scrolls,
// windows, zooms and pans.
//
// A pane has no state but the drag in progress. Every gesture changes the
// viewer.State that all panes share; pictures arrive as viewer.Frames. The package
// imports measure, ui/language, ui/screen, ui/viewer, volume and Fyne.
package sliceview

import (
	"image/color"
	"math"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/palette"
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
	dividing bool          // the divider of a swipe is dragged
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

// ground fills a pane around its picture: above, below, left and right of it. A rectangle under the whole picture would be
// painted with every frame and never be seen, which takes a software OpenGL as long as the picture itself.
type ground [4]*canvas.Rectangle

func newGround() (g ground) {
	for i := range g {
		g[i] = canvas.NewRectangle(palette.Picture.Ground)
	}
	return g
}

func (g ground) objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{g[0], g[1], g[2], g[3]}
}

// underlap is how far the ground reaches under the picture, in units, so that rounding leaves no gap between them.
const underlap = 1

// place fills a pane of a size but for the part that lies under an opaque picture, which may reach beyond the pane; one
// without a size leaves out nothing.
func (g ground) place(size, picture fyne.Size, at fyne.Position) {
	clamp := func(v, limit float32) float32 { return min(max(v, 0), limit) }
	left, right := clamp(at.X+underlap, size.Width), clamp(at.X+picture.Width-underlap, size.Width)
	top, bottom := clamp(at.Y+underlap, size.Height), clamp(at.Y+picture.Height-underlap, size.Height)
	if left >= right || top >= bottom {
		left, right, top, bottom = 0, 0, size.Height, size.Height
	}
	for i, edges := range [...][4]float32{
		{0, 0, size.Width, top},
		{0, bottom, size.Width, size.Height},
		{0, top, left, bottom},
		{right, top, size.Width, bottom},
	} {
		g[i].Move(fyne.NewPos(edges[0], edges[1]))
		g[i].Resize(fyne.NewSize(edges[2]-edges[0], edges[3]-edges[1]))
		g[i].Hidden = edges[0] >= edges[2] || edges[1] >= edges[3]
	}
}

// maxLines is how many lines a block has at most.
const maxLines = 4

// block is some lines of text in a corner of the picture, on one dark translucent
// ground.
type block struct {
	ground *canvas.Rectangle
	lines  [maxLines]*canvas.Text
	right  bool // aligned to the right
}

func newBlock(right bool) *block {
	b := &block{ground: canvas.NewRectangle(palette.Picture.Plate), right: right}
	b.ground.CornerRadius = 2
	for i := range b.lines {
		b.lines[i] = canvas.NewText("", palette.Picture.Text)
		b.lines[i].TextSize = textSize
	}
	return b
}

// set shows up to maxLines lines, shortened to a width; none hides the block. The
// value under the pointer, a last line in bold, is emphasised if last is true.
func (b *block) set(lines []string, width float32, last bool) {
	lines = lines[:min(len(lines), maxLines)]
	b.ground.Hidden = true
	for i, t := range b.lines {
		t.Text, t.TextStyle.Bold = "", last && i == len(lines)-1
		if i < len(lines) {
			t.Text = ellipsis(lines[i], width, textSize, t.TextStyle)
		}
		t.Hidden = t.Text == ""
		b.ground.Hidden = b.ground.Hidden && t.Hidden
	}
}

// size returns the size of the lines that are shown.
func (b *block) size() (s fyne.Size) {
	for _, t := range b.lines {
		if !t.Hidden {
			m := t.MinSize()
			s.Width, s.Height = max(s.Width, m.Width), s.Height+m.Height
		}
	}
	return s
}

// place moves the block: (x, y) is its left or, if it is aligned to the right, its
// right edge, and its top.
func (b *block) place(x, y float32) {
	size := b.size()
	if b.right {
		x -= size.Width
	}
	b.ground.Move(fyne.NewPos(x-platePadding, y))
	b.ground.Resize(size.AddWidthHeight(2*platePadding, 0))
	for _, t := range b.lines {
		if t.Hidden {
			continue
		}
		m := t.MinSize()
		left := x
		if b.right {
			left += size.Width - m.Width
		}
		t.Move(fyne.NewPos(left, y))
		t.Resize(m)
		y += m.Height
	}
}

func (b *block) objects() []fyne.CanvasObject {
	all := []fyne.CanvasObject{b.ground}
	for _, t := range b.lines {
		all = append(all, t)
	}
	return all
}

const (
	textSize   = 12
	letterSize = 14
	margin     = 6
)

// plate is a line of text on a dark translucent ground, readable on bone and on
// air.
type plate struct {
	ground *canvas.Rectangle
	text   *canvas.Text
}

const platePadding = 3

func newPlate(c color.Color, size float32, bold bool) *plate {
	p := &plate{ground: canvas.NewRectangle(palette.Picture.Plate), text: canvas.NewText("", c)}
	p.ground.CornerRadius = 2
	p.text.TextSize = size
	p.text.TextStyle = fyne.TextStyle{Bold: bold}
	return p
}

func (p *plate) set(s string) { p.text.Text = s }

func (p *plate) size() fyne.Size { return p.text.MinSize() }

// move places the top left corner of the text.
func (p *plate) move(pos fyne.Position) {
	size := p.size()
	p.text.Move(pos)
	p.text.Resize(size)
	p.ground.Move(pos.SubtractXY(platePadding, 0))
	p.ground.Resize(size.AddWidthHeight(2*platePadding, 0))
}

func (p *plate) show(on bool) { p.text.Hidden, p.ground.Hidden = !on, !on }

func (p *plate) objects() []fyne.CanvasObject { return []fyne.CanvasObject{p.ground, p.text} }

// ellipsis shortens s until it fits into width.
func ellipsis(s string, width, size float32, style fyne.TextStyle) string {
	if fyne.MeasureText(s, size, style).Width <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi { // the longest prefix that fits
		mid := (lo + hi + 1) / 2
		if fyne.MeasureText(string(runes[:mid])+"…", size, style).Width <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return ""
	}
	return string(runes[:lo]) + "…"
}
