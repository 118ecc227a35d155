package plotpanel

import (
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/measure"
	"quell/ui/palette"
	"quell/ui/viewer"
	"quell/volume"
)

// discPicture is a blurred disc of radius 10 mm in noise, at 40, 40 of 100 x 160 pixels of 0.5 mm; a
// filter has removed three eighths of the noise.
func discPicture() *viewer.Picture {
	v := volume.New(volume.NewGeometry([3]int{100, 160, 1}, [3]float64{0.5, 0.5, 1}))
	v.Unit = "HU"
	after := v.Clone()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range v.Data {
		d := math.Hypot(float64(i%100)/2-20, float64(i/100)/2-20) - 10
		clean, n := 500*math.Erfc(d/(0.6*math.Sqrt2))/2, r.NormFloat64()
		v.Data[i], after.Data[i] = float32(clean+8*n), float32(clean+5*n)
	}
	return viewer.Extract(viewer.Job{Source: v, Result: after, View: v.View(volume.Axial)})
}

var (
	around = &measure.Outline{Shape: measure.Ellipse, Points: [][2]float64{{5, 5}, {75, 75}}}
	even   = &measure.Outline{Shape: measure.Box, Points: [][2]float64{{10, 90}, {49, 129}}}
	beside = &measure.Outline{Shape: measure.Box, Points: [][2]float64{{50, 90}, {89, 129}}}
)

func spectrumRequest(roi *measure.Outline) Request {
	return Request{
		Colors: palette.Dark,
		Kind:   Spectrum, Picture: discPicture(), Width: 330, Height: 220, Scale: 1,
		Marked: Marked{Region: roi, RegionName: "ROI 1"},
	}
}

// has says whether a plot holds a colour.
func has(t *testing.T, r Request, c color.NRGBA) (found bool, w string) {
	t.Helper()
	img, _, w, err := Draw(r)
	if err != nil {
		t.Fatal(err)
	}
	if img == nil {
		return false, w
	}
	for i := 0; i < len(img.Pix); i += 4 {
		found = found || img.Pix[i] == c.R && img.Pix[i+1] == c.G && img.Pix[i+2] == c.B
	}
	return found, w
}

func TestSpectraOfROIs(t *testing.T) {
	for _, c := range []struct {
		name    string
		roi     *measure.Outline
		figures []string
		lines   []color.NRGBA
	}{
		{"an even rectangle", even, []string{"σ 7.8", "→4.9", " HU, mean frequency 0.5", " /mm."}, []color.NRGBA{palette.Dark.Before, palette.Dark.After, palette.Dark.Removed}},
		{"a disc", around, []string{"f50 0.3", "→0.3", "f10 0.5"}, []color.NRGBA{palette.Dark.Before, palette.Dark.After}},
	} {
		for _, line := range c.lines {
			found, w := has(t, spectrumRequest(c.roi), line)
			if !found || strings.Contains(w, ":") {
				t.Errorf("%s: %v is missing; %q", c.name, line, w)
			}
			for _, f := range c.figures {
				if !strings.Contains(w, f) {
					t.Errorf("%s: %q lacks %q", c.name, w, f)
				}
			}
		}
		r := spectrumRequest(c.roi)
		r.Picture.After = nil
		found, w := has(t, r, palette.Dark.After)
		if more, _ := has(t, r, palette.Dark.Removed); found || more || strings.Contains(w, "→") {
			t.Errorf("%s without a result: %q", c.name, w)
		}
	}
}

func TestSpectrumOfAllRectangles(t *testing.T) {
	r := spectrumRequest(even)
	r.Marked.Rectangles = []measure.Outline{*even, *beside}
	_, one := has(t, r, palette.Dark.Before)
	r.All = true
	_, both := has(t, r, palette.Dark.Before)
	if one == both || !strings.HasPrefix(both, "σ 7.") {
		t.Errorf("one %q, both %q", one, both)
	}
	r.Marked.Rectangles = []measure.Outline{*even}
	if _, single := has(t, r, palette.Dark.Before); single != one {
		t.Errorf("the only one: %q, want %q", single, one)
	}
}

