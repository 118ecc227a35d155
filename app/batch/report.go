package batch

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/image/draw"

	"quell/app"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/clean"
	"quell/io/atomic"
)

// Summary is what a batch came to.
type Summary struct {
	Status
	Output  string   `json:"output"`
	CSV     string   `json:"csv"`
	HTML    string   `json:"html"`
	Seconds float64  `json:"seconds"`
	Results []Result `json:"results"` // of this run, problems first, without pictures
}

// Err returns the error of a batch in which series failed: an *app.InputError where every
// failure is a fault of an input, and nil where none failed.
func (s Summary) Err() error {
	failed := 0
	for _, r := range s.Results {
		if r.State == Failed {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d series failed; the first: %s: %s", failed, len(s.Results), s.Results[0].Input(), s.Results[0].Problem)
	if failed == 1 {
		text = fmt.Sprintf("1 of %d series failed: %s: %s", len(s.Results), s.Results[0].Input(), s.Results[0].Problem)
	}
	if exitCode(s.Results) == app.ExitInput {
		return &app.InputError{Problem: text}
	}
	return errors.New(text)
}

// summarise writes the reports, over the results of all shards, and returns those of this
// process.
func (b *batch) summarise(started time.Time) (Summary, error) {
	s := Summary{Output: b.o.Output, CSV: filepath.Join(b.o.Output, "report.csv"), HTML: filepath.Join(b.o.Output, "report.html"), Results: []Result{}}
	b.progress.mu.Lock()
	s.Status = b.progress.status
	own := map[string]Result{}
	for id, r := range b.progress.results {
		own[id] = r
		s.Results = append(s.Results, r)
	}
	b.progress.mu.Unlock()
	sortResults(s.Results)
	s.Left, s.Seconds = 0, time.Since(started).Seconds()

	units := map[string]bool{}
	for _, u := range b.units {
		units[u.Name] = true
	}
	var all []Result
	err := b.store.all(func(r Result) {
		// A failure that could not be saved stands over an older result.
		if mine, ok := own[r.ID]; ok && mine.State != r.State {
			return
		}
		delete(own, r.ID)
		if r.Settings == b.settings && units[r.Unit] {
			all = append(all, r)
		}
	})
	for _, r := range own {
		all = append(all, r)
	}
	sortResults(all)
	if e := writeCSV(s.CSV, all); e != nil {
		err = errors.Join(err, e)
	}
	if e := b.writeHTML(s.HTML, all); e != nil {
		err = errors.Join(err, e)
	}
	return s, err
}

// urgency orders results: what failed, what may be wrong, what is well.
func urgency(r Result) int {
	switch {
	case r.State == Failed:
		return 0
	case r.Verdict == string(tune.Over):
		return 1
	case r.Verdict == string(tune.Under):
		return 2
	case r.Verdict == string(tune.Unknown) || len(r.Warnings) > 0:
		return 3
	case r.State == Done:
		return 4
	}
	return 5
}

func sortResults(all []Result) {
	slices.SortFunc(all, func(a, b Result) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Series, b.Series), cmp.Compare(a.ID, b.ID))
	})
}

// columns are those of report.csv. Scripts rely on their names; new ones are added behind.
var columns = []struct {
	name  string
	value func(Result) string
}{
	{"input", func(r Result) string { return r.Unit }},
	{"series", func(r Result) string { return r.Series }},
	{"state", func(r Result) string { return string(r.State) }},
	{"output", func(r Result) string { return r.Output }},
	{"problem", func(r Result) string { return cmp.Or(r.Problem, r.SameAs) }},
	{"verdict", func(r Result) string { return r.Verdict }},
	{"confidence", func(r Result) string { return r.Confidence }},
	{"sigma", sigmaText},
	{"sigma_confidence", func(r Result) string { return r.SigmaConfidence }},
	{"why", func(r Result) string { return r.Why }},
	{"warnings", func(r Result) string { return strings.Join(r.Warnings, " ") }},
	{"format", func(r Result) string { return r.Format }},
	{"modality", func(r Result) string { return r.Modality }},
	{"dims", func(r Result) string {
		if r.Dims == [3]int{} {
			return ""
		}
		if r.Volumes > 0 {
			return fmt.Sprintf("%s x %d", app.DimsText(r.Dims), r.Volumes)
		}
		return app.DimsText(r.Dims)
	}},
	{"engine", func(r Result) string { return r.Engine }},
	{"recipe", func(r Result) string {
		if r.Recipe == nil {
			return ""
		}
		return r.Recipe.String()
	}},
	{"load_s", func(r Result) string { return secondsText(r, r.Seconds.Load) }},
	{"wait_s", func(r Result) string { return secondsText(r, r.Seconds.Wait) }},
	{"filter_s", func(r Result) string { return secondsText(r, r.Seconds.Filter) }},
	{"measure_s", func(r Result) string { return secondsText(r, r.Seconds.Measure) }},
	{"write_s", func(r Result) string { return secondsText(r, r.Seconds.Write) }},
	{"files", func(r Result) string { return strconv.Itoa(r.Files) }},
	{"bytes", func(r Result) string { return strconv.FormatInt(r.Bytes, 10) }},
	{"finished", func(r Result) string { return r.Finished.UTC().Format(time.RFC3339) }},
	{"id", func(r Result) string { return r.ID }},
}

