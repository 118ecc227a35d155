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

// usualRate is the rate of a first start.
const usualRate = 10

// cine plays the slices one after the other. After the last it begins again at the first, or
// turns back.
type cine struct {
	rate    int    // slices per second
	reverse bool   // it is on its way back
	stop    func() // nil while it does not play

	button *control.Button
	rates  *control.Select
}

// newCine returns the controls: play, and the rate, which is that of the last session.
func newCine(w *Workbench) *fyne.Container {
	c := &w.cine
	c.rate = w.settings.CineRate
	if !slices.Contains(cineRates, c.rate) {
		c.rate = usualRate
	}
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

// setCineRate changes the rate, also while it plays, now and at the next start.
func (w *Workbench) setCineRate(rate int) {
	w.cine.rate, w.settings.CineRate = rate, rate
	w.saveSettings()
	if w.cine.stop != nil {
		w.stopCine()
		w.toggleCine()
	}
}

// toggleCineBack selects whether the cine turns back at its ends, now and at the next start.
func (w *Workbench) toggleCineBack() {
	w.settings.CineBack = !w.settings.CineBack
	w.saveSettings()
	w.refreshMenu()
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
	state, picture := w.session.State(), w.session.Screen.Picture()
	if w.cine.stop == nil || picture == nil || picture.View != state.View() || picture.Index != state.Index() {
		return
	}
	n := state.View().Size[2]
	if n < 2 {
		return
	}
	defer w.awaitFrames()
	if !w.settings.CineBack {
		state.SetIndex((state.Index() + 1) % n)
		return
	}
	switch state.Index() {
	case 0:
		w.cine.reverse = false
	case n - 1:
		w.cine.reverse = true
	}
	step := 1
	if w.cine.reverse {
		step = -1
	}
	state.Scroll(step)
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
