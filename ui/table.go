package ui

import (
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/panels/engines"
	"quell/ui/panels/exporting"
	"quell/ui/panels/filterpanel"
	"quell/ui/panels/gallery"
	"quell/ui/panels/help"
	"quell/ui/panels/lesions"
	"quell/ui/panels/markpanel"
	"quell/ui/panels/measurepanel"
	"quell/ui/panels/opening"
	"quell/ui/panels/physicspanel"
	"quell/ui/panels/pictures"
	"quell/ui/panels/plotpanel"
	"quell/ui/panels/preferences"
	"quell/ui/panels/project"
	"quell/ui/panels/rail"
	"quell/ui/panels/reader"
	"quell/ui/panels/reference"
	"quell/ui/panels/slicebar"
	"quell/ui/panels/statusbar"
	"quell/ui/panels/toolbar"
)

// table has the constructors of the panels. Its order is the order of the tabs of the card,
// from left to right, of what lies over the pictures, from below, and of what Escape ends.
var table = []func(*host.Host) panel.Panel{
	measurepanel.New,
	lesions.NewWatch,
	lesions.New,
	physicspanel.New,
	plotpanel.New,
	markpanel.New,
	filterpanel.New,
	filterpanel.NewQuick,
	filterpanel.NewPresets,
	statusbar.New,
	slicebar.New,
	pictures.New,
	toolbar.New,
	gallery.New,
	rail.New,
	opening.NewInvite,
	opening.NewArriving,
	exporting.New,
	project.New,
	reference.New,
	reader.New,
	engines.New,
	preferences.New,
	help.New,
}
