// Package pictures is the main area of the workbench: the panes with original, denoised picture
// and residual, the three planes, and the texts on them.
//
//	pictures.go  the panel, its menu            panes.go, layouts.go, panelayout.go  which panes at which places
//	captions.go  texts around the pictures      identity.go  how the corners name a series
//	compare.go   comparison of two sides        planes.go    the layout of three planes
//	zoom.go      planes, zoom, turns, marks     windows.go   window and level
//	overlays.go  what lies over the pictures    picture.go   a picture as a file
//	cinefile.go  all slices as a file
//	marks.go     ROIs and lines on the pictures
package pictures

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// New returns the pictures.
func New(h *host.Host) panel.Panel {
	v := &Panel{h: h, residualShown: true, maximized: -1, stopBlinking: func() {}}
	s := h.Session
	events := sliceview.Events{
		Maximize: v.maximize, Menu: v.contextMenu, Heading: v.chooseSide, Entered: v.unfocus,
		Modifiers: h.Modifiers, Resized: s.Screen.Redraw, Moved: h.AwaitFrames, Marker: s.Marks,
	}
	row := v.buildPlanes(events)
	for role := range viewer.Roles {
		v.Panes[role] = sliceview.New(role, s.State(), events)
		row = append(row, v.Panes[role])
	}
	v.row = container.New(paneLayout{v.inset}, row...)
	return v
}

// Dock implements panel.Panel.
func (v *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Pictures, Object: v.row} }

// Show implements panel.Panel.
func (v *Panel) Show(now panel.Snapshot) {
	s := now.Session
	if other, _ := s.Results.Beside(); other != v.beside {
		if v.beside = other; other != nil && v.maximized >= 0 && s.State().Comparison().Mode == viewer.Plain {
			v.setLayout(layoutNames[1]) // the pane alone would not show it
		}
	}
	all := captions(s, v.display())
	showMarks(s, &all)
	for role, c := range all {
		c.Profile = now.Tab == "Profile" && !wording.LineSelected(s)
		if viewer.Role(role) == viewer.Residual && v.ShowsInset() {
			c = insetCaption(s, c)
		}
		if viewer.Role(role) == viewer.Denoised && v.ShowsInset() {
			c.Aside = v.Panes[viewer.Residual].Size().Width + insetMargin
		}
		v.Panes[role].SetCaption(noticed(c, now.FullScreen))
	}
	if v.quad.on {
		for p, c := range planeCaptions(s, v.PlaneSizes(), v.identity()) {
			v.Planes[p].SetCaption(noticed(c, now.FullScreen))
		}
	}
}

// Commands implements panel.Panel.
func (v *Panel) Commands() []command.Command {
	return slices.Concat(v.planeCommands(), v.layoutCommands(), v.pictureCommands(), v.overlayCommands(), v.compareCommands(), v.windowCommands(), v.presetCommands())
}

// Cancel implements panel.Canceller: it shows all panes again.
func (v *Panel) Cancel() bool {
	if v.maximized < 0 {
		return false
	}
	v.maximize(v.maximized)
	return true
}

// Pause implements panel.Pauser: it ends a comparison that blinks.
func (v *Panel) Pause() {
	if v.h.Session.State().Comparison().Mode == viewer.Blink {
		v.compare(viewer.Plain)
	}
}

// Close implements panel.Closer.
func (v *Panel) Close() {
	v.stopBlinking()
	v.h.Settings.Layout = v.layoutName()
}

// Keep implements panel.Keeper: how every series is shown.
func (v *Panel) Keep(put func(name string, value any)) {
	state := v.h.Session.State()
	compared := state.Comparison()
	put("layout", v.layoutName())
	put("mode", compared.Mode.String())
	put("share", compared.Share)
	if _, on := state.Crosshair(); on {
		put("crosshair", on)
	}
}

// Restore implements panel.Keeper; unknown settings stay as they are.
func (v *Panel) Restore(get func(name string, into any) bool) {
	var layout, mode string
	var share float64
	var crosshair bool
	if get("layout", &layout) && slices.Contains(layoutNames, layout) {
		v.setLayout(layout)
	}
	get("mode", &mode)
	state := v.h.Session.State()
	for m := range viewer.Modes {
		if m.String() == mode && m != state.Comparison().Mode {
			v.compare(m)
		}
	}
	get("share", &share)
	get("crosshair", &crosshair)
	state.SetShare(share)
	state.MarkCrosshair(crosshair)
}

// Offer implements panel.Keeper.
func (v *Panel) Offer(func(name string, into any) bool) string { return "" }

// noticed adds the notice on clinical use to the pane that says how the series was acquired,
// if the status bar is hidden.
func noticed(c sliceview.Caption, fullScreen bool) sliceview.Caption {
	if fullScreen && len(c.How) > 0 {
		c.How = append(c.How, lang.L(wording.NotClinical))
	}
	return c
}

// display returns what captions depend on besides the session.
func (v *Panel) display() display {
	d := display{panes: v.Sizes(), identity: v.identity()}
	if v.maximized >= 0 {
		d.named = v.maximized
	}
	return d
}

// Framed implements panel.Screen: it shows new frames in all panes at once.
func (v *Panel) Framed(_ *viewer.Picture, frames [viewer.Roles]viewer.Frame) {
	for role, pane := range v.Panes {
		pane.SetFrame(frames[role])
	}
}

// contextCommands are the commands in the context menu of a picture.
var contextCommands = []string{"fit", "actual", "reset", "mirror-across", "turn", "invert", "window-auto", "window-own", "overlay", "residual", "export"}

func (v *Panel) contextMenu(role viewer.Role, at fyne.Position) {
	title := lang.L("This pane alone")
	if v.maximized >= 0 {
		title = lang.L("All panes")
	}
	menu := fyne.NewMenu("", fyne.NewMenuItem(title, func() { v.maximize(role) }), fyne.NewMenuItemSeparator())
	var commands []command.Command
	for _, id := range contextCommands {
		commands = append(commands, v.h.Command(id))
	}
	menu.Items = append(menu.Items, v.h.Bar.Items(commands)...)
	widget.ShowPopUpMenuAtPosition(menu, v.h.Window.Canvas(), at)
}

// unfocus gives the keys to the pictures when the pointer enters one, unless a
// field holds text that is not committed yet. An open main menu keeps its focus.
func (v *Panel) unfocus() {
	canvas := v.h.Window.Canvas()
	focused := canvas.Focused()
	if _, ok := focused.(desktop.Keyable); !ok {
		return
	}
	if field, ok := focused.(interface{ Editing() bool }); ok && field.Editing() {
		return
	}
	canvas.Unfocus()
}
