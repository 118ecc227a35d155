package output

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/report"
	"quell/series"
	"quell/volume"
)

// Page is the report on one result: one HTML file that refers to no other.
type Page struct {
	Run      *run.Run
	Of       *run.Run        // the run on the whole volume, without voxels, if Run is on the slice that is shown; else nil
	Place    string          // of the volume in its 4-D series; "" if it is in none
	Measures *judge.Measures // of the run; nil: it is not judged
	Hide     bool            // the patient's identity, names and dates
	Show     *Shown          // the slice in the pictures; nil: the middle one in the series' own window
	ROIs     report.Table    // figures in regions that a person drew; empty for none
	Now      time.Time       // date of the report; zero is the time of the call
}

// Shown is a slice of what a run filtered, as it is shown.
type Shown struct {
	View     volume.View
	Index    int
	Window   volume.Window
	Inverted bool
}

// Write writes the report to path, whole or not at all. An earlier report is replaced,
// any other file only with overwrite.
func (p Page) Write(ctx context.Context, path string, overwrite bool) error {
	if err := files.Check(files.ReportOutput, path, overwrite, p.Run.Source); err != nil {
		return err
	}
	data, err := p.HTML(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return files.Write(files.ReportOutput, path, data, overwrite, p.Run.Source)
}

// pageData is the content of the report.
type pageData struct {
	Title, When, Version   string
	Verdict, Why           string
	Pictures               []pagePicture
	Caption                string
	Series, Made, Measured report.Facts
	Findings               []string
	ROIs, Slices           report.Table
}

type pagePicture struct {
	Alt  string
	File []byte // PNG
}

// whole returns the run on the volume.
func (p Page) whole() *run.Run {
	if p.Of != nil {
		return p.Of
	}
	return p.Run
}

// HTML returns the report.
func (p Page) HTML(ctx context.Context) ([]byte, error) {
	now := p.Now
	if now.IsZero() {
		now = time.Now()
	}
	s, run := p.Run.Source, p.whole()
	d := pageData{
		Title: fmt.Sprintf("%s, %d-D", run.Recipe.Filter, run.Recipe.Dims), Version: job.Version(), When: now.Format("2 January 2006, 15:04 MST"),
		Series: p.identity(), ROIs: p.ROIs,
	}
	d.Made.Add("Recipe", run.Resolved.String())
	if !run.Recipe.Equal(run.Resolved) {
		d.Made.Add("As asked for", run.Recipe.String())
	}
	if p.Run.Maps.Noise != nil {
		d.Made.Add("Noise map", "the filter works in units of it")
	}
	if p.Run.Maps.Mask != nil {
		d.Made.Add("Mask", "voxels outside it are unchanged")
	}
	if !run.Whole() {
		d.Made.Add("Slices", fmt.Sprintf("%d to %d of %d", run.Region.Min[2]+1, run.Region.Max[2], run.Source.Volume.Dims[2]))
	}
	if p.Run.Unfiltered() {
		d.Made.Add("Outcome", "unchanged: the result is the series as it is")
	}
	d.Made.Add("Volume", p.Place)
	d.Made.Add("Engine", strings.TrimSpace(run.Engine.Name+" "+run.Engine.Device))
	d.Made.Add("Filtered in", job.TimeText(run.Filter.Seconds()))

	facts, err := p.Run.FindFacts(ctx)
	if err != nil {
		return nil, err
	}
	d.Measured.Add("Noise σ of the input", figureWords(facts.Noise.Figure, s.Volume.Unit))
	squares, err := p.evenSquares(ctx, facts)
	if err != nil {
		return nil, err
	}
	d.Measured.Add("SD in homogeneous squares, before → after", squares)
	p.judge(&d)
	for _, f := range s.Findings {
		if f.Severity > series.Note && !p.Hide { // a finding may quote what distinguishes series
			d.Findings = append(d.Findings, f.Text.String())
		}
	}
	if err := p.draw(&d, facts); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = report.Write(&out, files.PageKind, "Quell: "+d.Title, d.body)
	return out.Bytes(), err
}

// body writes the report.
func (d *pageData) body(p *report.Page) {
	p.Add("<h1>%s: %s", d.Title, d.Verdict)
	p.Add("</h1>\n<p>%s</p>\n", d.Why)
	p.Warn()
	p.Add(`<div class="pictures thirds">`)
	for _, m := range d.Pictures {
		p.Add(`<img src="%s" alt="%s">`, report.Picture(m.File), m.Alt)
	}
	p.Add("</div>\n<p class=\"note\">%s</p>\n<h2>Series</h2>\n", d.Caption)
	p.Facts(d.Series)
	for _, text := range d.Findings {
		p.Add("<p class=\"warning\">%s</p>\n", text)
	}
	p.Add("<h2>Filter</h2>\n")
	p.Facts(d.Made)
	p.Add("<h2>Measures</h2>\n")
	p.Facts(d.Measured)
	for _, part := range []struct {
		title string
		table report.Table
		note  string
	}{
		{"Regions", d.ROIs, ""},
		{"Slices", d.Slices, ""},
	} {
		if len(part.table.Rows) == 0 {
			continue
		}
		p.Add("<h2>%s</h2>\n", part.title)
		p.Table(part.table)
		if part.note != "" {
			p.Add("<p class=\"note\">%s</p>\n", part.note)
		}
	}
	p.Add(`<p class="note">Quell %s, %s.</p>`, d.Version, d.When)
}

// judge fills in verdict and measures.
func (p Page) judge(d *pageData) {
	m, unit := p.Measures, p.Run.Source.Volume.Unit
	if m == nil {
		d.Verdict, d.Why = "not judged", "The result has not been judged yet."
		return
	}
	d.Verdict, d.Why = m.Judgement.Message().String(), m.Why.String()
	for _, f := range judge.FiguresOf(*m) {
		if f.Kind != "sigma" { // stands above, with its reason
			d.Measured.Add(f.Label.String(), f.Line())
		}
	}
	if m.Place != nil {
		d.Measured.Add("Most anatomy", m.Place.String())
	}
	if len(m.Slices) > 1 {
		d.Slices.Head = []string{"Slice", "Verdict", "Noise removed", "Contrast kept", "Texture kept", "Noise σ", "Why"}
		for k, s := range m.Slices {
			sigma := "–"
			if s.SigmaConfidence != noise.None && s.SigmaConfidence != "" {
				sigma = quantity(s.Sigma, unit)
			}
			share := func(x verdict.Share) string { return quantity(100*x.Value, "%") }
			d.Slices.Rows = append(d.Slices.Rows, []string{
				fmt.Sprint(p.whole().Region.Min[2] + k + 1), s.Judgement.Message().String(), share(s.Noise()), share(s.Contrast()), share(s.Texture()), sigma, s.Why.String(),
			})
		}
	}
}

// identity says who the patient is and how it was acquired.
func (p Page) identity() (f report.Facts) {
	s, v := p.whole().Source, p.whole().Source.Volume
	if p.Hide {
		f.Add("Patient", "identity hidden")
	} else {
		f.Add("Patient", strings.Join(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' || r == '=' }), " "))
		f.Add("Patient ID", s.PatientID)
		f.Add("Birth date", s.BirthDate)
		f.Add("Sex", s.Sex)
		f.Add("Study", strings.TrimSpace(s.StudyDate+" "+s.Study))
		f.Add("Series", strings.TrimSpace(s.Number+" "+s.Description))
		f.Add("Series UID", s.UID)
	}
	f.Add("Format", s.Format)
	if !p.Hide || open.DefinedModality.MatchString(s.Modality) {
		f.Add("Modality", s.Modality)
	}
	if !p.Hide { // free texts
		f.Add("Maker", s.Manufacturer)
		f.Add("Acquisition", strings.TrimSpace(s.Kernel+" "+s.Technique))
	}
	f.Add("Voxels", fmt.Sprintf("%s of %.4g × %.4g × %.4g mm", open.DimsText(v.Dims), v.Spacing[0], v.Spacing[1], v.Spacing[2]))
	return f
}

// draw draws the pictures, each with its label in its pixels.
func (p Page) draw(d *pageData, facts denoise.Facts) error {
	show := p.Show
	if show == nil {
		v := p.Run.InputVolume()
		view := v.View(v.Acquired())
		show = &Shown{View: view, Index: view.Size[2] / 2, Window: pictureWindow(p.Run.Source, v)}
	}
	drawn := drawSlice(p.Run, show.View, show.Index, facts, show.Window, show.Inverted)
	unit := p.Run.Source.Volume.Unit
	window := strings.TrimSpace(fmt.Sprintf("W %.4g L %.4g %s", show.Window.Width, show.Window.Center, unit))
	slice := fmt.Sprintf("%s slice %d of %d", show.View.Plane, show.Index+1, show.View.Size[2])
	d.Caption = fmt.Sprintf("%s%s. The residual is what was removed, on a scale that ends at %s.", strings.ToUpper(slice[:1]), slice[1:], quantity(drawn.Limit, unit))
	for i, label := range [][2]string{
		{"ORIGINAL", window}, {"DENOISED " + p.Run.Recipe.Filter, window}, {"RESIDUAL", strings.TrimSpace(fmt.Sprintf("scale +-%.3g %s", drawn.Limit, unit))},
	} {
		cell := report.Cell{Picture: report.SquarePixels(drawn.Pictures[i], show.View.Pixel), Lines: []string{label[0], slice + "  " + label[1], "NOT FOR CLINICAL USE"}}
		file, err := report.PNG(report.Sheet(40, cell), "")
		if err != nil {
			return err
		}
		d.Pictures = append(d.Pictures, pagePicture{label[0], file})
	}
	return nil
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
	if unknown := f.Sentence(); !unknown.IsZero() {
		return unknown.String()
	}
	if f.Confidence == "" {
		return "not measured"
	}
	text := quantity(f.Sigma, unit) + ", " + string(f.Confidence) + " confidence"
	if !f.Why.IsZero() && f.Confidence != noise.High {
		text += ": " + f.Why.String()
	}
	return text
}
