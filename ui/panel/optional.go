package panel

import (
	"fyne.io/fyne/v2"

	"quell/ui/viewer"
)

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
