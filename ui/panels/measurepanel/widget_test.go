package measurepanel

import (
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/judge"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/ui/session/measures"
	"quell/volume"

	_ "quell/internal/locale" // English
)

// measured is a slice with numbers of the current recipe.
func measured() Column {
	return Column{
		Noise: noise.Figure{Sigma: 5.03, Confidence: noise.High}, Known: true, Current: true,
		Measures: judge.Measures{Assessment: judge.Assessment{
			Verdict:    judge.Verdict{Judgement: verdict.Good, Why: message.Verbatim("Objects are kept."), Figures: figures(0.4, verdict.Share{Value: 0.93, Low: 0.91, High: 0.95})},
			ResidualSD: 5.07, ResidualMean: -0.001, Unit: "HU", Inspection: tune.Inspection{Structure: 0.0864, Spectrum: []tune.Band{{Scale: 1, Power: 1}}},
		}, Change: measure.Comparison{MSE: 25.7, PSNR: 54.8, SSIM: 0.9986, Max: 4095}},
	}
}

// figures are those of a result that keeps all texture.
func figures(removed float64, kept verdict.Share) verdict.Figures {
	f := verdict.Of(verdict.Share{Value: removed, Low: removed - 0.02, High: removed + 0.02}, kept, verdict.Share{Value: 1, Low: 1, High: 1})
	f.ObjectSize = 1.5
	return f
}

func newPanel(t *testing.T) (p *Widget, jumps *[]bool) {
	t.Helper()
	test.NewTempApp(t)
	jumps = &[]bool{}
	return NewWidget(Hooks{Jump: func(volume bool) { *jumps = append(*jumps, volume) }, Seen: func() {}, Hover: func(fyne.CanvasObject, string) {}}), jumps
}

// cells returns the labels of the nth row of that name.
func cells(p *Widget, label string, nth int) (slice, volume *widget.Label) {
	for _, r := range p.rows {
		if r.line.label == label {
			if nth == 0 {
				return r.slice, r.volume
			}
			nth--
		}
	}
	return nil, nil
}

func TestNumbersOfSliceAndVolume(t *testing.T) {
	p, _ := newPanel(t)
	p.Display(Snapshot{Slice: measured(), Volume: Column{Noise: noise.Figure{Sigma: 5, Confidence: noise.Fair}}, Name: "Slice 7", Unit: "HU"})
	for label, want := range map[string]string{
		"Noise σ": "5.03 HU, high", "Residual SD": "5.07 HU", "Residual SD / σ": "1.01", "Residual mean": "0.00 HU",
		"Anatomy in residual": "0.29 σ", "Verdict": "good", "MSE": "25.7 HU²", "PSNR": "54.80 dB", "SSIM": "0.999",
	} {
		slice, volume := cells(p, label, 0)
		if slice.Text != want {
			t.Errorf("%s: %q; want %q", label, slice.Text, want)
		}
		if label != "Noise σ" && volume.Text != "–" {
			t.Errorf("%s: %q for a volume that was not filtered", label, volume.Text)
		}
	}
	if _, volume := cells(p, "Noise σ", 0); volume.Text != "5.00 HU, fair" {
		t.Errorf("the volume's noise is %q; want 5.00 HU, known before any run", volume.Text)
	}
	if p.heading.Text != "Slice 7" {
		t.Errorf("the column is headed %q", p.heading.Text)
	}
}

func TestTheHeadingsNameMAX(t *testing.T) {
	p, _ := newPanel(t)
	c := measured()
	c.Truth, c.Start = &measure.Comparison{Max: 255}, &measure.Comparison{Max: 255}
	titles := func() (change, truth string) { return p.change.Text, p.truth.Text }
	p.Display(Snapshot{Slice: c, Unit: "HU", Reference: "the reference"})
	if change, truth := titles(); change != "Change vs original, MAX 4095 HU" || truth != "Against the reference, MAX 255 HU" {
		t.Errorf("headings %q and %q", change, truth)
	}
	p.Display(Snapshot{Unit: "HU"})
	if change, _ := titles(); change != "Change vs original" {
		t.Errorf("without numbers the heading is %q", change)
	}
}

