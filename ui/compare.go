package ui

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/session"
	"quell/ui/session/results"
	"quell/ui/sliceview"
	"quell/ui/viewer"
)

// blinkTime is how long a side of a comparison that blinks is shown.
const blinkTime = 600 * time.Millisecond

// shareStep is how far a key moves the divider of a curtain, or mixes the sides.
const shareStep = 0.05

// sideNames returns the permanent labels of the two sides of a comparison.
func sideNames(s *session.Session) (names [2]string) {
	names = [2]string{lang.L(viewer.Original.String()), lang.L(viewer.Denoised.String())}
	_, based := s.Results.Base()
	for _, r := range s.Results.List() {
		if r.Base {
			names[0] = runName(r.Number)
		}
		if r.Shown && based {
			names[1] = runName(r.Number)
		}
	}
	return names
}

func runName(number int) string { return fmt.Sprintf(lang.L("RUN %d"), number) }

// compareCaptions writes on the panes what each side of a comparison is.
func compareCaptions(s *session.Session, out *[viewer.Roles]sliceview.Caption) {
	names := sideNames(s)
	choice := len(s.Results.List()) > 0
	out[viewer.Original].Choice, out[viewer.Denoised].Choice = choice, choice
	if r, ok := s.Results.Base(); ok {
		c := &out[viewer.Original]
		c.Title, c.Detail, c.Badge, c.BadgeKind = names[0], recipeText(s, r.Run.Recipe), lang.L("EARLIER RUN"), sliceview.Busy
		out[viewer.Denoised].Title = names[1]
		out[viewer.Residual].Title = lang.L("DIFFERENCE")
		out[viewer.Residual].Detail = strings.ToLower(names[0] + " − " + names[1])
	}
	c := &out[viewer.Denoised]
	_, _, filtered := s.Preview.Recipe()
	mode := s.State().Comparison()
	if s.Screen.HoldsBefore() {
		c.Title = names[0]
		c.Badge = fmt.Sprintf(lang.L("SHOWING %s"), names[0])
		if _, based := s.Results.Base(); !based {
			c.Badge = lang.L("SHOWING THE ORIGINAL")
		}
		return
	}
	if mode.Mode == viewer.Plain || !filtered && s.Screen.Kept() == nil {
		return
	}
	c.Sides = names
	switch mode.Mode {
	case viewer.Curtain:
		c.Title = names[0] + " | " + names[1]
	case viewer.Blink:
		c.Title = names[1]
		if mode.First {
			c.Title = names[0]
		}
		c.Detail = fmt.Sprintf(lang.L("in turn with %s"), strings.ToLower(names[0])) + ": " + c.Detail
	case viewer.Fade:
		share := int(100*mode.Share + 0.5)
		c.Title = fmt.Sprintf("%s %d %% + %s %d %%", names[0], 100-share, names[1], share)
	case viewer.Checkerboard:
		c.Title = names[0] + " / " + names[1]
	}
}

// modeID is the ID of the command of a mode.
func modeID(m viewer.Mode) string { return "compare-" + strings.ToLower(m.String()) }