func TestSpectrumSaysWhyThereIsNone(t *testing.T) {
	across := &measure.Outline{Shape: measure.Box, Points: [][2]float64{{35, 20}, {74, 60}}}
	for _, c := range []struct {
		name string
		roi  *measure.Outline
		want []string
	}{
		{"a curved edge in a rectangle", across, []string{"NPS: the region is not homogeneous", "MTF: "}},
		{"an ellipse in noise", &measure.Outline{Shape: measure.Ellipse, Points: even.Points}, []string{"."}},
		{"freehand", &measure.Outline{Shape: measure.Freehand, Points: [][2]float64{{0, 0}, {40, 0}, {40, 40}}}, []string{"An MTF needs an elliptical"}},
	} {
		found, w := has(t, spectrumRequest(c.roi), palette.Dark.Before)
		if found {
			t.Errorf("%s: %q", c.name, w)
		}
		for _, text := range c.want {
			if !strings.Contains(w, text) {
				t.Errorf("%s: %q lacks %q", c.name, w, text)
			}
		}
	}
	// A result without the edge: the curve of the original, and why there is no other.
	r := spectrumRequest(around)
	r.Picture.After = make([]float32, len(r.Picture.Before))
	found, w := has(t, r, palette.Dark.Before)
	if more, _ := has(t, r, palette.Dark.After); !found || more || !strings.Contains(w, " /mm. After the filter the contrast") {
		t.Errorf("a result without the edge: %q", w)
	}
	// Sheared pixels.
	r = spectrumRequest(even)
	r.Picture.Source.Affine[0][1] = 0.3
	if _, w := has(t, r, palette.Dark.Before); !strings.Contains(w, "right angles") {
		t.Errorf("sheared pixels: %q", w)
	}
}

func TestThePanelSaysWhatASpectrumIsOf(t *testing.T) {
	test.NewTempApp(t)
	now := func(f func()) { f() }
	p := NewWidget(now, now, Hooks{})
	w := test.NewTempWindow(t, p)
	w.Resize(fyne.NewSize(340, 300))
	pic, window := discPicture(), volume.Window{Width: 1}
	p.Display(pic, [3]int{}, window, Marked{})
	p.ShowSpectrum()
	if !p.spectra.Hidden || !p.words.Hidden || p.log.Hidden {
		t.Error("a spectrum without an ROI")
	}
	marked := Marked{Region: even, RegionName: "ROI 1", Rectangles: []measure.Outline{*even}}
	p.Display(pic, [3]int{}, window, marked)
	one := p.words.Text
	if p.image.Image == nil || !strings.HasPrefix(one, "σ 7.8") || p.words.Hidden || !p.all.Hidden || !p.log.Hidden || p.note.Text != "In ROI 1" {
		t.Errorf("of an ROI: %q, note %q", one, p.note.Text)
	}
	marked.Rectangles = []measure.Outline{*even, *beside}
	p.Display(pic, [3]int{}, window, marked)
	if p.all.Hidden {
		t.Fatal("two rectangles cannot be averaged")
	}
	p.all.SetChecked(true)
	if p.words.Text == one {
		t.Errorf("the mean of both has the figures of one: %q", one)
	}
	p.Display(pic, [3]int{}, window, Marked{Region: &measure.Outline{Shape: measure.Ellipse, Points: even.Points}, RegionName: "ROI 2"})
	if p.image.Image != nil || p.words.Text == "" || !p.all.Hidden {
		t.Errorf("an ellipse without a disc: %q", p.words.Text)
	}
	p.spectra.SetChecked(false)
	if !p.words.Hidden || p.log.Hidden || p.image.Image == nil {
		t.Error("the histogram is not back")
	}
	p.spectra.SetChecked(true)
	p.Select(Profile)
	if !p.words.Hidden || !p.spectra.Hidden {
		t.Error("the profile has the words of the spectrum")
	}
}
