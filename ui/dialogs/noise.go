package dialogs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/app/job"
	"quell/denoise/noise"
	"quell/ui/control"
	"quell/ui/language"
)

// NoiseRequest holds suggestions for the noise dialog, and its callback.
type NoiseRequest struct {
	Unit      string
	Range     float64 // of the volume's values
	Sigma     float64 // the estimate of the noise in the volume
	Magnitude bool    // MR magnitudes, with noise that is Rician
	Add       func(job.AddedNoise)
}

// Noise asks which noise to add.
func Noise(r NoiseRequest, parent fyne.Window) *Dialog {
	models := noise.Models()
	var names []string
	for _, m := range models {
		names = append(names, modelName(m))
	}
	model := control.NewSelect(lang.L("Model"), names, nil)
	model.SetSelected(modelName(noise.Gaussian))
	if r.Magnitude {
		model.SetSelected(modelName(noise.Rician))
	}
	unit := r.Unit
	if unit == "" {
		unit = lang.L("the scanner's units")
	}
	sigma, seed := control.NewEntry(lang.L("Sigma")), control.NewEntry(lang.L("Seed"))
	problem := wrapped("")
	problem.Importance = widget.WarningImportance

	var d *Dialog
	read := func() (job.AddedNoise, error) {
		s, err := language.ParseNumber(sigma.Text)
		if err != nil || !(s > 0) || math.IsInf(s, 0) {
			return job.AddedNoise{}, errors.New(lang.L("sigma must be a number above 0, such as 12.5"))
		}
		if r.Range > 0 && s > r.Range {
			return job.AddedNoise{}, fmt.Errorf(lang.L("sigma must be at most %s, the range of the voxels"), strings.TrimSpace(language.Sprintf("%.4g %s", r.Range, r.Unit)))
		}
		n, err := strconv.ParseUint(strings.TrimSpace(seed.Text), 10, 64)
		if err != nil {
			return job.AddedNoise{}, errors.New(lang.L("the seed must be a whole number from 0"))
		}
		return job.AddedNoise{Model: models[model.SelectedIndex()], Sigma: s, Seed: n}, nil
	}
	add := control.NewButton(lang.L("Add"), nil, func() {
		if n, err := read(); err == nil {
			d.Hide()
			r.Add(n)
		}
	})
	add.Importance = widget.HighImportance
	update := func(string) {
		_, err := read()
		problem.SetText("")
		if err != nil {
			problem.SetText(sentence(err))
			add.Disable()
		} else {
			add.Enable()
		}
	}
	sigma.OnChanged, seed.OnChanged = update, update
	sigma.SetText(language.Number(strconv.FormatFloat(suggestedNoise(r), 'g', 2, 64)))
	seed.SetText("1")

	hint := func(text string) fyne.CanvasObject {
		l := widget.NewLabel(text)
		l.Importance = widget.LowImportance
		return l
	}
	form := container.New(layout.NewFormLayout(),
		bold(model.Name), model,
		bold(sigma.Name), sigma, widget.NewLabel(""), hint(fmt.Sprintf(lang.L("Standard deviation in %s."), unit)),
		bold(seed.Name), seed, widget.NewLabel(""), hint(lang.L("The same seed gives the same noise on every machine.")),
	)
	sigma.OnSubmitted, seed.OnSubmitted = submit(add), submit(add)
	d = newDialog(lang.L("Add noise"), container.NewVBox(form, problem), fyne.NewSize(460, 300), parent)
	d.SetButtons([]fyne.CanvasObject{control.NewButton(lang.L("Cancel"), nil, d.Hide), add})
	d.first = sigma
	return d
}

func modelName(m noise.Model) string { return lang.L(capital(string(m))) }

// suggestedNoise returns twice the estimate of the noise, or 2 % of the range if
// there is none: noise that is clearly visible.
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
