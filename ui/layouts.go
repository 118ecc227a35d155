package ui

import (
	"slices"

	"fyne.io/fyne/v2"

	"quell/ui/viewer"
)

// layoutNames are the layouts of the panes: the denoised slice alone, beside the
// original, beside that and the residual, and below the three planes.
var layoutNames = []string{"1", "1×2", "1×3", "2×2"}

// Widths of a pane, in units, from which on a layout is the one of a first start.
const (
	threeAcross = 620
	twoAcross   = 350
)

// defaultLayout returns the layout of a first start for a width of the workbench: as many
// panes as are large enough to judge noise.
func defaultLayout(width float32) string {
	switch {
	case width >= 3*threeAcross:
		return layoutNames[2]
	case width >= 2*twoAcross:
		return layoutNames[1]
	}
	return layoutNames[0]
}

// startLayout shows the layout of the last session.
func (w *Workbench) startLayout() {
	name := w.settings.Layout
	if !slices.Contains(layoutNames, name) {
		name = defaultLayout(w.settings.WorkbenchSize[0])
	}
	w.setLayout(name)
}

// keepLayout notes the layout for the next start.
func (w *Workbench) keepLayout() {
	w.settings.Layout = w.layoutName()
}

// layoutName returns the layout that is shown. A pane that was maximized is a layout of
// one.
func (w *Workbench) layoutName() string {
	switch {
	case w.maximized >= 0:
		return layoutNames[0]
	case w.quad.on:
		return layoutNames[3]
	case !w.residualShown:
		return layoutNames[1]
	}
	return layoutNames[2]
}

// setLayout shows a layout.
func (w *Workbench) setLayout(name string) {
	w.maximized = -1
	layout := slices.Index(layoutNames, name)
	switch layout {
	case 0:
		w.maximized = viewer.Denoised
	case 1:
		w.residualShown = false
	case 2:
		w.residualShown = true
	}
	w.setQuad(layout == 3)
	w.arrange()
}

// showsPane says whether the pane of a role is shown.
func (w *Workbench) showsPane(role viewer.Role) bool {
	switch {
	case w.maximized >= 0:
		return role == w.maximized
	case w.quad.on && w.quad.residual:
		return role == viewer.Residual
	case w.quad.on:
		return role == viewer.Denoised
	}
	return role != viewer.Residual || w.residualShown
}

// showsInset says whether the residual lies small over the denoised picture: where that is
// shown, and the residual has no pane.
func (w *Workbench) showsInset() bool {
	return !w.settings.HideInset && w.showsPane(viewer.Denoised) && !w.showsPane(viewer.Residual) && (!w.quad.on || w.maximized >= 0)
}

// inset returns the small pane of the residual and what it lies over; nil for none.
func (w *Workbench) inset() (small, over fyne.CanvasObject) {
	if !w.showsInset() {
		return nil, nil
	}
	return w.panes[viewer.Residual], w.panes[viewer.Denoised]
}

// layoutCommands returns the commands of the layouts.
func (w *Workbench) layoutCommands() (out []Command) {
	help := []string{
		"the denoised slice alone; hold Space for the original", "original and denoised slice", "original, denoised slice and residual",
		"the three planes through one point, and the comparison",
	}
	keys := []fyne.KeyName{fyne.KeyF2, fyne.KeyF3, fyne.KeyF4, fyne.KeyF5}
	for i, name := range layoutNames {
		out = append(out, Command{
			ID: "layout-" + name, Title: "Layout " + name, Help: help[i], Menu: menuView, Gap: i == 0, Chords: key(keys[i]),
			Run: func() { w.setLayout(name) }, Checked: func() bool { return w.layoutName() == name },
		})
	}
	return out
}
