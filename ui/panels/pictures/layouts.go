package pictures

import (
	"slices"

	"fyne.io/fyne/v2"

	"quell/ui/command"
	"quell/ui/viewer"
)

// layoutNames are the layouts of the panes: the denoised slice alone, next to the
// original, next to the original and the residual, and below the three planes.
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

// Docked implements panel.Docked: it shows the layout of the last session.
func (v *Panel) Docked() {
	name := v.h.Settings.Layout
	if !slices.Contains(layoutNames, name) {
		name = defaultLayout(v.h.Settings.WorkbenchSize[0])
	}
	v.setLayout(name)
}

// layoutName returns the layout that is shown. A pane that was maximized is a layout of
// one.
func (v *Panel) layoutName() string {
	switch {
	case v.maximized >= 0:
		return layoutNames[0]
	case v.quad.on:
		return layoutNames[3]
	case !v.residualShown:
		return layoutNames[1]
	}
	return layoutNames[2]
}

// setLayout shows a layout.
func (v *Panel) setLayout(name string) {
	v.maximized = -1
	layout := slices.Index(layoutNames, name)
	switch layout {
	case 0:
		v.maximized = viewer.Denoised
	case 1:
		v.residualShown = false
	case 2:
		v.residualShown = true
	}
	v.setQuad(layout == 3)
	v.arrange()
}

// showsPane says whether the pane of a role is shown.
func (v *Panel) showsPane(role viewer.Role) bool {
	switch {
	case v.maximized >= 0:
		return role == v.maximized
	case v.quad.on && v.quad.residual:
		return role == viewer.Residual
	case v.quad.on:
		return role == viewer.Denoised
	}
	return role != viewer.Residual || v.residualShown
}

// ShowsInset says whether the residual lies small over the denoised picture: if that is
// shown, and the residual has no pane.
func (v *Panel) ShowsInset() bool {
	return !v.h.Settings.HideInset && v.showsPane(viewer.Denoised) && !v.showsPane(viewer.Residual) && (!v.quad.on || v.maximized >= 0)
}

// inset returns the small pane of the residual and what it lies over; nil for none.
func (v *Panel) inset() (small, over fyne.CanvasObject) {
	if !v.ShowsInset() {
		return nil, nil
	}
	return v.Panes[viewer.Residual], v.Panes[viewer.Denoised]
}

// layoutCommands returns the commands of the layouts.
func (v *Panel) layoutCommands() (out []command.Command) {
	help := []string{
		"the denoised slice alone; hold Space for the original", "original and denoised slice", "original, denoised slice and residual",
		"the three planes through one point, and the comparison",
	}
	keys := []fyne.KeyName{fyne.KeyF2, fyne.KeyF3, fyne.KeyF4, fyne.KeyF5}
	for i, name := range layoutNames {
		out = append(out, command.Command{
			ID: "layout-" + name, Title: "Layout " + name, Help: help[i], Menu: command.ViewMenu, Gap: i == 0, Chords: command.Key(keys[i]),
			Run: func() { v.setLayout(name) }, Checked: func() bool { return v.layoutName() == name },
		})
	}
	return out
}

// arrange shows and hides panes, and gives them their places.
func (v *Panel) arrange() {
	for role, pane := range v.Panes {
		pane.Hidden = !v.showsPane(viewer.Role(role)) && (viewer.Role(role) != viewer.Residual || !v.ShowsInset())
	}
	for _, pane := range v.Planes {
		pane.Hidden = !v.quad.on || v.maximized >= 0
	}
	v.row.Refresh()
	v.h.Frame.Arrange()
}

// maximize shows one pane alone, or all of them again.
func (v *Panel) maximize(role viewer.Role) {
	switch {
	case role == viewer.Residual && v.ShowsInset():
		v.toggleResidual()
		return
	case v.maximized >= 0:
		v.maximized = -1
	default:
		v.maximized = role
	}
	v.arrange()
}

func (v *Panel) toggleResidual() {
	if v.quad.on && v.maximized < 0 {
		v.quad.residual = !v.quad.residual
		v.arrange()
		return
	}
	switch { // one pane stays alone
	case v.maximized == viewer.Residual:
		v.maximized = viewer.Denoised
	case v.maximized >= 0:
		v.maximized = viewer.Residual
	default:
		v.residualShown = !v.residualShown
	}
	v.arrange()
}
