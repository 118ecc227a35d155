package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"quell/app/workbench"
	"quell/ui"
	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/viewer"
)

// toy is a panel that nothing else knows: it shows the slice, and has a command.
type toy struct {
	dock  panel.Dock
	label *widget.Label
	runs  int
}

func (t *toy) Dock() panel.Dock { return t.dock }

func (t *toy) Show(now panel.Snapshot) {
	t.label.SetText(fmt.Sprintf("toy %d", now.Session.State().Cut().Index()))
}

func (t *toy) Commands() []command.Command {
	return []command.Command{{ID: "toy", Title: "Play", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyF9), Run: func() { t.runs++ }}}
}

// A new panel needs a line in the table alone: in every area it is shown and follows the session,
// its command is in the menu, behind the commands that have their order, and on the help sheet,
// and its key works.
func TestANewPanelNeedsALineInTheTable(t *testing.T) {
	areas := []panel.Area{panel.Column, panel.Toolbar, panel.Rail, panel.Pictures, panel.Slices, panel.Quick, panel.Card, panel.Status}
	if testing.Short() {
		areas = areas[:1]
	}
	for _, area := range areas {
		t.Run(fmt.Sprint(area), func(t *testing.T) {
			p := &toy{}
			ui.Register(t, func(*host.Host) panel.Panel {
				p.label = widget.NewLabel("")
				p.dock = panel.Dock{Area: area, Object: p.label}
				if area == panel.Card {
					p.dock.Tabs = []string{"Toy"}
				}
				return p
			})
			b := newBenchWith(t, large, func(s *workbench.Settings) {
				if s.Column = "shown"; area == panel.Quick {
					s.Column = "hidden"
				}
			})
			if area == panel.Card {
				b.workbench.SelectTab("Toy")
			}
			b.key(fyne.KeyDown)
			b.drain()
			if want := fmt.Sprintf("toy %d", b.state().Cut().Index()); p.label.Text != want {
				t.Errorf("it says %q; want %q", p.label.Text, want)
			}
			if at := fyne.CurrentApp().Driver().AbsolutePositionForObject(p.label); !p.label.Visible() || p.label.Size().Width < 1 || p.label.Size().Height < 1 || at.X+p.label.Size().Width <= 0 || at.Y <= 0 || at.X >= large.Width || at.Y >= large.Height {
				t.Errorf("it is not in sight: at %v, %v", at, p.label.Size())
			}
			items := viewMenu(b).Items
			last := items[len(items)-1]
			if title, _, _ := strings.Cut(last.Label, "\t"); title != "Play" {
				t.Fatalf("the last item of the menu is %q", last.Label)
			}
			last.Action()
			if p.runs != 1 {
				t.Error("its item does nothing")
			}
			if b.key(fyne.KeyF9); p.runs != 2 {
				t.Error("its key does nothing")
			}
			rows := 0
			for _, s := range b.workbench.HelpSections() {
				for _, r := range s.Rows {
					if r == [2]string{"F9", "Play"} {
						rows++
					}
				}
			}
			if rows != 1 {
				t.Errorf("it is %d times on the help sheet", rows)
			}
		})
	}
}

// Before the event loop runs, Fyne runs functions for the UI goroutine at once.
func TestTheWorkbenchIsBuiltBeforeTheEventLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	for _, layout := range []string{"1", "1×2", "1×3", "2×2"} {
		settings := workbench.DefaultSettings()
		settings.Layout = layout
		w := ui.New(b.app, host.Options{Settings: settings, Engine: b.engine, Go: func(func()) {}, Do: func(f func()) { f() }})
		if !w.Panes()[viewer.Denoised].Visible() || w.Planes()[0].Visible() != (layout == "2×2") {
			t.Errorf("layout %s: another one is shown", layout)
		}
		w.Close()
	}
}

func viewMenu(b *bench) *fyne.Menu {
	for _, m := range b.workbench.Menu().Items {
		if m.Label == "View" {
			return m
		}
	}
	return nil
}
