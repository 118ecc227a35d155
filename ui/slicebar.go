package ui

import (
	"fmt"
	"quell/ui/control"
	"quell/ui/viewer"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// sliceBar is the slider below the pictures that selects the slice.
type sliceBar struct {
	widget.BaseWidget
	slider  *control.Slider
	label   *widget.Label
	content fyne.CanvasObject
	busy    bool
}

func newSliceBar(state *viewer.State) *sliceBar {
	b := &sliceBar{slider: control.NewSlider(1, 1), label: widget.NewLabel("")}
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.SetIndex(int(x) - 1)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(170, 0))
	b.content = container.NewBorder(nil, nil, container.NewStack(ground, b.label), nil, b.slider)
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *sliceBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

func (b *sliceBar) display(state *viewer.State) {
	n := state.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	if state.Volume() == nil {
		b.slider.Disable()
		return
	}
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(state.Index() + 1))
	setText(b.label, fmt.Sprintf("%s slice %d of %d", state.View().Plane, state.Index()+1, n))
}