func TestTrueErrorsNeedAReference(t *testing.T) {
	p, _ := newPanel(t)
	p.Resize(fyne.NewSize(400, 2000))
	c := measured()
	p.Display(Snapshot{Slice: c})
	if !p.agrees.Hidden || !p.truth.Hidden {
		t.Error("a row of true PSNR without a reference")
	}
	if p.caution.Hidden || p.caution.Text != "How much was changed, not how good it is: that takes a reference." {
		t.Errorf("without a reference the panel says of its MSE and PSNR %q, hidden %v", p.caution.Text, p.caution.Hidden)
	}
	c.Start = &measure.Comparison{MSE: 400, PSNR: 20, SSIM: 0.5}
	c.Truth = &measure.Comparison{MSE: 12, PSNR: 37.29, SSIM: 0.93}
	p.Display(Snapshot{Slice: c, Reference: "the reference"})
	if slice, _ := cells(p, "PSNR", 1); !p.caution.Hidden || p.agrees.Hidden || p.truth.Hidden || slice.Text != "20.00 dB→37.29 dB" {
		t.Errorf("PSNR %q, hidden %v; want from 20 to 37.29 dB", slice.Text, p.agrees.Hidden)
	}
}

// SSIM, the residual and the figures within the window are below a fold; MSE and PSNR are those against the reference if there is one.
func TestWhatIsFolded(t *testing.T) {
	p, _ := newPanel(t)
	c := measured()
	c.Truth, c.Start = &measure.Comparison{Max: 255}, &measure.Comparison{Max: 255}
	for _, reference := range []string{"", "the reference", ""} {
		p.Display(Snapshot{Slice: c, Reference: reference})
		with := reference != ""
		if p.changes.Hidden != with || p.agrees.Hidden == with || p.changesMore.Hidden != with || p.agreesMore.Hidden == with || !p.details.Hidden {
			t.Errorf("reference %q: change hidden %t, agreement hidden %t, the rest hidden %t", reference, p.changes.Hidden, p.agrees.Hidden, p.details.Hidden)
		}
	}
	height := p.all.MinSize().Height
	if test.Tap(p.more); p.details.Hidden || p.more.Text != "Less" || p.all.MinSize().Height <= height {
		t.Errorf("unfolded: hidden %t, %q", p.details.Hidden, p.more.Text)
	}
	if test.Tap(p.more); !p.details.Hidden || p.all.MinSize().Height != height {
		t.Error("it does not fold again")
	}
}

func TestOldNumbersAreGrey(t *testing.T) {
	p, _ := newPanel(t)
	old := measured()
	old.Current, old.Place = false, "edges in slice 3"
	p.Display(Snapshot{Volume: old})
	_, shown := cells(p, "Verdict", 0)
	if shown.Importance != widget.LowImportance {
		t.Error("a verdict on earlier parameters looks like one on these")
	}
	if p.reason.Text != "Volume: the grey numbers belong to earlier parameters." {
		t.Errorf("the text is %q; want it to say that the numbers are old", p.reason.Text)
	}
	if !p.place.Hidden {
		t.Error("a place of earlier parameters can be shown")
	}
	old.Old = "the grey numbers stay until slice 6 is measured."
	old.Clipped = &measures.Clipped{Change: measure.Comparison{MSE: 4, PSNR: 32.04, SSIM: 0.91}} // of the slice on the screen
	p.Display(Snapshot{Slice: old, Name: "Slice 5"})
	for _, r := range p.rows {
		if r.slice.Importance != widget.LowImportance && r.slice.Text != missing {
			t.Errorf("under the head of the slice before, %s is %q and not grey", r.label.Text, r.slice.Text)
		}
	}
	if p.heading.Importance != widget.LowImportance {
		t.Error("the head of the slice before is not grey")
	}
	if p.reason.Text != "Slice 5: the grey numbers stay until slice 6 is measured." {
		t.Errorf("the text is %q; want it to say whose the numbers are", p.reason.Text)
	}
	old.Old, old.Current = "", true
	p.Display(Snapshot{Slice: old, Name: "Slice 6"})
	if within, _ := cells(p, "PSNR", 2); within.Text != "32.04 dB" || within.Importance != widget.MediumImportance || p.heading.Importance != widget.MediumImportance {
		t.Errorf("under its own head the PSNR within the window is %q, importance %d", within.Text, within.Importance)
	}
}

