package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
)

// Figure is a number about a result, as every output shows it.
type Figure struct {
	Kind  string          // a word for programs: a key of JSON and a row of tables
	Label message.Message // for a person
	// Value is a share of 1 if Unit is "%"; Low and High are the ends of its interval, NaN for none.
	Value, Low, High float64
	Unit             string
	Good             float64          // the least value that is good; 0 for none
	Confidence       noise.Confidence // "" for none
	Sentence         message.Message  // what is to be known of it; empty for nothing
	Compares         bool             // it is of a comparison of two volumes, voxel by voxel
}

// entry makes a figure of the measures; a value that is not known is NaN.
type entry struct {
	kind   string
	label  message.Message
	values func(m Measures) (value, low, high float64)
	unit   func(m Measures) string
	more   func(m Measures, f *Figure) // nil for nothing
}

// Figures are all figures, in the order in which they are shown. Command line, JSON, page, structured report, panel, CSV
// and hosts render what is listed here.
var entries = []entry{
	{"noise_removed", message.Text("Noise removed"), shareOf(verdict.Figures.Noise), percent, func(_ Measures, f *Figure) {
		f.Good = verdict.Usual.Little
	}},
	{"contrast_kept", message.Text("Contrast kept"), shareOf(verdict.Figures.Contrast), percent, func(m Measures, f *Figure) {
		f.Good = verdict.Usual.Contrast
		if m.ObjectSize > 0 { // an unchanged result keeps any
			f.Sentence = message.Text("of objects of %s mm, the smallest that are visible", message.Figure(fmt.Sprintf("%.3g", m.ObjectSize)))
		}
	}},
	{"texture_kept", message.Text("Texture kept"), shareOf(verdict.Figures.Texture), percent, func(_ Measures, f *Figure) {
		f.Good = verdict.Usual.Texture
		f.Sentence = message.Text("mean frequency of the noise, of that before")
	}},
	{"sigma", message.Text("Noise σ"), func(m Measures) (value, low, high float64) {
		if m.SigmaConfidence == noise.None || m.SigmaConfidence == "" {
			return math.NaN(), math.NaN(), math.NaN()
		}
		return m.Sigma, m.SigmaLow, m.SigmaHigh
	}, unit, func(m Measures, f *Figure) { f.Confidence = m.SigmaConfidence }},
	{"residual_sd", message.Text("Residual SD"), alone(func(m Measures) measure.Float { return m.ResidualSD }), unit, nil},
	{"residual_mean", message.Text("Residual mean"), alone(func(m Measures) measure.Float { return m.ResidualMean }), unit, nil},
	{"anatomy_removed", message.Text("Anatomy in residual"), alone(func(m Measures) measure.Float {
		if len(m.Spectrum) == 0 && m.Map == nil {
			return measure.Float(math.NaN())
		}
		return measure.Float(math.Sqrt(m.Structure))
	}), func(Measures) string { return "σ" }, nil},
	{"mse", message.Text("MSE against the original"), change(func(c measure.Comparison) measure.Float { return c.MSE }), squared, amount},
	{"psnr", message.Text("PSNR against the original"), change(func(c measure.Comparison) measure.Float { return c.PSNR }), decibels, amount},
	{"ssim", message.Text("SSIM against the original"), change(func(c measure.Comparison) measure.Float { return c.SSIM }), none, amount},
	{"reference_mse", message.Text("MSE against the reference"), truth(func(c measure.Comparison) measure.Float { return c.MSE }), squared, compares},
	{"reference_psnr", message.Text("PSNR against the reference"), truth(func(c measure.Comparison) measure.Float { return c.PSNR }), decibels, compares},
	{"reference_ssim", message.Text("SSIM against the reference"), truth(func(c measure.Comparison) measure.Float { return c.SSIM }), none, compares},
	{"original_mse", message.Text("MSE of the original against the reference"), start(func(c measure.Comparison) measure.Float { return c.MSE }), squared, compares},
	{"original_psnr", message.Text("PSNR of the original against the reference"), start(func(c measure.Comparison) measure.Float { return c.PSNR }), decibels, compares},
	{"original_ssim", message.Text("SSIM of the original against the reference"), start(func(c measure.Comparison) measure.Float { return c.SSIM }), none, compares},
}

func percent(Measures) string  { return "%" }
func decibels(Measures) string { return "dB" }
func none(Measures) string     { return "" }
func unit(m Measures) string   { return m.Unit }

func squared(m Measures) string {
	if m.Unit == "" {
		return ""
	}
	return m.Unit + "²"
}

func amount(m Measures, f *Figure) {
	f.Compares = true
	f.Sentence = message.Text("how much was changed, no measure of quality; MAX %s", message.Figure(m.Change.Max.String()))
}

func compares(_ Measures, f *Figure) { f.Compares = true }

func shareOf(of func(verdict.Figures) verdict.Share) func(Measures) (value, low, high float64) {
	return func(m Measures) (value, low, high float64) {
		s := of(m.Assessment.Figures)
		return s.Value, s.Low, s.High
	}
}

