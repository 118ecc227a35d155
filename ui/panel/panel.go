// Package panel is the contract between the workbench and its panels. The workbench knows its
// panels by this contract alone: where they stand, what they show, which commands they
// contribute. A new panel is a package with a constructor that takes the host, and a line in
// the table of package ui.
//
// Everything is for the UI goroutine.
package panel

import (
	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/ui/command"
	"quell/ui/session"
	"quell/ui/viewer"
)

// Panel is a part of the workbench.
type Panel interface {
	// Dock says where the panel stands, and with which object. It is always the same.
	Dock() Dock
	// Show follows the state. It is called after every change, so it redraws only what differs.
	// The panels of a column that is hidden, or of what stands for it, are not shown.
	Show(Snapshot)
	// Commands are in English: the workbench translates them, and gives them to menus, keys,
	// tooltips and the help sheet.
	Commands() []command.Command
}

// Base is a panel that stands nowhere, shows nothing and has no commands. A panel embeds it, and has
// what is its own.
type Base struct{}

// Dock implements Panel.
func (Base) Dock() Dock { return Dock{} }

// Show implements Panel.
func (Base) Show(Snapshot) {}

// Commands implements Panel.
func (Base) Commands() []command.Command { return nil }

// Area is a part of the workbench that holds panels. If several panels stand in one area,
// the first of the table has the space that the others, below it, leave.
type Area int

// The areas.
const (
	Nowhere  Area = iota // the panel has commands and dialogs alone
	Toolbar              // above everything
	Rail                 // at the left edge
	Pictures             // the main area; a later panel lies over an earlier one
	Slices               // below the pictures
	Quick                // at the right end of the slices while the column is hidden
	Column               // at the right edge
	Card                 // a tab below the column
	Status               // below everything
	Cover                // in the place of everything else while the host says so
)

// RailWidth is the width of the rail, on every window: pictures and names are what a series is known by.
const RailWidth = 84

// Dock is where a panel stands.
type Dock struct {
	Area   Area
	Object fyne.CanvasObject
	Tabs   []string // titles of its tabs in the card, in English
}

// Snapshot is the state that panels show: of the session, and of the workbench beside it.
// Panels read it while they are shown, and do not keep it.
type Snapshot struct {
	Session    *session.Session
	Settings   workbench.Settings
	Column     bool   // column and card are shown
	Tab        string // that the card shows, in English; "" while it is hidden
	FullScreen bool   // the pictures alone are shown
}

// Arrives says whether a series that is being read is on the screen. No name and no number of the
// series before may stand beside its picture.
func Arrives(s *session.Session) bool {
	return s.Reader.Arriving() != nil && s.Reader.Arriving().Slice != nil
}

// Hides says whether an area is hidden with the column, or while it is shown.
func (s Snapshot) Hides(a Area) bool {
	return !s.Column && (a == Column || a == Card) || s.Column && a == Quick
}

// Optional abilities of a panel. The workbench asks every panel for these.
type (
	// Docked follows when all panels have their places: before, nothing that it changes may be
	// refreshed.
	Docked interface{ Docked() }
	// Starter begins with work when the workbench is shown.
	Starter interface{ Start() }
	// Closer ends what the panel does by itself, before the session ends.
	Closer interface{ Close() }
	// Pauser stops what moves by itself while another panel is in the place of all others.
	Pauser interface{ Pause() }
	// Opener follows the opening of a series: path is its path, "" for the bundled one.
	Opener interface{ Opened(path string) }
	// PathOpener opens a path that is no series, and says whether it does.
	PathOpener interface{ OpenPath(path string) bool }
	// Noter shows a line until the next task.
	Noter interface{ Note(text string) }
	// Canceller ends something on Escape, and says whether there was something to end. The
	// panels are asked in the order of the table.
	Canceller interface{ Cancel() bool }
	// Unsaved names in a sentence the losses if the workbench ends now; "" for nothing.
	Unsaved interface{ Unsaved() string }
	// Screen draws the pictures of the session.
	Screen interface {
		Sizes() [viewer.Roles]viewer.Pane
		Framed(*viewer.Picture, [viewer.Roles]viewer.Frame)
		PlaneSizes() [3]viewer.Pane
		PlanesFramed([3]viewer.Frame)
	}
	// Covering stands in the place of everything else: all keys are its own, and Escape and the
	// end of the workbench ask whether it ends.
	Covering interface {
		Key(fyne.KeyName)
		AskEnd()
	}
)

// Messages of a panel to its frame.
type (
	// Needing needs a height, so that its rows do not scroll.
	Needing interface{ Needs() float32 }
	// Wanting has a use for one of two heights: the higher, else up to the lower.
	Wanting interface{ Wants() (least, most float32) }
	// Optional is hidden while it has nothing to show.
	Optional interface{ Wanted() bool }
	// Tabbed has several tabs of the card, and shows one of them.
	Tabbed interface{ SelectTab(title string) }
)

// Keeper has a state that is kept for the next start after a crash.
type Keeper interface {
	// Keep puts values by name, which JSON can hold.
	Keep(put func(name string, value any))
	// Restore takes them back: get fills a pointer, and says whether there was such a value.
	Restore(get func(name string, into any) bool)
	// Offer says in a sentence, behind a space, what Restore brings back besides how series are
	// shown; "" for nothing.
	Offer(get func(name string, into any) bool) string
}
