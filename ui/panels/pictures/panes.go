package pictures

import (
	"math"

	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/ui/host"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// Panel is the pictures. Create it with New.
type Panel struct {
	h             *host.Host
	Panes         [viewer.Roles]*sliceview.Pane
	Planes        [3]*sliceview.Pane // by plane, in the layout of 2 x 2
	row           *fyne.Container
	residualShown bool
	maximized     viewer.Role // the pane shown alone; -1 for none
	stopBlinking  func()      // of the comparison
	quad          quad
	beside        *workbench.Beside // that was shown
}

// quad is the layout of 2 x 2: the three planes, and the comparison in the plane that is
// chosen.
type quad struct {
	on       bool
	residual bool // in the place of the comparison

	// What it changed, to be as before afterwards.
	crosshair bool
	mode      viewer.Mode
}

// Sizes implements panel.Screen.
func (v *Panel) Sizes() (sizes [viewer.Roles]viewer.Pane) {
	for role, pane := range v.Panes {
		sizes[role] = pane.Pixels()
	}
	return sizes
}

// showMarks adds the marks on the slice to the captions of the panes.
func showMarks(s *session.Session, captions *[viewer.Roles]sliceview.Caption) {
	if s.Series() == nil {
		return
	}
	here := s.Marks.Here()
	for role := range captions {
		if viewer.Role(role) == viewer.Original || s.Screen.Kept() == nil { // else the pane shows another slice
			captions[role].Marks = marksOf(s, here, viewer.Role(role), s.State().Cut().View())
		}
	}
}

// maxShown is how many marks of a slice are drawn; the list has all.
const maxShown = 50

// marksOf returns marks of a slice as a view shows them, with the figures of a role; the last
// ones, if they are many.
func marksOf(s *session.Session, here []workbench.Mark, role viewer.Role, view volume.View) (out []sliceview.Mark) {
	selected, _ := s.Marks.Selected()
	for _, m := range here[max(len(here)-maxShown, 0):] {
		out = append(out, sliceview.Mark{
			Outline: m.In(view, s.Series().Volume.Geometry), Selected: m.ID == selected.ID, Text: wording.Mark(s, s.Marks.Figures(m), role, s.Series().Volume.Unit),
		})
	}
	return out
}

// paneLayout places the visible panes side by side, four of them in two rows, with equal
// sizes in whole units, so that linked pictures have the same size in pixels.
// One of them may be an inset, small in a corner of another.
type paneLayout struct {
	// inset returns an inset and the picture below it; nil for none.
	inset func() (small, over fyne.CanvasObject)
}

const paneGap = 2

// Measures of the inset, in units; its share is of the shorter side of what it lies over.
const (
	insetShare  = 0.25
	insetMost   = 400
	insetMargin = 6
)

// columns returns in how many columns n panes stand.
func (paneLayout) columns(n int) int {
	if n == 4 {
		return 2
	}
	return n
}

// shown returns the objects that are visible and no inset.
func (l paneLayout) shown(objects []fyne.CanvasObject) (shown []fyne.CanvasObject) {
	small, _ := l.inset()
	for _, o := range objects {
		if o.Visible() && o != small {
			shown = append(shown, o)
		}
	}
	return shown
}

// Layout implements fyne.Layout.
func (l paneLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	shown := l.shown(objects)
	if len(shown) == 0 {
		return
	}
	columns := l.columns(len(shown))
	across := func(space float32, n int) float32 {
		return float32(math.Floor(float64((space - paneGap*float32(n-1)) / float32(n))))
	}
	width, height := across(size.Width, columns), across(size.Height, len(shown)/columns)
	for i, o := range shown {
		o.Move(fyne.NewPos(float32(i%columns)*(width+paneGap), float32(i/columns)*(height+paneGap)))
		o.Resize(fyne.NewSize(width, height))
	}
	if small, over := l.inset(); small != nil {
		side := float32(math.Floor(float64(min(insetShare*min(width, height), insetMost))))
		small.Resize(fyne.NewSquareSize(side))
		small.Move(over.Position().AddXY(width-side-insetMargin, height-side-insetMargin))
	}
}

// MinSize implements fyne.Layout.
func (l paneLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var most fyne.Size
	shown := l.shown(objects)
	if len(shown) == 0 {
		return most
	}
	for _, o := range shown {
		most = most.Max(o.MinSize())
	}
	columns := l.columns(len(shown))
	rows := len(shown) / columns
	return fyne.NewSize(float32(columns)*(most.Width+paneGap), float32(rows)*(most.Height+paneGap)-paneGap)
}
