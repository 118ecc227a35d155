package ui

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"quell/denoise/tune"
	"quell/ui/control"
	"quell/ui/viewer"
	"quell/volume"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// sliceBar is the line below the pictures: plane and slice.
type sliceBar struct {
	widget.BaseWidget
	planes  *control.Radio
	slider  *control.Slider
	label   *widget.Label
	marks   *canvas.Raster // the verdict on every slice, above the slider
	colors  []color.Color  // of the marks, by the slider's order
	content fyne.CanvasObject
	busy    bool
}

func newSliceBar(w *Workbench) *sliceBar {
	state := w.session.State()
	b := &sliceBar{slider: control.NewSlider(1, 1), label: widget.NewLabel("")}
	var names []string
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		names = append(names, strings.ToUpper(name[:1])+name[1:])
	}
	b.planes = control.NewRadio(names, func(name string) {
		for p := volume.Axial; p <= volume.Sagittal; p++ {
			if !b.busy && strings.EqualFold(p.String(), name) {
				state.SetPlane(p)
			}
		}
	})
	w.tips(b.planes, strings.ToLower)
	b.slider.OnChanged = func(x float64) {
		if !b.busy {
			state.SetIndex(int(x) - 1)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(120, 0))
	b.marks = canvas.NewRasterWithPixels(b.mark)
	b.marks.SetMinSize(fyne.NewSize(0, marksHeight))
	b.marks.Hide()
	// Under the ends of the slider's groove lie its ends, not those of the widget.
	inset := theme.IconInlineSize()/2 + theme.InnerPadding()
	marks := container.New(layout.NewCustomPaddedLayout(0, 0, inset, inset), container.NewBorder(b.marks, nil, nil, nil))
	b.content = container.NewBorder(nil, nil, container.NewHBox(b.planes, container.NewStack(ground, b.label)), nil, container.NewStack(marks, b.slider))
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *sliceBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

const marksHeight = 4

// markColors are those of the verdicts; others have none.
var markColors = map[tune.Verdict]color.Color{
	tune.Under:   color.NRGBA{R: 0x6c, G: 0x9a, B: 0xd0, A: 0xff},
	tune.Matched: color.NRGBA{R: 0x8f, G: 0xbf, B: 0x8f, A: 0xff},
	tune.Over:    color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff},
}

// mark returns the colour of a pixel of the marks: one tick for each slice, with a
// gap where there is room.
func (b *sliceBar) mark(x, _, w, _ int) color.Color {
	n := len(b.colors)
	if n == 0 || w == 0 {
		return color.Transparent
	}
	i := x * n / w
	if w >= 4*n && i != (x+1)*n/w {
		return color.Transparent
	}
	return b.colors[i]
}

// showMarks shows the verdicts on the slices along the third axis of the volume, where
// the view runs along it.
func (b *sliceBar) showMarks(view volume.View, verdicts []tune.Verdict) {
	var colors []color.Color
	if view.Axis[2] == 2 && len(verdicts) == view.Size[2] {
		for i := range verdicts {
			c := markColors[verdicts[view.Voxel(0, 0, i)[2]]]
			if c == nil {
				c = color.Transparent
			}
			colors = append(colors, c)
		}
	}
	if !slices.Equal(colors, b.colors) {
		b.colors, b.marks.Hidden = colors, len(colors) == 0
		b.marks.Refresh()
	}
}

// display shows the slice, and the verdicts on the slices along the third axis of the
// volume, if there are any.
func (b *sliceBar) display(state *viewer.State, verdicts []tune.Verdict) {
	n := state.View().Size[2]
	b.busy = true
	defer func() { b.busy = false }()
	setEnabled(b.planes, state.Volume() != nil)
	if state.Volume() == nil {
		b.slider.Disable()
		return
	}
	name := state.View().Plane.String()
	b.planes.SetSelected(strings.ToUpper(name[:1]) + name[1:])
	b.showMarks(state.View(), verdicts)
	b.slider.Max = float64(max(n, 1))
	if n > 1 {
		b.slider.Enable()
	} else {
		b.slider.Disable()
	}
	b.slider.SetValue(float64(state.Index() + 1))
	setText(b.label, fmt.Sprintf("Slice %d of %d", state.Index()+1, n))
}
