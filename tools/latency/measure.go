package main

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"quell/app/workbench"
	"quell/denoise"
)

// bench is a workbench on a display.
type bench struct {
	*display
	size    image.Point
	program *exec.Cmd
}

// setting is what the workbench starts with.
type setting struct {
	filter string // "" for the one that is proposed
	dims   int
	column bool   // filter and measures are shown
	path   string // of the series; "" for the bundled one
}

// start shows a series in the layout 1x2, once the picture rests.
func start(size image.Point, s setting) (*bench, error) {
	d, err := startDisplay(size)
	if err != nil {
		return nil, err
	}
	b := &bench{display: d, size: size}
	if err := b.open(s); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *bench) open(s setting) error {
	settings := workbench.DefaultSettings()
	settings.WorkbenchSize = [2]float32{float32(b.size.X), float32(b.size.Y)}
	settings.Layout, settings.Column, settings.Noticed, settings.LeaveSlices = "1×2", "hidden", time.Now(), true
	if s.column {
		settings.Column = "shown"
	}
	if s.filter != "" {
		r, err := denoise.NewRecipe(s.filter, s.dims)
		if err != nil {
			return err
		}
		settings.LastFilter, settings.Recipes = s.filter, map[string]denoise.Recipe{s.filter: r}
	}
	folder := filepath.Join(b.dir, "config", "quell")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := settings.Save(filepath.Join(folder, "settings.json")); err != nil {
		return err
	}
	var args []string
	if s.path != "" {
		args = append(args, s.path)
	}
	b.program = b.command("bin/quell-workbench", args...)
	if err := b.program.Start(); err != nil {
		b.program = nil
		return fmt.Errorf("%w; make workbench builds it", err)
	}
	id, err := b.window()
	if err != nil {
		return err
	}
	if err := b.do("windowmove %s 0 0\nwindowsize %s %d %d\nwindowfocus %s", id, id, b.size.X, b.size.Y, id); err != nil {
		return err
	}
	b.settles(image.Rectangle{Max: b.size}, 5*time.Second, 2*time.Minute)
	return nil
}

// Close ends the workbench and its display.
func (b *bench) Close() error {
	if b.program != nil {
		_ = b.program.Process.Kill() // nothing of it is kept
		_ = b.program.Wait()
	}
	return b.display.Close()
}

// part returns a part of a pane that has neither text nor the pointer: of the first, the original, or the second, the
// denoised one.
func (b *bench) part(pane int, column bool) image.Rectangle {
	width := b.size.X / 2
	if column {
		width = (b.size.X - columnWidth) / 2
	}
	at := image.Pt(pane*width+width*3/8, b.size.Y*3/8)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(width/4, b.size.Y/6))}
}

// Places in the column of a workbench of any size, from the right edge and from the top, in pixels at a scale of 1.
const (
	columnWidth = 346
	sliderFrom  = 313 // of the strength
	sliderTo    = 57
	sliderTop   = 158
	checkFrom   = 331 // Preview while tuning
	checkTop    = 332
)

// rest moves the pointer to a corner of the first pane, over which the wheel turns.
func (b *bench) rest() error { return b.do("mousemove %d %d", b.size.X/12, b.size.Y*7/8) }

// slowest is how long an answer is waited for.
const slowest = 10 * time.Second

// wheel turns the wheel one step at a time and returns the milliseconds until the original changes.
func (b *bench) wheel(steps int, button *int) (all []float64, err error) {
	part := b.part(0, true)
	for range steps {
		time.Sleep(150*time.Millisecond + rand.N(50*time.Millisecond)) //nolint:gosec // no secret
		before, begun := b.frame.hash(part), time.Now()
		if err := b.do("click --delay 0 %d", *button); err != nil {
			return nil, err
		}
		for b.frame.hash(part) == before {
			if time.Since(begun) > slowest {
				return nil, errors.New("the wheel does not change the original")
			}
			time.Sleep(look / 2)
		}
		all = append(all, milliseconds(time.Since(begun)))
	}
	*button = 9 - *button // 4 turns up, 5 down
	return all, nil
}

