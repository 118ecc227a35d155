package ui

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/control"
)

// cineRates are the slices per second that can be chosen.
var cineRates = []int{2, 5, 10, 15, 20, 30}

// cine plays the slices one after the other, from the last to the first again.
type cine struct {
	rate int    // slices per second
	stop func() // nil while it does not play

	button *control.Button
	rates  *control.Select
}

// newCine returns the controls: play, and the rate.
func newCine(w *Workbench) *fyne.Container {
	c := &w.cine
	c.rate = 10
	c.button = w.commandButton(theme.MediaPlayIcon(), "", "cine")
	var names []string
	for _, rate := range cineRates {
		names = append(names, fmt.Sprintf("%d/s", rate))
	}
	c.rates = control.NewSelect(names, nil)
	c.rates.SetSelectedIndex(slices.Index(cineRates, c.rate))
	c.rates.OnChanged = func(string) {
		if i := c.rates.SelectedIndex(); i >= 0 {
			w.setCineRate(cineRates[i])
		}
	}
	return container.NewHBox(c.button, c.rates)
}

// setCineRate changes the rate, also while it plays.
func (w *Workbench) setCineRate(rate int) {
	w.cine.rate = rate
	if w.cine.stop != nil {
		w.stopCine()
		w.toggleCine()
	}
}

// toggleCine begins to play the slices, or stops.
func (w *Workbench) toggleCine() {
	if w.cine.stop != nil {
		w.stopCine()
		return
	}
	var waiting atomic.Bool // for the UI goroutine; ticks that come meanwhile are left out
	w.cine.stop = w.options.Every(time.Second/time.Duration(w.cine.rate), func() {
		if waiting.CompareAndSwap(false, true) {
			w.options.Do(func() {
				waiting.Store(false)
				w.playSlice()
			})
		}
	})
	w.changed()
}

func (w *Workbench) stopCine() {
	if w.cine.stop != nil {
		w.cine.stop()
		w.cine.stop = nil
		w.changed()
	}
}

// playSlice shows the next slice, when the one before is on the screen: none is left out.
func (w *Workbench) playSlice() {
	state, picture := w.session.State(), w.session.Picture()
	if w.cine.stop == nil || picture == nil || picture.View != state.View() || picture.Index != state.Index() {
		return
	}
	state.SetIndex((state.Index() + 1) % max(state.View().Size[2], 1))
}

// display follows the state.
func (c *cine) display(open bool) {
	icon := theme.MediaPlayIcon()
	if c.stop != nil {
		icon = theme.MediaPauseIcon()
	}
	if c.button.Icon != icon {
		c.button.SetIcon(icon)
	}
	setEnabled(c.button, open)
	setEnabled(c.rates, open)
}
