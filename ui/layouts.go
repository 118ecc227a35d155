package ui

import (
	"slices"

	"quell/ui/viewer"
)

// layoutNames are the layouts of the panes: the denoised slice alone, beside the
// original, and beside that and the residual.
var layoutNames = []string{"1", "1×2", "1×3"}

// layoutName returns the layout that is shown. A pane that was maximized is a layout of
// one.
func (w *Workbench) layoutName() string {
	switch {
	case w.maximized >= 0:
		return layoutNames[0]
	case !w.residualShown:
		return layoutNames[1]
	}
	return layoutNames[2]
}

// setLayout shows a layout.
func (w *Workbench) setLayout(name string) {
	w.maximized = -1
	switch slices.Index(layoutNames, name) {
	case 0:
		w.maximized = viewer.Denoised
	case 1:
		w.residualShown = false
	case 2:
		w.residualShown = true
	}
	w.arrange()
}

// layoutCommands returns the commands of the layouts.
func (w *Workbench) layoutCommands() (out []Command) {
	help := []string{"the denoised slice alone; hold Space for the original", "original and denoised slice", "original, denoised slice and residual"}
	for i, name := range layoutNames {
		out = append(out, Command{
			ID: "layout-" + name, Title: "Layout " + name, Help: help[i], Menu: menuView, Gap: i == 0,
			Run: func() { w.setLayout(name) }, Checked: func() bool { return w.layoutName() == name },
		})
	}
	return out
}
