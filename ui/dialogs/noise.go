package dialogs

import (
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/denoise"
)

// NoiseRequest is what the noise dialog starts from.
type NoiseRequest struct {
	Unit      string
	Range     float64 // of the volume's values
	Sigma     float64 // noise already there, as estimated
	Magnitude bool    // MR magnitudes, whose noise is Rician
	Add       func(app.Noise)
}

// Noise asks which noise to add.
func Noise(r NoiseRequest, parent fyne.Window) dialog.Dialog {
	var models []string
	for _, m := range denoise.NoiseModels() {
		models = append(models, string(m))
	}
	model := widget.NewSelect(models, nil)
	model.SetSelected(string(denoise.GaussianNoise))
	if r.Magnitude {
		model.SetSelected(string(denoise.RicianNoise))
	}
	sigma := widget.NewEntry()
	sigma.SetText(strconv.FormatFloat(suggestedNoise(r), 'g', 2, 64))
	sigma.Validator = func(text string) error {
		x, err := number(text)
		if err == nil && !(x > 0) {
			err = strconv.ErrRange
		}
		return err
	}
	seed := widget.NewEntry()
	seed.SetText("1")
	seed.Validator = func(text string) error {
		_, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		return err
	}
	unit := r.Unit
	if unit == "" {
		unit = "the scanner's units"
	}
	sigmaItem := widget.NewFormItem("Sigma", sigma)
	sigmaItem.HintText = "standard deviation in " + unit
	seedItem := widget.NewFormItem("Seed", seed)
	seedItem.HintText = "the same seed gives the same noise on every machine"
	items := []*widget.FormItem{widget.NewFormItem("Model", model), sigmaItem, seedItem}
	d := dialog.NewForm("Add noise", "Add", "Cancel", items, func(ok bool) {
		if !ok {
			return
		}
		s, _ := number(sigma.Text)
		n, _ := strconv.ParseUint(strings.TrimSpace(seed.Text), 10, 64)
		r.Add(app.Noise{Model: denoise.NoiseModel(model.Selected), Sigma: s, Seed: n})
	}, parent)
	d.Resize(fyne.NewSize(460, 280))
	return d
}

// number reads a number with a decimal point or comma.
func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
}

// suggestedNoise is clearly seen on top of what is there: twice the estimate,
// or 2 % of the range where there is none.
func suggestedNoise(r NoiseRequest) float64 {
	s := 2 * r.Sigma
	if !(s > 0) {
		s = 0.02 * r.Range
	}
	if !(s > 0) || math.IsInf(s, 0) {
		return 1
	}
	return s
}
