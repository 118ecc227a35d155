package bench

import (
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
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
		When               string
		Summary, QuickNote string
	}
	htmlEngine     struct{ Sentence string }
	htmlExperiment struct {
		ExperimentReport
		Header   []string
		Lines    []htmlLine
		Findings []string
		Charts   []htmlImage
		Slices   []htmlSlices
	}
	htmlLine struct {
		Class string
		Cells []string
	}
	htmlSlices struct{ Images []htmlImage }
	htmlImage  struct {
		Title string
		Data  template.URL
	}
)

// WriteHTML writes one page with everything: tables, charts, pictures. It refers to
// no other file.
func (r Report) WriteHTML(w io.Writer) error {
	h := htmlReport{Report: r, When: r.Started.Format("2 January 2006, 15:04 MST"), Summary: summary, QuickNote: quickNote}
	for _, e := range r.Engines {
		h.Engines = append(h.Engines, htmlEngine{e.sentence()})
	}
	for _, x := range r.Experiments {
		cells := x.cells()
		e := htmlExperiment{ExperimentReport: x, Header: cells[0]}
		for i, row := range x.Rows {
			e.Lines = append(e.Lines, htmlLine{string(row.Status), cells[i+1]})
			var images []htmlImage
			for _, p := range row.Result.Pictures {
				images = append(images, embedded(row.Name+": "+p.Title, p.PNG))
			}
			if images != nil {
				e.Slices = append(e.Slices, htmlSlices{images})
			}
		}
		for _, c := range x.Claims {
			e.Findings = append(e.Findings, c.sentence())
		}
		for _, c := range x.charts {
			e.Charts = append(e.Charts, embedded(c.Title, c.PNG))
		}
		h.Experiments = append(h.Experiments, e)
	}
	return page.Execute(w, h)
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