// alone is a value without an interval.
func alone(of func(Measures) measure.Float) func(Measures) (value, low, high float64) {
	return func(m Measures) (value, low, high float64) { return float64(of(m)), math.NaN(), math.NaN() }
}

func change(of func(measure.Comparison) measure.Float) func(Measures) (value, low, high float64) {
	return compared(of, func(m Measures) *measure.Comparison {
		if m.Change.Max == 0 { // not compared
			return nil
		}
		return &m.Change
	})
}

func truth(of func(measure.Comparison) measure.Float) func(Measures) (value, low, high float64) {
	return compared(of, func(m Measures) *measure.Comparison { return m.Truth })
}

func start(of func(measure.Comparison) measure.Float) func(Measures) (value, low, high float64) {
	return compared(of, func(m Measures) *measure.Comparison { return m.Start })
}

func compared(of func(measure.Comparison) measure.Float, which func(Measures) *measure.Comparison) func(Measures) (value, low, high float64) {
	return alone(func(m Measures) measure.Float {
		if c := which(m); c != nil {
			return of(*c)
		}
		return measure.Float(math.NaN())
	})
}

// Listed returns every figure in order; the value of one that is not known is NaN.
func Listed(m Measures) (all []Figure) {
	for _, e := range entries {
		f := Figure{Kind: e.kind, Label: e.label, Unit: e.unit(m)}
		f.Value, f.Low, f.High = e.values(m)
		if e.more != nil {
			e.more(m, &f)
		}
		all = append(all, f)
	}
	return all
}

// FiguresOf returns the figures that are known, in order.
func FiguresOf(m Measures) []Figure {
	return slices.DeleteFunc(Listed(m), func(f Figure) bool { return math.IsNaN(f.Value) })
}

// Shares are the figures in percent, by which results are judged.
func Shares(m Measures) (all []Figure) {
	for _, f := range FiguresOf(m) {
		if f.Unit == "%" {
			all = append(all, f)
		}
	}
	return all
}

// Short is Text without the interval.
func (f Figure) Short() string {
	f.Low = f.High
	return f.Text()
}

// Text returns the value in words: "48 % (45 to 51)", "10.3 HU (9 to 12)".
func (f Figure) Text() string {
	scale, digits := 1.0, "%.4g"
	if f.Unit == "%" {
		scale, digits = 100, "%.0f"
	}
	number := func(x float64) string {
		if math.IsInf(x, 0) {
			return measure.Float(x).String()
		}
		return fmt.Sprintf(digits, scale*x)
	}
	text := strings.TrimSpace(number(f.Value) + " " + f.Unit)
	if f.Low < f.High {
		if f.Unit != "%" {
			digits = "%.3g"
		}
		text += fmt.Sprintf(" (%s to %s)", number(f.Low), number(f.High))
	}
	return text
}

// Note is what is to be known of a figure, in words.
func (f Figure) Note() message.Message {
	if f.Confidence != "" {
		return message.Text("confidence %s", message.Word(string(f.Confidence)))
	}
	return f.Sentence
}

// Line returns the value with its note.
func (f Figure) Line() string {
	if note := f.Note(); !note.IsZero() {
		return f.Text() + ", " + note.String()
	}
	return f.Text()
}

// MarshalJSON adds the figures to the fields, each by its kind.
func (a Assessment) MarshalJSON() ([]byte, error) {
	type fields Assessment
	return withFigures(fields(a), Measures{Assessment: a})
}

// MarshalJSON adds the figures to the fields, each by its kind.
func (m Measures) MarshalJSON() ([]byte, error) {
	type fields Assessment
	return withFigures(struct {
		fields
		Change measure.Comparison  `json:"change_vs_original"`
		Truth  *measure.Comparison `json:"truth,omitempty"`
		Start  *measure.Comparison `json:"start,omitempty"`
	}{fields(m.Assessment), m.Change, m.Truth, m.Start}, m)
}

// withFigures returns the JSON of fields, and of figures that they lack; comparisons have fields of their own.
func withFigures(fields any, m Measures) ([]byte, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var has map[string]json.RawMessage
	if err := json.Unmarshal(text, &has); err != nil {
		return nil, err
	}
	m.Change, m.Truth, m.Start = measure.Comparison{}, nil, nil
	text = text[:len(text)-1]
	for _, f := range FiguresOf(m) {
		for _, v := range []struct {
			key   string
			value float64
		}{{f.Kind, f.Value}, {f.Kind + "_low", f.Low}, {f.Kind + "_high", f.High}} {
			if _, there := has[v.key]; there || math.IsNaN(v.value) {
				continue
			}
			number, err := json.Marshal(measure.Float(v.value))
			if err != nil {
				return nil, err
			}
			text = fmt.Appendf(text, ",%q:%s", v.key, number)
		}
	}
	return append(text, '}'), nil
}