func sigmaText(r Result) string {
	if r.State != Done || r.SigmaConfidence == string(noise.None) {
		return ""
	}
	return strconv.FormatFloat(r.Sigma, 'g', 4, 64)
}

func secondsText(r Result, seconds float64) string {
	if r.State != Done {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', 3, 64)
}

func writeCSV(path string, all []Result) error {
	var data bytes.Buffer
	w := clean.NewCSV(&data)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	w.Row(row...)
	for _, r := range all {
		for i, c := range columns {
			row[i] = c.value(r)
		}
		w.Row(row...)
	}
	_ = w.Flush() // to memory
	return atomic.WriteFile(path, data.Bytes(), 0o666)
}

//go:embed report.gohtml
var reportPage string

var page = template.Must(template.New("report").Parse(reportPage))

type (
	htmlReport struct {
		Recipe, Version, Select, When         string
		Done, Failed, Duplicates, Under, Over int
		Total                                 int
		Rows                                  []htmlRow
	}
	htmlRow struct {
		Result
		Class, SigmaText, Took string
		Image                  template.URL
	}
)

// writeHTML writes one page that refers to no other file.
func (b *batch) writeHTML(path string, all []Result) error {
	h := htmlReport{Recipe: b.o.Job.Recipe.String(), Version: app.Version(), Select: b.o.Select, When: time.Now().Format("2 January 2006, 15:04 MST"), Total: len(all)}
	for _, r := range all {
		row := htmlRow{Result: r, Class: "well", SigmaText: sigmaText(r)}
		switch r.State {
		case Failed:
			h.Failed++
			row.Class = "failed"
		case Duplicate:
			h.Duplicates++
		default:
			h.Done++
			if urgency(r) < urgency(Result{State: Done}) {
				row.Class = "doubt"
			}
			switch r.Verdict {
			case string(tune.Over):
				h.Over++
			case string(tune.Under):
				h.Under++
			}
			row.Took = app.TimeText(r.Seconds.Load + r.Seconds.Filter + r.Seconds.Measure + r.Seconds.Write)
		}
		if r.Picture != nil {
			row.Image = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(r.Picture))
		}
		h.Rows = append(h.Rows, row)
	}
	var data bytes.Buffer
	if err := page.Execute(&data, h); err != nil {
		return err
	}
	return atomic.WriteFile(path, data.Bytes(), 0o666)
}

// pictureHeight is that of the pictures of a series in pixels.
const pictureHeight = 160

// picture returns a JPEG of the middle slice: before, after, and what was removed.
func picture(ctx context.Context, run *app.Run) ([]byte, error) {
	drawn, err := app.Draw(ctx, run)
	if err != nil {
		return nil, err
	}
	size := drawn.Before.Rect.Size()
	width := max(1, min(size.X*pictureHeight/size.Y, 3*pictureHeight))
	m := image.NewRGBA(image.Rect(0, 0, 3*width, pictureHeight))
	for i, part := range []*image.RGBA{drawn.Before, drawn.After, drawn.Residual} {
		draw.ApproxBiLinear.Scale(m, image.Rect(i*width, 0, (i+1)*width, pictureHeight), part, part.Rect, draw.Src, nil)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
