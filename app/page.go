package app

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"time"

	"quell/denoise/noise"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Page is the report on one result: one HTML file that refers to no other.
type Page struct {
	Run      *Run
	Measures *Measures // of the run; nil: it is not judged
	Hide     bool      // the patient's identity, names and dates
	Show     *Shown    // the slice in the pictures; nil: the middle one in the series' own window
	ROIs     Table     // figures in regions that a person drew; empty for none
	Now      time.Time // date of the report; zero is the time of the call
}

// Shown is a slice of what a run filtered, as it is shown.
type Shown struct {
	View     volume.View
	Index    int
	Window   volume.Window
	Inverted bool
}

// Table is a heading and rows of as many texts.
type Table struct {
	Head []string
	Rows [][]string
}

// pageMark is in the first lines of every report, by which it is known again.
const pageMark = `<meta name="generator" content="Quell, report on a series">`

// isPage reports whether a file is a report.
func isPage(path string) bool { return holdsMark(path, pageMark, 1024) }

// Write writes the report to path, whole or not at all. An earlier report is replaced,
// any other file only with overwrite.
func (p Page) Write(ctx context.Context, path string, overwrite bool) error {
	if err := CheckFile(ReportOutput, path, overwrite, p.Run.Source); err != nil {
		return err
	}
	data, err := p.HTML(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return WriteFile(ReportOutput, path, data, overwrite, p.Run.Source)
}

//go:embed page.gohtml
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// row is a name with its text.
type row struct{ Name, Text string }

// pageData is what the template shows.
type pageData struct {
	Mark                     template.HTML
	Title, When, Version     string
	Verdict, Confidence, Why string
	Pictures                 []pagePicture
	Caption                  string
	Series, Made, Measured   []row
	Findings                 []string
	ROIs, Slices             Table
}

type pagePicture struct {
	Alt string
	URL template.URL
}

// HTML returns the report.
func (p Page) HTML(ctx context.Context) ([]byte, error) {
	now := p.Now
	if now.IsZero() {
		now = time.Now()
	}
	s, run := p.Run.Source, p.Run
	d := pageData{
		Mark: pageMark, Title: fmt.Sprintf("%s, %d-D", run.Recipe.Filter, run.Recipe.Dims), Version: Version(), When: now.Format("2 January 2006, 15:04 MST"),
		Series: p.identity(), ROIs: p.ROIs,
	}
	add := func(rows *[]row, name, text string) {
		if text != "" {
			*rows = append(*rows, row{name, text})
		}
	}
	add(&d.Made, "Recipe", run.Resolved.String())
	if !run.Recipe.Equal(run.Resolved) {
		add(&d.Made, "As asked for", run.Recipe.String())
	}
	if run.Maps.Noise != nil {
		add(&d.Made, "Noise map", "the filter works in units of it")
	}
	if run.Maps.Mask != nil {
		add(&d.Made, "Mask", "voxels outside it are unchanged")
	}
	if !run.Whole() {
		add(&d.Made, "Slices", fmt.Sprintf("%d to %d of %d", run.Region.Min[2]+1, run.Region.Max[2], s.Volume.Dims[2]))
	}
	add(&d.Made, "Engine", strings.TrimSpace(run.Engine.Name+" "+run.Engine.Device))
	add(&d.Made, "Filtered in", TimeText(run.Filter.Seconds()))

	facts, err := run.facts(ctx)
	if err != nil {
		return nil, err
	}
	unit := s.Volume.Unit
	add(&d.Measured, "Noise σ of the input", figureWords(facts.Noise.Figure, unit))
	squares, err := p.evenSquares(ctx, facts.Foreground)
	if err != nil {
		return nil, err
	}
	add(&d.Measured, "SD in even squares, before → after", squares)
	p.judge(&d)
	for _, f := range s.Findings {
		if f.Severity > series.Note && !p.Hide { // a finding may quote what tells series apart
			d.Findings = append(d.Findings, f.Text)
		}
	}
	if err := p.draw(ctx, &d); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, d); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// judge fills in verdict and measures.
func (p Page) judge(d *pageData) {
	m, unit := p.Measures, p.Run.Source.Volume.Unit
	if m == nil {
		d.Verdict, d.Why = "not judged", "The result has not been judged yet."
		return
	}
	d.Verdict, d.Why = string(m.Verdict), m.Why
	if m.Confidence != "" && m.Confidence != noise.None {
		d.Confidence = string(m.Confidence)
	}
	add := func(name, text string) { d.Measured = append(d.Measured, row{name, text}) }
	add("Residual SD, in the foreground", quantity(float64(m.ResidualSD), unit))
	add("Residual mean", quantity(float64(m.ResidualMean), unit))
	if m.Map != nil {
		add("Structure removed", quantity(math.Sqrt(m.Structure), "σ"))
	}
	if m.Place != nil && m.Verdict != "" {
		add("Most structure", m.Place.String())
	}
	add("Change against the input", fmt.Sprintf("MSE %s, PSNR %s, SSIM %s, MAX %s: how much was changed, no measure of quality",
		m.Change.MSE, measure.Decibels(m.Change.PSNR, 2), m.Change.SSIM, m.Change.Max))
	if m.Truth != nil && m.Start != nil {
		add("Against the reference, before → after", fmt.Sprintf("MSE %s → %s, PSNR %s → %s, SSIM %s → %s", m.Start.MSE, m.Truth.MSE,
			measure.Decibels(m.Start.PSNR, 2), measure.Decibels(m.Truth.PSNR, 2), m.Start.SSIM, m.Truth.SSIM))
	}
	if len(m.Slices) > 1 {
		d.Slices.Head = []string{"Slice", "Verdict", "Noise σ", "Residual SD", "Why"}
		for k, s := range m.Slices {
			sigma := "–"
			if s.SigmaConfidence != noise.None && s.SigmaConfidence != "" {
				sigma = quantity(s.Sigma, unit)
			}
			d.Slices.Rows = append(d.Slices.Rows, []string{fmt.Sprint(p.Run.Region.Min[2] + k + 1), string(s.Verdict), sigma, quantity(float64(s.ResidualSD), unit), s.Why})
		}
	}
}

// identity says in rows whose series it is and how it was acquired.
func (p Page) identity() (rows []row) {
	s := p.Run.Source
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, row{name, text})
		}
	}
	if p.Hide {
		add("Patient", "identity hidden")
	} else {
		add("Patient", strings.Join(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' || r == '=' }), " "))
		add("Patient ID", s.PatientID)
		add("Birth date", s.BirthDate)
		add("Sex", s.Sex)
		add("Study", strings.TrimSpace(s.StudyDate+" "+s.Study))
		add("Series", strings.TrimSpace(s.Number+" "+s.Description))
		add("Series UID", s.UID)
	}
	v := s.Volume
	add("Format", s.Format)
	if !p.Hide || modality.MatchString(s.Modality) {
		add("Modality", s.Modality)
	}
	if !p.Hide { // free texts
		add("Maker", s.Manufacturer)
		add("Acquisition", strings.TrimSpace(s.Kernel+" "+s.Technique))
	}
	add("Voxels", fmt.Sprintf("%s of %.4g × %.4g × %.4g mm", DimsText(v.Dims), v.Spacing[0], v.Spacing[1], v.Spacing[2]))
	return rows
}

const (
	// evenSide is the side in pixels of the squares whose SD is compared.
	evenSide = 16
	// evenSlices is how many slices are searched for them, and evenLeast how many are needed.
	evenSlices, evenLeast = 9, 5
)

// evenSquares says how much noise is left: the SD of the same squares of tissue before and
// after, about the surface of second order that fits each, where the input has nothing
// but noise on it. An estimate of the noise of the result would say less: what a filter
// leaves is not the noise that estimators know.
func (p Page) evenSquares(ctx context.Context, foreground func(i int) bool) (string, error) {
	before, after := p.Run.input(), p.Run.Result
	if foreground == nil {
		var err error
		if foreground, err = noise.Foreground(ctx, p.Run.Source.Volume); err != nil {
			return "", err
		}
	}
	var sums [2]float64
	n := 0
	for k := range min(evenSlices, before.Dims[2]) {
		z := (2*k + 1) * before.Dims[2] / (2 * min(evenSlices, before.Dims[2]))
		a, err := measure.SliceOf(before, z)
		if err != nil {
			return "not given: " + err.Error(), nil //nolint:nilerr // it is said
		}
		b, err := measure.SliceOf(after, z)
		if err != nil {
			return "not given: " + err.Error(), nil //nolint:nilerr // it is said
		}
		for y := 0; y+evenSide <= a.Height; y += evenSide {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			for x := 0; x+evenSide <= a.Width; x += evenSide {
				if !p.tissue(foreground, x, y, z) {
					continue
				}
				box := measure.Outline{Shape: measure.Box, Points: [][2]float64{{float64(x), float64(y)}, {float64(x + evenSide - 1), float64(y + evenSide - 1)}}}
				first, err := measure.PatchOf(a, box)
				if err != nil || first.Even() != nil {
					continue
				}
				second, err := measure.PatchOf(b, box)
				if err != nil {
					continue
				}
				sums[0], sums[1], n = sums[0]+first.Variance(), sums[1]+second.Variance(), n+1
			}
		}
	}
	if n < evenLeast {
		return fmt.Sprintf("not given: %d squares of %d × %d pixels are even, of %d that are needed", n, evenSide, evenSide, evenLeast), nil
	}
	unit := before.Unit
	return fmt.Sprintf("%s → %s in %d squares of %d × %d pixels", quantity(math.Sqrt(sums[0]/float64(n)), unit), quantity(math.Sqrt(sums[1]/float64(n)), unit), n, evenSide, evenSide), nil
}

// tissue reports whether the corners and the middle of a square are foreground.
func (p Page) tissue(foreground func(i int) bool, x, y, z int) bool {
	v, first := p.Run.Source.Volume, p.Run.Region.Min
	for _, at := range [][2]int{{0, 0}, {evenSide - 1, 0}, {0, evenSide - 1}, {evenSide - 1, evenSide - 1}, {evenSide / 2, evenSide / 2}} {
		if !foreground(v.Index(first[0]+x+at[0], first[1]+y+at[1], first[2]+z)) {
			return false
		}
	}
	return true
}

// pageSide is the least width of a picture in pixels: smaller slices are magnified by whole
// numbers, so that labels fit.
const pageSide = 40 * 7

// draw draws the pictures, each with its label in its pixels.
func (p Page) draw(ctx context.Context, d *pageData) error {
	show := p.Show
	if show == nil {
		v := p.Run.input()
		view := v.View(v.Acquired())
		show = &Shown{View: view, Index: view.Size[2] / 2, Window: pictureWindow(p.Run.Source, v)}
	}
	facts, err := p.Run.facts(ctx)
	if err != nil {
		return err
	}
	drawn := drawSlice(p.Run, show.View, show.Index, facts, show.Window, show.Inverted)
	unit := p.Run.Source.Volume.Unit
	window := strings.TrimSpace(fmt.Sprintf("W %.4g L %.4g %s", show.Window.Width, show.Window.Center, unit))
	slice := fmt.Sprintf("%s slice %d of %d", show.View.Plane, show.Index+1, show.View.Size[2])
	d.Caption = fmt.Sprintf("%s%s. The residual is what was removed, on a scale that ends at %s.", strings.ToUpper(slice[:1]), slice[1:], quantity(drawn.Limit, unit))
	for _, one := range []struct {
		m         *image.RGBA
		alt, more string
	}{
		{drawn.Before, "ORIGINAL", window}, {drawn.After, "DENOISED " + p.Run.Recipe.Filter, window},
		{drawn.Residual, "RESIDUAL", strings.TrimSpace(fmt.Sprintf("scale +-%.3g %s", drawn.Limit, unit))},
	} {
		m := Labelled(SquarePixels(one.m, show.View.Pixel), one.alt, slice+"  "+one.more, "NOT FOR CLINICAL USE")
		var file bytes.Buffer
		if err := png.Encode(&file, m); err != nil {
			return err
		}
		d.Pictures = append(d.Pictures, pagePicture{one.alt, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes()))})
	}
	return nil
}

