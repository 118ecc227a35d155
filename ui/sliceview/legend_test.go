package sliceview

import (
	"testing"

	"fyne.io/fyne/v2"

	"quell/ui/viewer"
	"quell/volume"
)

func texts(l *legend) (out [3]string) {
	for i, label := range l.labels {
		out[i] = label.text.Text
	}
	return out
}

func TestATintHasItsLegend(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	if r.scale != nil || !r.tint.bar.Hidden {
		t.Fatal("a legend without anything to explain")
	}
	frame := p.frame
	frame.Tint = &viewer.Tint{Unit: "HU", Colors: volume.Tint{Lo: 2, Hi: 6.5}}
	p.SetFrame(frame)
	if got := texts(r.tint); r.tint.bar.Hidden || r.tint.labels[0].text.Hidden || got != [3]string{"6.5 HU", "4.25 HU", "2 HU"} {
		t.Errorf("labels %q, hidden %v; want the ends and the middle", got, r.tint.bar.Hidden)
	}
	if y, end := r.tint.labels[0].text.Position().Y, textTop+r.how.size().Height; y < end || end <= textTop {
		t.Errorf("the text in the corner ends at %g, the legend begins at %g", end, y)
	}
	top, bottom := r.tint.bar.Image.At(0, 0), r.tint.bar.Image.At(0, barSteps-1)
	r1, _, b1, a1 := top.RGBA()
	r2, _, b2, a2 := bottom.RGBA()
	if r1 <= b1 || b2 <= r2 || a1 != 0xffff || a2 != 0xffff {
		t.Errorf("the bar runs from %v at the top to %v; want opaque yellow to blue", top, bottom)
	}
	frame.Tint = &viewer.Tint{Colors: volume.Tint{Lo: 0, Hi: 3, Marks: true}}
	p.SetFrame(frame)
	if got := texts(r.tint); got != [3]string{"3", "1.5", "0"} {
		t.Errorf("labels %q of another tint", got)
	}
	if r.tint.bar.Image.At(0, 0) == top {
		t.Error("the bar keeps the colours of the last tint")
	}
	state.CycleOverlay()
	state.CycleOverlay()
	p.Refresh()
	if !r.tint.bar.Hidden || !r.tint.labels[2].text.Hidden {
		t.Error("the legend is shown on a bare picture")
	}
}

func TestLegendsLieApart(t *testing.T) {
	for _, height := range []float32{250, 340, 600, 900} {
		p, r, _ := shownPane(t, viewer.Residual)
		frame := p.frame
		frame.Tint = &viewer.Tint{Colors: volume.Tint{Hi: 3, Marks: true}}
		p.SetFrame(frame)
		p.Resize(fyne.NewSize(300, height))
		above, below := r.scale.labels[2], r.tint.labels[0]
		if end := above.text.Position().Y + above.size().Height; end > below.text.Position().Y {
			t.Errorf("height %g: the scale of the residual ends at %g, that of the tint begins at %g", height, end, below.text.Position().Y)
		}
		if r.tint.bar.Hidden != (height < 300) {
			t.Errorf("height %g: the legend is hidden: %v", height, r.tint.bar.Hidden)
		}
		if r.tint.bar.Hidden {
			continue
		}
		if size := r.tint.bar.Size().Height; size < leastLegend {
			t.Errorf("height %g: the legend is %g high", height, size)
		}
		// The letter of the right edge is above the legend, the position below it.
		letter, place, last := r.letters[1], r.place, r.tint.labels[2]
		if end := letter.text.Position().Y + letter.size().Height; end > below.text.Position().Y {
			t.Errorf("height %g: the letter ends at %g, the legend begins at %g", height, end, below.text.Position().Y)
		}
		if end := last.text.Position().Y + last.size().Height; end > place.text.Position().Y {
			t.Errorf("height %g: the legend ends at %g, the position is at %g", height, end, place.text.Position().Y)
		}
	}
}
