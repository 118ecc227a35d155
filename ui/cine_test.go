package ui_test

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/ui"
	"quell/ui/control"
	"quell/ui/host"
)

// The cine shows every slice, one when the one before is on the screen, and begins again
// after the last.
func TestCine(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	b.key(fyne.KeyY)
	tick := b.ticks()
	if tick == nil || b.interval != 100*time.Millisecond || !b.command("cine").Checked() {
		t.Fatalf("nothing ticks every %v", b.interval)
	}
	drawn := func() bool { p := b.session().Screen.Picture(); return p != nil && p.Index == b.state().Cut().Index() }
	start := b.state().Cut().Index()
	for i := range 5 {
		tick()
		tick() // which waits for the one before, and is left out
		want := (start + i + 1) % 7
		b.until("the slice is on the screen", func() bool { return b.state().Cut().Index() == want && drawn() })
	}
	b.drain()
	b.state().Cut().Scroll(1) // and its picture is not there yet, as nothing that is queued has run
	at := b.state().Cut().Index()
	b.workbench.PlaySlice()
	if b.state().Cut().Index() != at {
		t.Error("a slice was left out")
	}
	b.key(fyne.KeyY)
	if b.ticks() != nil || b.command("cine").Checked() {
		t.Error("Y does not stop it")
	}
	at = b.state().Cut().Index()
	tick() // one that was on its way
	b.drain()
	if b.state().Cut().Index() != at {
		t.Error("it plays after it was stopped")
	}
}

// The cine can turn back at its ends; this and the rate are kept for the next start.
func TestCineTurnsBack(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	b.command("cine-back").Run()
	b.selectOf("10/s").SetSelected("15/s")
	b.key(fyne.KeyY)
	tick := b.ticks()
	for _, want := range []int{4, 5, 6, 5, 4, 3, 2, 1, 0, 1, 2} {
		tick()
		b.until("the slice is on the screen", func() bool {
			p := b.session().Screen.Picture()
			return b.state().Cut().Index() == want && p != nil && p.Index == want
		})
	}
	b.key(fyne.KeyY)
	kept := workbench.LoadSettings(b.settingsPath)
	if !b.command("cine-back").Checked() || !kept.CineBack || kept.CineRate != 15 {
		t.Errorf("kept are %d slices per second, back and forth %t", kept.CineRate, kept.CineBack)
	}
	next := func(rate int) string {
		kept.CineRate = rate
		w := ui.New(b.app, host.Options{Settings: kept, Engine: b.engine, Do: func(func()) {}})
		t.Cleanup(w.Close)
		return w.CineRate()
	}
	for rate, want := range map[int]string{15: "15/s", 0: "10/s", 7: "10/s"} {
		if got := next(rate); got != want {
			t.Errorf("a kept rate of %d shows %s; want %s", rate, got, want)
		}
	}
	b.command("cine-back").Run()
	if b.command("cine-back").Checked() {
		t.Error("it cannot be switched off")
	}
}

// The rate can be changed while it plays; Escape and the end of the program stop it.
func TestRateAndEndOfTheCine(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	rates := b.selectOf("10/s")
	rates.SetSelected("5/s")
	if b.ticks() != nil {
		t.Fatal("a rate begins to play")
	}
	b.key(fyne.KeyY)
	if b.interval != 200*time.Millisecond {
		t.Errorf("a slice every %v", b.interval)
	}
	rates.SetSelected("20/s")
	if b.ticks() == nil || b.interval != 50*time.Millisecond || b.command("cine").Checked() == false {
		t.Errorf("after the change a slice every %v", b.interval)
	}
	b.key(fyne.KeyEscape)
	if b.ticks() != nil {
		t.Error("Escape does not stop it")
	}
	b.key(fyne.KeyY)
	b.workbench.Close()
	if b.ticks() != nil {
		t.Error("it plays after the end")
	}
}

// selectOf returns the list with an option.
func (b *bench) selectOf(option string) *control.Select {
	b.t.Helper()
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if s, ok := o.(*control.Select); ok {
			for _, name := range s.Options {
				if name == option {
					return s
				}
			}
		}
	}
	b.t.Fatalf("no list has the option %q", option)
	return nil
}
