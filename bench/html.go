package bench

import (
	"bytes"
	_ "embed"
	"errors"
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
	"started":   func(r Report) string { return r.Started.Format("2 January 2006, 15:04 MST") },
	"verdict":   ClaimReport.Verdict,
	"says":      ClaimReport.Sentence,
	"summary":   func() string { return summary },
	"load":      func(p htmlPage, x ExperimentReport) string { return p.load(x) },
	"timed":     func(p htmlPage) bool { return p.timesTransfers() },
	"transfers": func() string { return transferNote },
	"quick":     func() string { return quickNote },
})

// htmlPage is a page of the report.
type htmlPage struct {
	Report
	Title string
	Index string      // the name of the page with all papers, of a page of one paper
	Pages []paperPage // of the page with all papers: those of each
}

// paperPage is a page of one paper.
type paperPage struct {
	Paper Paper
	File  string
	Report
}

// WriteHTML writes one page with everything: tables, charts, pictures. It refers to
// no other file.
func (r Report) WriteHTML(w io.Writer) error {
	return page.Write(w, htmlPage{Report: r, Title: "The papers' experiments on this machine"})
}

// Pages returns the pages of the report by name: of experiments of one paper the page
// called index alone, else index, which has the findings, and a page for each paper, called
// name(Paper.Key). A page refers to the others and to no other file.
func (r Report) Pages(index string, name func(paper string) string) (map[string][]byte, error) {
	var papers []paperPage
	for _, x := range r.Experiments {
		i := slices.IndexFunc(papers, func(p paperPage) bool { return p.Paper == x.Paper })
		if i < 0 {
			i = len(papers)
			p := paperPage{Paper: x.Paper, File: name(x.Paper.Key), Report: r}
			p.Experiments = nil
			papers = append(papers, p)
		}
		papers[i].Experiments = append(papers[i].Experiments, x)
	}
	pages := map[string][]byte{}
	write := func(file string, p htmlPage) error {
		var text bytes.Buffer
		err := page.Write(&text, p)
		pages[file] = text.Bytes()
		return err
	}
	if len(papers) < 2 {
		var text bytes.Buffer
		err := r.WriteHTML(&text)
		return map[string][]byte{index: text.Bytes()}, err
	}
	err := write(index, htmlPage{Report: r, Title: "The papers' experiments on this machine", Pages: papers})
	for _, p := range papers {
		err = errors.Join(err, write(p.File, htmlPage{Report: p.Report, Title: p.Paper.Authors, Index: index}))
	}
	return pages, err
}

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