func TestTheVerdictHasColourAndReason(t *testing.T) {
	p, _ := newPanel(t)
	p.Resize(fyne.NewSize(340, 2000))
	for word, want := range map[verdict.Word]struct {
		text       string
		importance widget.Importance
	}{
		verdict.Nothing: {"nothing removed", widget.MediumImportance}, verdict.Little: {"little removed", widget.MediumImportance},
		verdict.Good: {"good", widget.SuccessImportance}, verdict.Fades: {"objects fade", widget.WarningImportance}, verdict.Texture: {"texture is lost", widget.WarningImportance},
		verdict.Unknown: {"cannot be judged", widget.MediumImportance}, "": {"–", widget.MediumImportance},
	} {
		c := measured()
		c.Judgement, c.Why = word, message.Verbatim("The reason of "+string(word)+".")
		p.Display(Snapshot{Slice: c, Name: "Slice 3", Volume: Column{Missing: "apply it."}})
		slice, _ := cells(p, "Verdict", 0)
		if slice.Text != want.text || slice.Importance != want.importance {
			t.Errorf("%s: %q, importance %v", word, slice.Text, slice.Importance)
		}
		if got := p.reason.Text; got != "Slice 3: "+c.Why.String()+"\nVolume: apply it." {
			t.Errorf("%s: text %q", word, got)
		}
	}
}

func TestOneReasonForBoth(t *testing.T) {
	p, _ := newPanel(t)
	slice, volume := measured(), measured()
	p.Display(Snapshot{Slice: slice, Volume: volume, Name: "Slice 3"})
	if got := p.reason.Text; got != "Slice 3 and volume: "+slice.Why.String() {
		t.Errorf("text %q; want the common reason once", got)
	}
	volume.Why = message.Verbatim("Another.")
	p.Display(Snapshot{Slice: slice, Volume: volume, Name: "Slice 3"})
	if got := p.reason.Text; got != "Slice 3: "+slice.Why.String()+"\nVolume: Another." {
		t.Errorf("text %q; want both", got)
	}
	volume = measured()
	volume.Current = false
	p.Display(Snapshot{Slice: slice, Volume: volume})
	if got := p.reason.Text; !strings.HasPrefix(got, "Slice: "+slice.Why.String()) || !strings.Contains(got, "Volume: the grey numbers") {
		t.Errorf("text %q; want to read that the volume's are old", got)
	}
}

