package output_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/report"
	"quell/series"
	"quell/volume"
)

// noisyRun is a run over noise of 10 HU on an even background; a filter has left a half of it.
func noisyRun(t *testing.T, nz int, region volume.Region) *run.Run {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{80, 64, nz}, [3]float64{0.5, 1, 3}))
	v.Unit = "HU"
	r := rand.New(rand.NewPCG(1, 2))
	for i := range v.Data {
		v.Data[i] = float32(100 + 10*r.NormFloat64())
	}
	s := &series.Series{Volume: v, Meta: series.Meta{
		Format: "DICOM", Modality: "CT", Patient: "Doe^Jane", PatientID: "P<17>", BirthDate: "19700203", Sex: "F", Study: "HEAD",
		StudyDate: "20250101", Number: "4", Description: "Axial thin", UID: "1.2.3", Kernel: "STD+", Technique: "120 kV",
		Windows: []volume.Window{{Center: 100, Width: 80}},
	}, Findings: []series.Finding{{Severity: series.Warning, Text: message.Verbatim("A gap was found.")}, {Severity: series.Note, Text: message.Verbatim("A note.")}}}
	half := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		out := v.Crop(r)
		for i := range out.Data {
			out.Data[i] = 100 + (out.Data[i]-100)/2
		}
		return out, nil
	})
	run, err := run.Denoise(t.Context(), half, run.Request{Series: s, Recipe: apptest.MustRecipe("gaussian", 2), Region: region}, nil)
	if err != nil {
		t.Fatal(err)
	}
	facts := apptest.FoundFacts(t, v)
	facts.Foreground = func(int) bool { return true }
	run.Facts = &facts
	return run
}

// text returns a page without its pictures, and those.
func text(t *testing.T, page []byte) (string, []image.Image) {
	t.Helper()
	var pictures []image.Image
	for _, m := range regexp.MustCompile(`src="data:image/png;base64,([^"]*)"`).FindAllSubmatch(page, -1) {
		data, err := base64.StdEncoding.DecodeString(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		p, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, p)
	}
	return regexp.MustCompile(`src="[^"]*"`).ReplaceAllString(string(page), ""), pictures
}

func TestPageHoldsWhatIsKnownOfAResult(t *testing.T) {
	run := noisyRun(t, 3, volume.Region{})
	share := verdict.Share{Value: 0.25, Low: 0.2, High: 0.3}
	m := &judge.Measures{Assessment: judge.Assessment{
		Verdict:    judge.Verdict{Judgement: verdict.Good, Why: message.Verbatim("Objects are kept."), Figures: verdict.Of(share, share, share)},
		ResidualSD: 5, ResidualMean: 0.25, Unit: "HU",
		Inspection: tune.Inspection{Structure: 0.04, Map: run.Result, Place: &tune.Place{What: "a blob", X: 3, Y: 4, Slice: 1}},
		Slices: []judge.SliceAssessment{
			{Verdict: judge.Verdict{Judgement: verdict.Little, Why: message.Verbatim("Noise is left."), Figures: verdict.Of(share, share, share)}, Sigma: 10, SigmaConfidence: noise.High, ResidualSD: 5.5},
			{Verdict: judge.Verdict{Judgement: verdict.Fades, Why: message.Verbatim("Detail is lost."), Figures: verdict.None()}},
		}}, Change: measure.Comparison{MSE: 25, PSNR: 40, SSIM: 0.9, Max: 80}, Start: &measure.Comparison{MSE: 100}, Truth: &measure.Comparison{MSE: 30}}
	p := output.Page{Run: run, Measures: m, Now: time.Date(2026, 11, 23, 1, 2, 0, 0, time.UTC),
		ROIs: report.Table{Head: []string{"ROI", "Mean"}, Rows: [][]string{{"ROI 1", "33.1 <HU>"}}}}
	data, err := p.HTML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, pictures := text(t, data)
	for _, want := range []string{
		report.Mark(files.PageKind), "gaussian, 2-D: good", "25 % (20 to 30)", "Objects are kept.", "Not for clinical use", "Jane", "P&lt;17&gt;", "19700203", "20250101 HEAD", "4 Axial thin", "1.2.3",
		"DICOM", "CT", "STD+ 120 kV", "80 x 64 x 3 of 0.5 × 1 × 3 mm", "A gap was found.", run.Resolved.String(), "fake test", "HU, ", "confidence",
		"<td>5 HU</td>", "<td>0.25 HU</td>", "0.2 σ", "a blob at x 4, y 5 in slice 2", "25 HU²", "40 dB", "MAX 80", "100 HU²", "30 HU²",
		"ROI 1", "33.1 &lt;HU&gt;", "<td>1</td><td>little removed</td><td>25 %</td><td>25 %</td><td>25 %</td><td>10 HU</td><td>Noise is left.</td>", "<td>2</td><td>objects fade</td><td>–</td>", job.Version(), "23 November 2026, 01:02 UTC",
		"Axial slice 2 of 3.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "A note.") || strings.Contains(page, "http") {
		t.Error("the report holds a note, or refers to another file")
	}
	if squares := regexp.MustCompile(`(\d+\.?\d*) HU → (\d+\.?\d*) HU in 60 squares of 16 × 16 pixels`).FindStringSubmatch(page); squares == nil || !strings.HasPrefix(squares[1], "10") && !strings.HasPrefix(squares[1], "9.9") {
		t.Errorf("SD before and after: %v", squares)
	} else if !strings.HasPrefix(squares[2], "5.0") && !strings.HasPrefix(squares[2], "4.9") && squares[2] != "5" {
		t.Errorf("SD after: %v", squares)
	}
	// Square pixels, magnified to the width of the label, which lies below.
	if len(pictures) != 3 {
		t.Fatalf("%d pictures", len(pictures))
	}
	for _, m := range pictures {
		if size := m.Bounds().Size(); size != image.Pt(4*80+2*6, 4*128+3*14+2*6) {
			t.Errorf("a picture of %v", size)
		}
	}
}

