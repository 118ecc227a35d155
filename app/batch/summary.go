package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/denoise/verdict"
	"quell/internal/message"
)

// Summary is the outcome of a batch. The results of its series stay on disk: in memory each
// is a row.
type Summary struct {
	Progress
	Output  string  `json:"output"`
	CSV     string  `json:"csv"`
	HTML    string  `json:"html"`
	Seconds float64 `json:"seconds"`
	Pending []int   `json:"pending_shards,omitempty"` // counted from 1: the shards that are still to be done over these inputs

	// OfOthers counts outputs in place that another recipe or version of Quell made and this run
	// did not do again: outputs of other shards, or of inputs that are not taken any more.
	OfOthers int `json:"of_other_recipes,omitempty"`

	// Mapped counts the series of this run that were filtered by a noise map, which was estimated from them.
	Mapped int `json:"mapped,omitempty"`

	results results // of this run
}

// Results passes the results of this run, problems first, without pictures. They are read from the
// output one by one, so a later run may have changed them.
func (s Summary) Results() iter.Seq[SeriesResult] {
	return func(yield func(SeriesResult) bool) {
		for r := range s.results.each {
			r.Picture = nil
			if !yield(r) {
				return
			}
		}
	}
}

// WriteJSON writes the summary and its results, one by one.
func (s Summary) WriteJSON(w io.Writer) error {
	head, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s,\n  \"results\": [", bytes.TrimSuffix(head, []byte("\n}"))); err != nil {
		return err
	}
	between := "\n    "
	for r := range s.Results() {
		data, err := json.MarshalIndent(r, "    ", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", between, data); err != nil {
			return err
		}
		between = ",\n    "
	}
	end := "]\n}\n"
	if len(s.results.rows) > 0 {
		end = "\n  " + end
	}
	_, err = io.WriteString(w, end)
	return err
}

// Err returns the error of a batch in which series failed: an *job.InputError if every
// failure is a fault of an input. If none failed it is a *job.PartialError if images of a
// series were left out, and nil otherwise.
func (s Summary) Err() error {
	rows := s.results.rows
	failed := 0
	for _, r := range rows {
		if r.state == Failed {
			failed++
		}
	}
	if failed == 0 {
		return s.partial()
	}
	first := s.results.read(rows[0])
	text := fmt.Sprintf("%d of %d series failed; the first: %s: %s", failed, len(rows), first.Input(), first.Problem)
	if failed == 1 {
		text = fmt.Sprintf("1 of %d series failed: %s: %s", len(rows), first.Input(), first.Problem)
	}
	if exitCode(rows) == job.ExitInput {
		return &job.InputError{Problem: message.Verbatim(text)}
	}
	return errors.New(text)
}

// partial returns the error of a batch that is done and left out images of series.
func (s Summary) partial() error {
	n := 0
	var first row
	for _, r := range s.results.rows {
		if r.partial {
			if n++; n == 1 {
				first = r
			}
		}
	}
	if n == 0 {
		return nil
	}
	result := s.results.read(first)
	return &job.PartialError{Text: fmt.Sprintf("images of %d of %d series were left out; the first: %s: %s", n, len(s.results.rows), result.Input(), job.Partial(result.LeftOut))}
}

// exitCode returns the exit code of the worst result.
func exitCode(rows []row) int {
	code := job.ExitDone
	for _, r := range rows {
		switch {
		case r.state != Failed:
		case r.code == job.ExitInput || r.code == job.ExitUsage:
			if code == job.ExitDone {
				code = job.ExitInput
			}
		default:
			code = job.ExitFailed
		}
	}
	return code
}

// row is the part of a result in memory, which orders and counts it.
type row struct {
	id, unit, series string
	state            SeriesState
	reused, mapped   bool
	partial          bool // done, and images of the series were left out
	urgency, code    int
}

func rowOf(r SeriesResult) row {
	return row{r.ID, r.Unit, r.Series, r.State, r.Reused, r.State == Done && r.NoiseMap != "", r.State == Done && len(r.LeftOut) > 0, urgency(r), r.Code}
}

// results are results of a store in an order.
type results struct {
	store   store
	rows    []row
	unsaved map[string]SeriesResult // results that are not in the store
}

// read returns the result of a row. One that was removed meanwhile has only what the row says.
func (a results) read(x row) SeriesResult {
	r, known := a.unsaved[x.id]
	if !known {
		r = SeriesResult{ID: x.id, Unit: x.unit, Series: x.series, State: x.state, Code: x.code}
		if saved, ok := a.store.results().Load(x.id); ok {
			r = *saved
		}
	}
	r.Reused = x.reused
	return r
}

// each passes the results, read one by one.
func (a results) each(yield func(SeriesResult) bool) {
	for _, x := range a.rows {
		if !yield(a.read(x)) {
			return
		}
	}
}

// summarise writes the reports, over the results of all shards, and returns the results
// of this process.
func (b *batch) summarise(started time.Time) (Summary, error) {
	s := Summary{Output: b.o.Output, CSV: filepath.Join(b.o.Output, "report.csv"), HTML: filepath.Join(b.o.Output, "report.html")}
	b.progress.mu.Lock()
	s.Progress = b.progress.status
	s.results = results{store: b.store, unsaved: b.progress.unsaved}
	for _, x := range b.progress.rows {
		s.results.rows = append(s.results.rows, x)
		if x.mapped {
			s.Mapped++
		}
	}
	b.progress.mu.Unlock()
	sortRows(s.results.rows)
	s.Left, s.Seconds, s.Pending = 0, time.Since(started).Seconds(), b.pending()

	units := map[string]bool{}
	for _, u := range b.units {
		units[u.Name] = true
	}
	all := results{store: b.store, unsaved: s.results.unsaved}
	err := b.store.all(func(r SeriesResult) {
		// A failure that could not be saved stands over an older result.
		_, newer := all.unsaved[r.ID]
		if !newer && r.State == Done && r.Made != b.made && r.Made != "" && files.Exists(b.store.outputPath(r.Output)) {
			s.OfOthers++
		}
		if newer || r.Settings != b.settings || !units[r.Unit] {
			return
		}
		all.rows = append(all.rows, rowOf(r))
	})
	for _, r := range all.unsaved {
		all.rows = append(all.rows, rowOf(r))
	}
	sortRows(all.rows)
	return s, errors.Join(err, writeCSV(s.CSV, all), b.writeHTML(all, s.OfOthers))
}

// urgency orders results: failed, doubtful, well.
func urgency(r SeriesResult) int {
	switch {
	case r.State == Failed:
		return 0
	case r.Judgement == string(verdict.Fades) || len(r.Places) > 0:
		return 1
	case r.Judgement == string(verdict.Texture):
		return 2
	case r.Judgement == string(verdict.Unknown) || r.Judgement == string(verdict.Nothing) || len(r.Warnings) > 0:
		return 3
	case r.State == Done:
		return 4
	}
	return 5
}

func sortRows(all []row) {
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.urgency, b.urgency), cmp.Compare(a.unit, b.unit), cmp.Compare(a.series, b.series), cmp.Compare(a.id, b.id))
	})
}
