package pictures

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/ui/command"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// blinkTime is how long a side of a comparison that blinks is shown.
const blinkTime = 600 * time.Millisecond

// shareStep is how far a key moves the divider of a swipe, or mixes the sides.
const shareStep = 0.05

// compareCaptions writes on the panes what each side of a comparison is.
func compareCaptions(s *session.Session, id identity, out *[viewer.Roles]sliceview.Caption) {
	names := wording.Sides(s, id.hidden)
	other, compared := s.Results.Beside()
	runs := len(s.Results.List()) > 0
	out[viewer.Original].Choice, out[viewer.Denoised].Choice = runs || other != nil || len(s.Documents.List()) > 1, runs || compared
	if r, ok := s.Results.Base(); ok {
		c := &out[viewer.Original]
		c.Title, c.Detail, c.Badge, c.BadgeKind = names[0], wording.Recipe(s, r.Run.Recipe), lang.L("EARLIER RUN"), sliceview.Busy
		out[viewer.Denoised].Title = names[1]
		out[viewer.Residual].Title = lang.L("DIFFERENCE")
		out[viewer.Residual].Detail = strings.ToLower(names[0] + " − " + names[1])
	}
	if compared {
		otherCaption(s, id, other, out)
	}
	c := &out[viewer.Denoised]
	_, _, filtered := s.Preview.Recipe()
	filtered = filtered || s.Results.Unfiltered()
	mode := s.State().Comparison()
	if s.Screen.HoldsBefore() {
		c.Title = names[0]
		c.Badge = fmt.Sprintf(lang.L("SHOWING %s"), names[0])
		if !wording.Compared(s) {
			c.Badge = lang.L("SHOWING THE ORIGINAL")
		}
		return
	}
	if mode.Mode == viewer.Plain || !filtered && s.Screen.Kept() == nil {
		return
	}
	c.Sides = names
	switch mode.Mode {
	case viewer.Swipe:
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

// otherCaption says which series side A is, and what to know before comparing it.
func otherCaption(s *session.Session, id identity, other *workbench.Beside, out *[viewer.Roles]sliceview.Caption) {
	names := wording.Sides(s, id.hidden)
	c := &out[viewer.Original]
	c.Title, c.Badge, c.BadgeKind = names[0], lang.L("BY POSITION"), sliceview.Busy
	switch {
	case other.Differs:
		c.Badge, c.BadgeKind = lang.L("ANOTHER PATIENT ID"), sliceview.Caution
	case other.Apart:
		c.Badge, c.BadgeKind = lang.L("POSITIONS MAY DIFFER"), sliceview.Caution
	}
	c.Detail = wording.Summary(wording.Acquired(other), id.hidden)
	for _, note := range other.Notes {
		c.Detail += " · " + language.Of(note)
	}
	out[viewer.Residual].Title = lang.L("DIFFERENCE")
	out[viewer.Residual].Detail = strings.ToLower(names[0] + " − " + names[1])
}

// modeID is the ID of the command of a mode.
func modeID(m viewer.Mode) string { return "compare-" + strings.ToLower(m.String()) }

// compareCommands returns the commands of the comparison.
func (v *Panel) compareCommands() []command.Command {
	s, state := v.h.Session, v.h.Session.State()
	open := func() bool { return s.Series() != nil }
	help := [viewer.Modes]string{
		viewer.Plain:        "the denoised pane shows the denoised picture alone",
		viewer.Swipe:        "the original left of a line that you drag, the denoised picture right of it",
		viewer.Blink:        "original and denoised picture in turn",
		viewer.Fade:         "a mixture of original and denoised picture",
		viewer.Checkerboard: "squares of original and denoised picture in turn",
	}
	keys := [viewer.Modes][]command.Chord{
		viewer.Swipe: command.Key(fyne.KeyW), viewer.Blink: command.Key(fyne.KeyK), viewer.Fade: command.Key(fyne.KeyO), viewer.Checkerboard: command.Key(fyne.KeyQ),
	}
	var out []command.Command
	for m := range viewer.Modes {
		title := m.String()
		if m == viewer.Plain {
			title = "No comparison in the denoised pane"
		}
		out = append(out, command.Command{
			ID: modeID(m), Title: title, Help: help[m], Menu: command.CompareMenu, Chords: keys[m], Enabled: open,
			Run: func() { v.compare(m) }, Checked: func() bool { return state.Comparison().Mode == m },
		})
	}
	shift := func(step float64) func() {
		return func() { state.SetShare(state.Comparison().Share + step) }
	}
	divides := func() bool {
		m := state.Comparison().Mode
		return open() && (m == viewer.Swipe || m == viewer.Fade)
	}
	return append(out,
		command.Command{ID: "before", Title: "Show the original (hold the key)", Menu: command.CompareMenu, Gap: true, Chords: command.Key(fyne.KeySpace), Hold: s.Screen.HoldBefore,
			Run: func() { s.Screen.HoldBefore(!s.Screen.HoldsBefore()) }, Checked: s.Screen.HoldsBefore, Enabled: open},
		command.Command{ID: "share-less", Title: "Divider left, less of B", Menu: command.CompareMenu, Chords: command.Key(fyne.KeyLeft), Run: shift(-shareStep), Enabled: divides},
		command.Command{ID: "share-more", Title: "Divider right, more of B", Menu: command.CompareMenu, Chords: command.Key(fyne.KeyRight), Run: shift(shareStep), Enabled: divides},
		command.Command{ID: "results", Title: "Results", Menu: command.ToolsMenu, List: v.resultCommands},
		command.Command{ID: "compare-unfiltered", Title: "The other series against the original", Menu: command.CompareMenu, Chords: command.With(fyne.KeyModifierShift, fyne.KeyB),
			Help: "the denoised pane shows the open series without the filter, beside the other one",
			Run:  func() { s.Results.CompareUnfiltered(!s.Results.Unfiltered()) }, Checked: s.Results.Unfiltered,
			Enabled: func() bool { _, compared := s.Results.Beside(); return compared }},
		command.Command{ID: "compare-with", Title: "Compare with", Menu: command.CompareMenu, Enabled: open, List: v.baseCommands},
	)
}

// compare sets a mode, or switches it off if it is set; a pane that does not show
// the comparison gives way to one that does.
func (v *Panel) compare(m viewer.Mode) {
	if v.maximized >= 0 && v.maximized != viewer.Denoised {
		v.maximize(v.maximized)
	}
	state := v.h.Session.State()
	if m == viewer.Plain && state.Comparison().Mode == viewer.Plain {
		return
	}
	state.Compare(m)
	v.stopBlinking()
	v.stopBlinking = func() {}
	if state.Comparison().Mode == viewer.Blink {
		v.stopBlinking = v.h.Every(blinkTime, func() { v.h.Do(state.Alternate) })
	}
}

// baseCommands choose side A of comparisons: the original, a run, the other series, or another one that is open.
func (v *Panel) baseCommands() []command.Command {
	out := []command.Command{{
		Title: lang.L("Original"), Run: func() { v.h.Session.Results.CompareWith(-1) },
		Checked: func() bool { return !wording.Compared(v.h.Session) },
	}}
	for i, r := range v.h.Session.Results.List() {
		out = append(out, command.Command{Title: wording.Run(v.h.Session, r), Run: func() { v.h.Session.Results.CompareWith(i) }, Checked: func() bool { return r.Base }})
	}
	s, hide := v.h.Session, v.h.Settings.HideIdentity
	if other, compared := s.Results.Beside(); other != nil {
		out = append(out, command.Command{
			Title: wording.Other(s, other, hide) + ": " + wording.Summary(wording.Acquired(other), hide), Run: s.Results.CompareWithOther, Checked: func() bool { return compared },
		})
	}
	for i, d := range s.Documents.List() {
		if !d.Shown && !s.Tasks.Busy() {
			out = append(out, command.Command{Title: fmt.Sprintf(lang.L("Open series: %s"), wording.Series(d, hide)), Run: func() { s.Reader.ShowBeside(i) }})
		}
	}
	return out
}

// chooseSide opens the list of pictures that a pane can show, from its heading.
func (v *Panel) chooseSide(role viewer.Role, at fyne.Position) {
	commands := map[viewer.Role]func() []command.Command{viewer.Original: v.baseCommands, viewer.Denoised: v.resultCommands}[role]
	if commands == nil || v.h.Session.Series() == nil {
		return
	}
	if list := commands(); len(list) > 0 {
		v.h.PopUp(list, at)
	}
}

// resultCommands show the finished runs of the series again, and beside another series the original.
func (v *Panel) resultCommands() (out []command.Command) {
	if s := v.h.Session; s.Series() != nil {
		if _, compared := s.Results.Beside(); compared {
			out = append(out, command.Command{Title: lang.L("Original"), Run: func() { s.Results.CompareUnfiltered(true) }, Checked: s.Results.Unfiltered},
				command.Command{Title: lang.L("Denoised"), Run: func() { s.Results.CompareUnfiltered(false) }, Checked: func() bool { return !s.Results.Unfiltered() }})
		}
	}
	for i, r := range v.h.Session.Results.List() {
		out = append(out, command.Command{Title: wording.Run(v.h.Session, r), Run: func() { v.h.Session.Results.Show(i) }, Checked: func() bool { return r.Shown }})
	}
	return out
}