func TestWhatLimitsTheNoiseIsSaid(t *testing.T) {
	p, _ := newPanel(t)
	p.Display(Snapshot{Slice: Column{Noise: noise.Figure{Sigma: 3, Confidence: noise.Low, Why: message.Verbatim("hardly any of the tissue is homogeneous")}}})
	slice, _ := cells(p, "Noise σ", 0)
	if slice.Text != "3.00, low" || slice.Importance != widget.WarningImportance {
		t.Errorf("%q, importance %v; want a warning", slice.Text, slice.Importance)
	}
	if p.reason.Text != "Confidence of σ is low: hardly any of the tissue is homogeneous." {
		t.Errorf("text %q", p.reason.Text)
	}
	p.Display(Snapshot{Slice: Column{Noise: noise.Figure{Confidence: noise.None, Why: message.Verbatim("there is no tissue.")}}})
	if slice.Text != "–" || !strings.HasPrefix(p.reason.Text, "Noise unknown: there is no tissue.") {
		t.Errorf("without noise: %q, %q", slice.Text, p.reason.Text)
	}
	unknown := noise.Figure{Sigma: 1, Low: 1, High: 15, Confidence: noise.Low, Why: message.Verbatim("it was smoothed")}
	for _, said := range []bool{false, true} {
		c := Column{Noise: unknown}
		if said {
			c = measured()
			c.Noise, c.Judgement, c.Why = unknown, verdict.Unknown, unknown.Sentence()
		}
		p.Display(Snapshot{Slice: c})
		if slice.Text != "1.00 (1 to 15), low" || strings.Count(p.reason.Text, unknown.Sentence().String()) != 1 || strings.Contains(p.reason.Text, "Confidence of") {
			t.Errorf("unknown noise: %q, %q", slice.Text, p.reason.Text)
		}
	}
	p.Display(Snapshot{Slice: measured(), Problem: "it failed"})
	if p.reason.Text != "it failed" || p.reason.Importance != widget.WarningImportance {
		t.Errorf("an error reads %q", p.reason.Text)
	}
}

func TestThePlaceIsAButton(t *testing.T) {
	p, jumps := newPanel(t)
	p.Display(Snapshot{Slice: measured(), Volume: measured()})
	if !p.place.Hidden {
		t.Error("a button although there is no place")
	}
	volume := measured()
	volume.Place = "edges at x 4 in slice 9"
	p.Display(Snapshot{Slice: measured(), Volume: volume})
	if p.place.Hidden || p.place.Text != "Show edges at x 4 in slice 9" {
		t.Errorf("button %q, hidden %v", p.place.Text, p.place.Hidden)
	}
	p.place.OnTapped()
	slice := measured()
	slice.Place = "smooth tissue"
	p.Display(Snapshot{Slice: slice, Volume: volume})
	p.place.OnTapped()
	if p.place.Text != "Show smooth tissue" || len(*jumps) != 2 || !(*jumps)[0] || (*jumps)[1] {
		t.Errorf("button %q, jumps %v; want that of the slice first", p.place.Text, *jumps)
	}
}

func TestTheTablesAlign(t *testing.T) {
	p, _ := newPanel(t)
	w := test.NewTempWindow(t, p)
	w.Resize(fyne.NewSize(370, 900)) // every row is seen
	p.Display(Snapshot{Slice: measured(), Volume: measured(), Unit: "HU"})
	p.unfold()
	driver := fyne.CurrentApp().Driver()
	right := func(l *widget.Label) float32 { return driver.AbsolutePositionForObject(l).X + l.Size().Width }
	first, _ := cells(p, "Noise σ", 0)
	for _, label := range []string{"Verdict", "MSE", "SSIM"} {
		if slice, _ := cells(p, label, 0); right(slice) != right(first) {
			t.Errorf("%s ends at %g, the noise at %g", label, right(slice), right(first))
		}
	}
	if right(p.heading) != right(first) {
		t.Errorf("the heading ends at %g, its numbers at %g", right(p.heading), right(first))
	}
}

func TestEqualSnapshotsAreShownOnce(t *testing.T) {
	p, _ := newPanel(t)
	c := measured()
	c.Structure = math.NaN()
	p.Display(Snapshot{Slice: c})
	slice, _ := cells(p, "Anatomy in residual", 0)
	if slice.Text != "–" {
		t.Errorf("structure that is not known reads %q", slice.Text)
	}
	slice.Text = "untouched"
	p.Display(Snapshot{Slice: c})
	if slice.Text != "untouched" {
		t.Error("the same snapshot was shown again")
	}
	c.ResidualSD = 6
	p.Display(Snapshot{Slice: c})
	if !strings.HasPrefix(slice.Text, "–") {
		t.Error("another snapshot was not shown")
	}
}