// Labelled returns a picture with lines of ASCII below it in its pixels, magnified by a whole
// number where it is narrow.
func Labelled(m *image.RGBA, lines ...string) *image.RGBA {
	times := max(1, (pageSide+m.Rect.Dx()-1)/m.Rect.Dx())
	width, height := m.Rect.Dx()*times, m.Rect.Dy()*times
	out := image.NewRGBA(image.Rect(0, 0, width, height+len(lines)*lineHeight+cellGap))
	draw.Draw(out, out.Rect, image.NewUniform(color.Black), image.Point{}, draw.Src)
	for y := range height {
		for x := range width {
			out.SetRGBA(x, y, m.RGBAAt(x/times, y/times))
		}
	}
	for k, line := range lines {
		writeLine(out, cellGap, height+cellGap/2+k*lineHeight, width-cellGap, line)
	}
	return out
}

// quantity writes a number in three digits with its unit; "–" for none.
func quantity(x float64, unit string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", x, unit))
}

// figureWords writes sigma with its confidence and the reason.
func figureWords(f noise.Figure, unit string) string {
	if f.Confidence == noise.None || f.Confidence == "" {
		return "not known: " + f.Why
	}
	text := quantity(f.Sigma, unit) + ", " + string(f.Confidence) + " confidence"
	if f.Why != "" && f.Confidence != noise.High {
		text += ": " + f.Why
	}
	return text
}
