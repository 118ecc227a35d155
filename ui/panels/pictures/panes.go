package pictures

import (
	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/ui/host"
	"quell/ui/sliceview"
	"quell/ui/viewer"
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
