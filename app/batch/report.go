package batch

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"quell/app/open"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/clean"
	"quell/io/atomic"
)

// columns are the columns of report.csv. Scripts rely on their names; new ones are added
// behind.
var columns = []struct {
	name  string
	value func(SeriesResult) string
}{
	{"input", func(r SeriesResult) string { return r.Unit }},
	{"series", func(r SeriesResult) string { return r.Series }},
	{"state", func(r SeriesResult) string { return string(r.State) }},
	{"output", func(r SeriesResult) string { return r.Output }},
	{"problem", func(r SeriesResult) string { return cmp.Or(r.Problem, r.SameAs) }},
	{"judgement", func(r SeriesResult) string { return r.Judgement }},
	{"sigma", sigmaText},
	{"sigma_confidence", func(r SeriesResult) string { return r.SigmaConfidence }},
	{"why", func(r SeriesResult) string { return r.Why }},
	{"warnings", func(r SeriesResult) string { return strings.Join(r.Warnings, " ") }},
	{"left_out", func(r SeriesResult) string {
		texts := make([]string, len(r.LeftOut))
		for i, l := range r.LeftOut {
			texts[i] = l.Text.String()
		}
		return strings.Join(texts, "; ")
	}},
	{"format", func(r SeriesResult) string { return r.Format }},
	{"modality", func(r SeriesResult) string { return r.Modality }},
	{"dims", func(r SeriesResult) string {
		if r.Dims == [3]int{} {
			return ""
		}
		if r.Volumes > 0 {
			return fmt.Sprintf("%s x %d", open.DimsText(r.Dims), r.Volumes)
		}
		return open.DimsText(r.Dims)
	}},
	{"engine", func(r SeriesResult) string { return r.Engine }},
	{"recipe", func(r SeriesResult) string {
		if r.Recipe == nil {
			return ""
		}
		return r.Recipe.String()
	}},
	{"load_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Load) }},
	{"wait_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Wait) }},
	{"estimate_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Estimate) }},
	{"filter_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Filter) }},
	{"measure_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Measure) }},
	{"write_s", func(r SeriesResult) string { return secondsText(r, r.Seconds.Write) }},
	{"files", func(r SeriesResult) string { return strconv.Itoa(r.Files) }},
	{"bytes", func(r SeriesResult) string { return strconv.FormatInt(r.Bytes, 10) }},
	{"finished", func(r SeriesResult) string { return r.Finished.UTC().Format(time.RFC3339) }},
	{"id", func(r SeriesResult) string { return r.ID }},
	{"noise_map", func(r SeriesResult) string { return r.NoiseMap }},
	{"outcome", func(r SeriesResult) string { return r.Outcome }},
	{"noise_removed", shareText(verdict.Figures.Noise)},
	{"contrast_kept", shareText(verdict.Figures.Contrast)},
	{"texture_kept", shareText(verdict.Figures.Texture)},
}

// shareText writes one of the figures by which a result is judged.
func shareText(of func(verdict.Figures) verdict.Share) func(SeriesResult) string {
	return func(r SeriesResult) string {
		if r.State != Done || r.Figures == nil || !of(*r.Figures).Known() {
			return ""
		}
		return strconv.FormatFloat(of(*r.Figures).Value, 'f', 3, 64)
	}
}

func sigmaText(r SeriesResult) string {
	if r.State != Done || r.SigmaConfidence == string(noise.None) {
		return ""
	}
	return strconv.FormatFloat(r.Sigma, 'g', 4, 64)
}

func secondsText(r SeriesResult, seconds float64) string {
	if r.State != Done {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', 3, 64)
}

// writeCSV writes a table of results in their order, which are read one by one.
func writeCSV(path string, all results) error {
	return atomic.WriteStream(path, 0o666, func(file io.Writer) error {
		w := clean.NewCSV(file)
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = c.name
		}
		w.Row(row...)
		for r := range all.each {
			for i, c := range columns {
				row[i] = c.value(r)
			}
			w.Row(row...)
		}
		return w.Flush()
	})
}