func TestNonFiniteNumbers(t *testing.T) {
	for x, want := range map[measure.Float]string{
		measure.Float(math.NaN()): "–", measure.Float(math.Inf(1)): "∞", 0: "0.000", -0.0001: "0.000", 12345.67: "12345.7",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%g) is %q; want %q", float64(x), got, want)
		}
	}
	for x, want := range map[measure.Float]string{measure.Float(math.Inf(1)): "identical", 673.2: "identical", 31.456: "31.46 dB"} {
		if got := decibel(x); got != want {
			t.Errorf("a PSNR of %g reads %q; want %q", float64(x), got, want)
		}
	}
	if got := squared(measure.Float(math.NaN()), "HU"); got != "–" {
		t.Errorf("a mean square that is not known reads %q", got)
	}
}

// Below the noise are the filters before and what was acquired of k-space, if they are known.
func TestAboutTheNoise(t *testing.T) {
	p, _ := newPanel(t)
	part := noise.Acquisition{Matrix: [2]int{128, 96}, Of: [2]int{256, 256}}
	for _, x := range []struct {
		filtered string
		of       *noise.Acquisition
		want     string
	}{
		{"", nil, ""},
		{"", &part, "acquired 128 × 96 of 256 × 256 pixels"},
		{"AiCE", nil, "filtered already: AiCE"},
		{"AiCE", &part, "filtered already: AiCE\nacquired 128 × 96 of 256 × 256 pixels"},
		{"", nil, ""},
	} {
		p.Display(Snapshot{Slice: measured(), Filtered: x.filtered, Acquired: x.of})
		if p.about.Text != x.want || p.about.Visible() != (x.want != "") {
			t.Errorf("%+v: %q, visible %v", x, p.about.Text, p.about.Visible())
		}
	}
}

// Below the measures over all values are those within the window: of the slice, or none.
func TestMeasuresWithinTheWindow(t *testing.T) {
	p, _ := newPanel(t)
	c := measured()
	s := Snapshot{Slice: c, Volume: c, Run: 2, Unit: "HU", Within: volume.Window{Width: 80, Center: 40}}
	p.Resize(fyne.NewSize(370, 900)) // every row is seen
	p.Display(Snapshot{})
	if p.change.Visible() || p.changes.Visible() || p.caution.Visible() || p.window.Visible() || p.windowed.Visible() {
		t.Errorf("with nothing open, %q has a place", p.window.Text)
	}
	p.Display(s)
	if !p.change.Visible() || !p.changes.Visible() || !p.window.Visible() || !p.windowed.Visible() {
		t.Error("with a series, the change has no place")
	}
	if slice, whole := cells(p, "PSNR", 2); slice.Text != "–" || whole.Text != "–" || p.window.Text != "Difference inside window 80/40" || p.whole.Text != "Volume, run 2" {
		t.Errorf("%q, %q, %q, %q", slice.Text, whole.Text, p.window.Text, p.whole.Text)
	}
	s.Slice.Clipped = &measures.Clipped{Change: measure.Comparison{MSE: 4, PSNR: 32.04, SSIM: 0.91}}
	p.Display(s)
	for label, want := range map[string]string{"MSE": "4.000 HU²", "PSNR": "32.04 dB", "SSIM": "0.910"} {
		if slice, whole := cells(p, label, 2); slice.Text != want || whole.Text != "–" {
			t.Errorf("%s: %q, %q", label, slice.Text, whole.Text)
		}
	}
	s.Reference = "the reference"
	s.Slice.Clipped = &measures.Clipped{Start: &measure.Comparison{PSNR: 20}, Truth: &measure.Comparison{PSNR: 31.5}}
	p.Display(s)
	if slice, _ := cells(p, "PSNR", 2); slice.Text != "20.00 dB→31.50 dB" || p.window.Text != "Reference inside window 80/40" {
		t.Errorf("%q, %q", slice.Text, p.window.Text)
	}
}
