package control

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/lang"
)

// MeasureButton cancels a measurement in the background, and starts it again after that. Otherwise it is hidden.
type MeasureButton struct {
	Button

	running bool
}

// NewMeasureButton returns a hidden button.
func NewMeasureButton(start, stop func()) *MeasureButton {
	b := &MeasureButton{}
	b.OnTapped = func() {
		if b.running {
			stop()
		} else {
			start()
		}
	}
	b.Hidden = true
	b.ExtendBaseWidget(b)
	return b
}

// Display follows a measurement that is running, or was stopped by the user.
func (b *MeasureButton) Display(running, stopped bool) {
	b.running, b.Hidden = running, !running && !stopped
	if running {
		b.SetText(lang.L("Cancel"))
	} else {
		b.SetText(lang.L("Measure"))
	}
}

// NewPicture returns an empty place of a size for a picture, which keeps the picture's shape.
func NewPicture(size fyne.Size) *canvas.Image {
	m := canvas.NewImageFromImage(nil)
	m.FillMode = canvas.ImageFillContain
	m.SetMinSize(size)
	return m
}
