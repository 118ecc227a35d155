package bench

import (
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
)

//go:embed report.gohtml
var reportPage string

var page = template.Must(template.New("report").Parse(reportPage))

// The data of the page's template.
type (
	htmlReport struct {
		Report
		Engines            []htmlEngine
		Experiments        []htmlExperiment
		When, Took         string
		Summary, QuickNote string
	}
	htmlEngine     struct{ Sentence string }
	htmlExperiment struct {
		ExperimentReport
		Header []string
		Lines  []htmlLine
		Long   bool // it has so many lines that the page begins with them folded
		Charts []htmlImage
		Slices []htmlSlices
	}
	htmlLine struct {
		Class string
		Cells []string
	}
	// htmlSlices are the pictures of the rows that filtered one input.
	htmlSlices struct {
		Input  string
		Images []htmlImage
	}
	htmlImage struct {
		Title string
		Data  template.URL
	}
)

// longTable is the most lines of a table that is not folded.
const longTable = 40

// WriteHTML writes one page with everything: tables, charts, pictures. It refers to
// no other file.
func (r Report) WriteHTML(w io.Writer) error {
	h := htmlReport{Report: r, When: r.Started.Format("2 January 2006, 15:04 MST"), Took: time.Duration(r.Seconds * float64(time.Second)).Round(time.Second).String(),
		Summary: summary, QuickNote: quickNote}
	for _, e := range r.Engines {
		h.Engines = append(h.Engines, htmlEngine{e.sentence()})
	}
	for _, x := range r.Experiments {
		cells := x.cells()
		e := htmlExperiment{ExperimentReport: x, Header: cells[0], Long: len(x.Rows) > longTable, Slices: x.slices()}
		for i, row := range x.Rows {
			e.Lines = append(e.Lines, htmlLine{string(row.Status), cells[i+1]})
		}
		for _, c := range x.charts {
			e.Charts = append(e.Charts, embedded(c.Title, c.PNG))
		}
		h.Experiments = append(h.Experiments, e)
	}
	return page.Execute(w, h)
}

// slices collects the pictures of each input: the truth and the input once, then what
// each row made of it and what it removed.
func (x ExperimentReport) slices() []htmlSlices {
	var all []htmlSlices
	for _, row := range x.Rows {
		if len(row.Result.Pictures) == 0 {
			continue
		}
		// Quick runs may filter other slices of one input.
		input := row.Result.Input
		if part := row.Result.part(); part != "" {
			input += ", the middle of " + part
		}
		i := slices.IndexFunc(all, func(s htmlSlices) bool { return s.Input == input })
		known := i >= 0
		if !known {
			all, i = append(all, htmlSlices{Input: input}), len(all)
		}
		for _, p := range row.Result.Pictures {
			title := p.Title
			if title == truthPicture || title == beforePicture {
				if known {
					continue
				}
			} else {
				title = row.Name + ": " + title
			}
			if p.Window != "" {
				title += " (" + p.Window + ")"
			}
			all[i].Images = append(all[i].Images, embedded(title, p.PNG))
		}
	}
	return all
}

func embedded(title string, data []byte) htmlImage {
	return htmlImage{title, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))}
}

// PNGs returns the charts and pictures by file name.
func (r Report) PNGs() map[string][]byte {
	files := map[string][]byte{}
	for _, x := range r.Experiments {
		for _, c := range x.charts {
			files[c.File+".png"] = c.PNG
		}
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