// wheels returns wheel with the preview and without, in blocks of ten in turn.
func (b *bench) wheels(blocks int) (on, off []float64, err error) {
	button := 5
	for k := range 2 * blocks {
		if err := b.rest(); err != nil {
			return nil, nil, err
		}
		b.settles(b.part(1, true), time.Second, slowest)
		ten, err := b.wheel(10, &button)
		if err != nil {
			return nil, nil, err
		}
		if k%2 == 0 {
			on = append(on, ten...)
		} else {
			off = append(off, ten...)
		}
		if err := b.toggle(); err != nil {
			return nil, nil, err
		}
	}
	return on, off, nil
}

// toggle switches the preview on or off.
func (b *bench) toggle() error {
	at := image.Pt(b.size.X-checkFrom, checkTop)
	box := image.Rectangle{Min: at, Max: at}.Inset(-8)
	if err := b.do("mousemove %d %d", at.X, at.Y); err != nil {
		return err
	}
	b.settles(box, 500*time.Millisecond, slowest) // the pointer is in the picture too
	if err := b.do("click --delay 0 1"); err != nil {
		return err
	}
	if changed, _ := b.changes(box, slowest, 200*time.Millisecond, 2*slowest); changed.IsZero() {
		return errors.New("there is no box of the preview where it was")
	}
	return nil
}

// slide clicks on the slider of the strength and returns the milliseconds until the denoised picture changes, and until it
// has changed for the last time: a coarse form may be shown first.
func (b *bench) slide(times int) (first, last []float64, err error) {
	part := b.part(1, true)
	from, to := b.size.X-sliderFrom, b.size.X-sliderTo
	for k := range times {
		at := from + (to-from)*[]int{70, 40, 90, 30, 60}[k%5]/100
		if err := b.do("mousemove %d %d", at, sliderTop); err != nil {
			return nil, nil, err
		}
		time.Sleep(300 * time.Millisecond)
		begun := time.Now()
		if err := b.do("click --delay 0 1"); err != nil {
			return nil, nil, err
		}
		one, fine := b.changes(part, slowest, 1500*time.Millisecond, 2*slowest)
		if one.IsZero() {
			return nil, nil, errors.New("the slider of the strength does not change the denoised picture")
		}
		first, last = append(first, milliseconds(one.Sub(begun))), append(last, milliseconds(fine.Sub(begun)))
	}
	return first, last, nil
}

// painting is how far apart two changes are at most that are of one picture: the server may be seen while it paints.
const painting = 8 * time.Millisecond

// pictures turns the wheel by 50 notches a second for a time and returns how many pictures of the original were shown in a
// second, the milliseconds between two, and what one took of the processor.
func (b *bench) pictures(seconds int) (rate float64, between []float64, one usage, err error) {
	if err := b.rest(); err != nil {
		return 0, nil, one, err
	}
	part := b.part(0, false)
	b.settles(part, time.Second, slowest)
	idle, err := usageOf(b.program.Process.Pid)
	if err != nil {
		return 0, nil, one, err
	}
	notch := time.NewTicker(time.Second / 50)
	defer notch.Stop()
	before, begun := b.frame.hash(part), time.Now()
	var shown []time.Time
	var last time.Time
	for time.Since(begun) < time.Duration(seconds)*time.Second {
		select {
		case <-notch.C:
			if err := b.do("click --delay 0 5"); err != nil {
				return 0, nil, one, err
			}
		default:
		}
		if now := b.frame.hash(part); now != before {
			if time.Since(last) > painting {
				shown = append(shown, time.Now())
			}
			before, last = now, time.Now()
		}
		time.Sleep(look)
	}
	if len(shown) < 2 {
		return 0, nil, one, errors.New("the wheel does not change the original")
	}
	busy, err := usageOf(b.program.Process.Pid)
	if err != nil {
		return 0, nil, one, err
	}
	for i := range shown[1:] {
		between = append(between, milliseconds(shown[i+1].Sub(shown[i])))
	}
	return float64(len(shown)) / float64(seconds), between, busy.since(idle, len(shown)), nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
