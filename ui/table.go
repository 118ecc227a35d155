package ui

import (
	"quell/ui/engines"
	"quell/ui/exporting"
	"quell/ui/filterpanel"
	"quell/ui/gallery"
	"quell/ui/help"
	"quell/ui/host"
	"quell/ui/markpanel"
	"quell/ui/measurepanel"
	"quell/ui/opening"
	"quell/ui/panel"
	"quell/ui/pictures"
	"quell/ui/plotpanel"
	"quell/ui/preferences"
	"quell/ui/rail"
	"quell/ui/reader"
	"quell/ui/reference"
	"quell/ui/slicebar"
	"quell/ui/statusbar"
	"quell/ui/toolbar"
)

// table has the constructors of the panels. Its order is that of the tabs of the card, from
// left to right, of what lies over the pictures, from below, and of what Escape ends.
var table = []func(*host.Host) panel.Panel{
	measurepanel.New,
	plotpanel.New,
	markpanel.New,
	filterpanel.New,
	filterpanel.NewQuick,
	statusbar.New,
	slicebar.New,
	pictures.New,
	toolbar.New,
	gallery.New,
	rail.New,
	opening.NewInvite,
	opening.NewArriving,
	exporting.New,
	reference.New,
	reader.New,
	engines.New,
	preferences.New,
	help.New,
}
