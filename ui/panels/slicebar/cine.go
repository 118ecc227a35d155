package slicebar

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/host"
)

// cineRates are the slices per second that can be chosen.
var cineRates = []int{2, 5, 10, 15, 20, 30}

// usualRate is the rate of a first start.
const usualRate = 10

// cine plays the slices one after the other. After the last it begins again at the first, or
// turns back.
type cine struct {
	h       *host.Host
	rate    int    // slices per second
	reverse bool   // it is on its way back
	stop    func() // nil while it does not play

	button *control.Button
	Rates  *control.Select

	content *fyne.Container
}

// newCine returns a cine at the rate of the last session.
func newCine(h *host.Host) *cine {
	c := &cine{h: h, rate: h.Settings.CineRate}
	if !slices.Contains(cineRates, c.rate) {
		c.rate = usualRate
	}
	c.button = h.Button(theme.MediaPlayIcon(), "", "cine")
	var names []string
	for _, rate := range cineRates {
		names = append(names, fmt.Sprintf("%d/s", rate))
	}
	c.Rates = control.NewSelect(lang.L("Speed of the cine"), names, nil)
	c.Rates.SetSelectedIndex(slices.Index(cineRates, c.rate))
	c.Rates.OnChanged = func(string) {
		if i := c.Rates.SelectedIndex(); i >= 0 {
			c.setRate(cineRates[i])
		}
	}
	c.content = container.NewHBox(c.button, c.Rates)
	return c
}

// setRate changes the rate, also while it plays, now and at the next start.
func (c *cine) setRate(rate int) {
	c.rate, c.h.Settings.CineRate = rate, rate
	c.h.SaveSettings()
	if c.stop != nil {
		c.end()
		c.toggle()
	}
}

// toggleBack selects whether the cine turns back at its ends, now and at the next start.
func (c *cine) toggleBack() {
	c.h.Settings.CineBack = !c.h.Settings.CineBack
	c.h.SaveSettings()
	c.h.RefreshMenu()
}

// toggle begins to play the slices, or stops.
func (c *cine) toggle() {
	if c.stop != nil {
		c.end()
		return
	}
	var waiting atomic.Bool // for the UI goroutine; ticks that come meanwhile are left out
	c.stop = c.h.Every(time.Second/time.Duration(c.rate), func() {
		if waiting.CompareAndSwap(false, true) {
			c.h.Do(func() {
				waiting.Store(false)
				c.Step()
			})
		}
	})
	c.h.Changed()
}

func (c *cine) end() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
		c.h.Changed()
	}
}

// Step shows the next slice, when the one before is on the screen: none is left out.
func (c *cine) Step() {
	cut, picture := c.h.Session.State().Cut(), c.h.Session.Screen.Picture()
	if c.stop == nil || picture == nil || picture.View != cut.View() || picture.Index != cut.Index() {
		return
	}
	n := cut.View().Size[2]
	if n < 2 {
		return
	}
	defer c.h.AwaitFrames()
	if !c.h.Settings.CineBack {
		cut.SetIndex((cut.Index() + 1) % n)
		return
	}
	switch cut.Index() {
	case 0:
		c.reverse = false
	case n - 1:
		c.reverse = true
	}
	step := 1
	if c.reverse {
		step = -1
	}
	cut.Scroll(step)
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
	control.SetEnabled(c.button, open)
	control.SetEnabled(c.Rates, open)
}

// commands are the commands of the cine.
func (c *cine) commands() []command.Command {
	return []command.Command{
		{ID: "cine", Title: "Cine", Help: "plays the slices", Menu: command.PictureMenu, Gap: true, Chords: command.Key(fyne.KeyY),
			Run: c.toggle, Checked: func() bool { return c.stop != nil }, Enabled: c.h.IsOpen},
		{ID: "cine-back", Title: "Cine back and forth", Help: "turns back at the last slice, in place of a jump to the first", Menu: command.PictureMenu,
			Run: c.toggleBack, Checked: func() bool { return c.h.Settings.CineBack }},
	}
}
