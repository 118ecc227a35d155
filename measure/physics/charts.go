package physics

import (
	"cmp"
	"fmt"
	"strings"

	"quell/measure"
	"quell/report/chart"
)

// Words are the texts of the charts.
type Words struct{ Original, Result, Frequency, Spectrum, Transfer, Value string }

// English are the texts of the command line.
var English = Words{"original", "result", "cycles/mm", "NPS", "TTF", "value"}

// Charts returns the radial spectra and the task transfer functions, before and after. A chart without a curve is left out; if there is
// none the spectrum is empty.
func (f Figures) Charts(unit string, w Words) (all []chart.Chart) {
	spectra := chart.Chart{X: chart.Axis{Label: w.Frequency}, Y: chart.Axis{Label: w.Spectrum + ", " + cmp.Or(unit, w.Value) + "² mm²", Zero: true}}
	if f.Spectra != nil {
		for k, n := range []*measure.NPS{&f.Spectra.Original, f.Spectra.Result} {
			if n == nil {
				continue
			}
			c := chart.Curve{Name: [2]string{w.Original, w.Result}[k], Series: k, Width: 1.5}
			for i, at := range n.Frequency {
				if at <= n.Nyquist {
					c.Points = append(c.Points, chart.Point{X: at, Y: n.Power[i]})
				}
			}
			spectra.Curves = append(spectra.Curves, c)
		}
	}
	all = append(all, spectra)
	transfers := chart.Chart{X: chart.Axis{Label: w.Frequency}, Y: chart.Axis{Label: w.Transfer, Zero: true}}
	for k, r := range f.Rods {
		for c, m := range []*measure.MTF{&r.Original, r.Result} {
			if m == nil {
				continue
			}
			curve := chart.Curve{Name: strings.TrimSpace(fmt.Sprintf("%s, %.0f %s", [2]string{w.Original, w.Result}[c], r.Contrast, unit)), Series: k, Width: 1.5, Dashed: c == 1}
			for i, at := range m.Frequency {
				curve.Points = append(curve.Points, chart.Point{X: at, Y: m.Value[i]})
			}
			transfers.Curves = append(transfers.Curves, curve)
		}
	}
	if len(transfers.Curves) > 0 {
		all = append(all, transfers)
	}
	return all
}