func TestPageWithoutIdentity(t *testing.T) {
	data, err := output.Page{Run: noisyRun(t, 1, volume.Region{}), Hide: true}.HTML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, _ := text(t, data)
	for _, secret := range []string{"Jane", "P&lt;17", "1970", "2025", "HEAD", "Axial thin", "1.2.3", "A gap", "STD"} {
		if strings.Contains(page, secret) {
			t.Errorf("the report without identity holds %q", secret)
		}
	}
	for _, want := range []string{"identity hidden", "not judged"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report without identity lacks %q", want)
		}
	}
}

func TestPageShowsTheSliceAskedFor(t *testing.T) {
	run := noisyRun(t, 3, volume.Region{})
	view := run.Source.Volume.View(volume.Coronal)
	data, err := output.Page{Run: run, Show: &output.Shown{View: view, Index: 9, Window: volume.Window{Center: 40, Width: 10}, Inverted: true}}.HTML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, pictures := text(t, data)
	if !strings.Contains(page, "Coronal slice 10 of 64.") {
		t.Error("another slice is shown")
	}
	if r, _, _, _ := pictures[0].At(0, 0).RGBA(); r != 0 { // far above the window, and inverted
		t.Errorf("the first pixel is %d", r>>8)
	}
	// A part of the series.
	part := noisyRun(t, 3, volume.Region{Min: [3]int{0, 0, 1}, Max: [3]int{80, 64, 2}})
	if data, err = (output.Page{Run: part}).HTML(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page, _ = text(t, data); !strings.Contains(page, "2 to 2 of 3") || !strings.Contains(page, "in 20 squares") {
		t.Error("the part is not named or not measured")
	}
}

func TestPageIsSilentWhereNothingIsEven(t *testing.T) {
	run := noisyRun(t, 1, volume.Region{})
	for i := range run.Source.Volume.Data {
		run.Source.Volume.Data[i] += float32(200 * math.Sin(float64(i%80)/3))
	}
	data, err := output.Page{Run: run}.HTML(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, _ := text(t, data)
	if !strings.Contains(page, "not given: 0 squares of 16 × 16 pixels are even, of 5 that are needed") {
		t.Error("an SD of squares that are not even", regexp.MustCompile("SD in homogeneous.*").FindString(page))
	}
	run = noisyRun(t, 1, volume.Region{})
	run.Facts.Foreground = func(i int) bool { return i/80 < 16 } // a row of five
	if data, err = (output.Page{Run: run}).HTML(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page, _ := text(t, data); !strings.Contains(page, "in 5 squares") {
		t.Error("squares beside the foreground count, or five are too few")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (output.Page{Run: run}).HTML(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPageReplacesOnlyReports(t *testing.T) {
	dir := t.TempDir()
	p := output.Page{Run: noisyRun(t, 1, volume.Region{})}
	path := filepath.Join(dir, "report.html")
	for range 2 { // the second replaces the first
		if err := p.Write(t.Context(), path, false); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(dir, "other.html")
	if err := os.WriteFile(other, []byte("<html>mine</html>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(t.Context(), other, false); !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("a foreign file: %v", err)
	}
	if data, _ := os.ReadFile(other); string(data) != "<html>mine</html>" {
		t.Error("a foreign file was touched")
	}
	if err := p.Write(t.Context(), other, true); err != nil {
		t.Errorf("with overwrite: %v", err)
	}
	if data, _ := os.ReadFile(other); !bytes.Contains(data, []byte("Quell, report on a series")) {
		t.Error("with overwrite nothing was written")
	}
	var usage *job.UsageError
	for _, bad := range []string{dir, filepath.Join(dir, "none", "report.html", "..", "\x00")} {
		if err := p.Write(t.Context(), bad, false); !errors.As(err, &usage) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gone := filepath.Join(dir, "gone.html")
	if err := p.Write(ctx, gone, false); err == nil || files.Exists(gone) {
		t.Errorf("cancelled: %v", err)
	}
}
