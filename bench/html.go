package bench

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"quell/report"
)

//go:embed report.gohtml
var pageText string

var page = report.New("benchmarks", pageText, map[string]any{
	"cells":    ExperimentReport.cells,
	"charts":   func(x ExperimentReport) []chartPicture { return x.charts },
	"slices":   ExperimentReport.slices,
	"sentence": EngineReport.sentence,
	"took": func(r Report) string {
		return time.Duration(r.Seconds * float64(time.Second)).Round(time.Second).String()
	},
	"started": func(r Report) string { return r.Started.Format("2 January 2006, 15:04 MST") },
	"verdict": ClaimReport.Verdict,
	"says":    ClaimReport.Sentence,
	"summary": func() string { return summary },
	"quick":   func() string { return quickNote },
})

// WriteHTML writes one page with everything: tables, charts, pictures. It refers to
// no other file.
func (r Report) WriteHTML(w io.Writer) error { return page.Write(w, r) }

// inputPictures are the pictures of the rows that filtered one input.
type inputPictures struct {
	Input    string
	Pictures []Picture
}

// slices collects the pictures of each input: the truth and the input once, then what
// each row made of it and what it removed.
func (x ExperimentReport) slices() []inputPictures {
	var all []inputPictures
	for _, row := range x.Rows {
		if len(row.Result.Pictures) == 0 {
			continue
		}
		// Quick runs may filter other slices of one input.
		input := row.Result.Input
		if part := row.Result.part(); part != "" {
			input += ", the middle of " + part
		}
		i := slices.IndexFunc(all, func(s inputPictures) bool { return s.Input == input })
		known := i >= 0
		if !known {
			all, i = append(all, inputPictures{Input: input}), len(all)
		}
		for _, p := range row.Result.Pictures {
			if p.Title != truthPicture && p.Title != beforePicture {
				p.Title = row.Name + ": " + p.Title
			} else if known {
				continue
			}
			if p.Window != "" {
				p.Title += " (" + p.Window + ")"
			}
			all[i].Pictures = append(all[i].Pictures, p)
		}
	}
	return all
}

// PNGs returns the charts and pictures by file name.
func (r Report) PNGs() map[string][]byte {
	files := r.Charts()
	for _, x := range r.Experiments {
		for _, row := range x.Rows {
			for _, p := range row.Result.Pictures {
				files[fileName(x.Name+" "+row.Name+" "+p.Title)+".png"] = p.PNG
			}
		}
	}
	return files
}

// fileName makes a name of letters, digits, dots and dashes.
func fileName(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}