// compareCommands returns the commands of the comparison.
func (w *Workbench) compareCommands() []Command {
	s, state := w.session, w.session.State()
	open := func() bool { return s.Series() != nil }
	help := [viewer.Modes]string{
		viewer.Plain:        "the denoised pane shows the denoised picture alone",
		viewer.Curtain:      "the original left of a line that you drag, the denoised picture right of it",
		viewer.Blink:        "original and denoised picture in turn",
		viewer.Fade:         "a mixture of original and denoised picture",
		viewer.Checkerboard: "squares of original and denoised picture in turn",
	}
	keys := [viewer.Modes][]Chord{
		viewer.Curtain: key(fyne.KeyW), viewer.Blink: key(fyne.KeyK), viewer.Fade: key(fyne.KeyO), viewer.Checkerboard: key(fyne.KeyQ),
	}
	var out []Command
	for m := range viewer.Modes {
		title := m.String()
		if m == viewer.Plain {
			title = "No comparison in the denoised pane"
		}
		out = append(out, Command{
			ID: modeID(m), Title: title, Help: help[m], Menu: menuCompare, Chords: keys[m], Enabled: open,
			Run: func() { w.compare(m) }, Checked: func() bool { return state.Comparison().Mode == m },
		})
	}
	shift := func(step float64) func() {
		return func() { state.SetShare(state.Comparison().Share + step) }
	}
	divides := func() bool {
		m := state.Comparison().Mode
		return open() && (m == viewer.Curtain || m == viewer.Fade)
	}
	return append(out,
		Command{ID: "before", Title: "Show the original (hold the key)", Menu: menuCompare, Gap: true, Chords: key(fyne.KeySpace), Hold: s.Screen.HoldBefore,
			Run: func() { s.Screen.HoldBefore(!s.Screen.HoldsBefore()) }, Checked: s.Screen.HoldsBefore, Enabled: open},
		Command{ID: "share-less", Title: "Divider left, less of B", Menu: menuCompare, Chords: key(fyne.KeyLeft), Run: shift(-shareStep), Enabled: divides},
		Command{ID: "share-more", Title: "Divider right, more of B", Menu: menuCompare, Chords: key(fyne.KeyRight), Run: shift(shareStep), Enabled: divides},
		Command{ID: "compare-blind", Title: "Blind comparison …", Menu: menuCompare, Gap: true, Enabled: func() bool { return s.Screen.CanCompareBlind() || w.reader.ended != nil }, Run: w.compareBlind,
			Help: "which do you prefer, without knowing which is which: slices and sides are drawn at random, the preference is tested"},
		Command{ID: "compare-with", Title: "Compare with", Menu: menuCompare, Enabled: open, List: w.baseCommands},
	)
}

// compare sets a mode, or switches it off where it is set; a pane that does not show
// the comparison gives way to one that does.
func (w *Workbench) compare(m viewer.Mode) {
	if w.maximized >= 0 && w.maximized != viewer.Denoised {
		w.maximize(w.maximized)
	}
	state := w.session.State()
	if m == viewer.Plain && state.Comparison().Mode == viewer.Plain {
		return
	}
	state.Compare(m)
	w.stopBlinking()
	w.stopBlinking = func() {}
	if state.Comparison().Mode == viewer.Blink {
		w.stopBlinking = w.options.Every(blinkTime, func() { w.options.Do(state.Alternate) })
	}
}

// every calls f again and again on a goroutine of its own, until stop is called.
func every(interval time.Duration, f func()) (stop func()) {
	ticker, ended := time.NewTicker(interval), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				f()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
	}
}

// baseCommands choose side A of comparisons: the original, or a run.
func (w *Workbench) baseCommands() []Command {
	out := []Command{{
		Title: lang.L("Original"), Run: func() { w.session.Results.CompareWith(-1) },
		Checked: func() bool { _, based := w.session.Results.Base(); return !based },
	}}
	for i, r := range w.session.Results.List() {
		out = append(out, Command{Title: runTitle(w.session, r), Run: func() { w.session.Results.CompareWith(i) }, Checked: func() bool { return r.Base }})
	}
	return out
}

// runTitle names a run in a menu.
func runTitle(s *session.Session, r results.Result) string {
	title := fmt.Sprintf(lang.L("Run %d: %s"), r.Number, recipeText(s, r.Run.Recipe))
	if !r.Exported {
		title += lang.L("  (not exported)")
	}
	return title
}

// chooseSide opens the list of what a pane can show, from its heading.
func (w *Workbench) chooseSide(role viewer.Role, at fyne.Position) {
	commands := map[viewer.Role]func() []Command{viewer.Original: w.baseCommands, viewer.Denoised: w.resultCommands}[role]
	if commands == nil || w.session.Series() == nil {
		return
	}
	if list := commands(); len(list) > 0 {
		w.popUp(list, at)
	}
}
