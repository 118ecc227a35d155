package bench

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"quell/report"
)

// htmlPage is a page of the report.
type htmlPage struct {
	Report
	Title string
	Index string      // the name of the page with all papers, of a page of one paper
	Pages []paperPage // of the page with all papers: one for each
}

// paperPage is a page of one paper.
type paperPage struct {
	Paper Paper
	File  string
	Report
}

func (h htmlPage) write(w io.Writer) error {
	return report.Write(w, "benchmarks", "quell bench", h.body)
}

func (h htmlPage) body(p *report.Page) {
	p.Add("<h1>%s</h1>\n", h.Title)
	if h.Index != "" {
		p.Add("<p><a href=\"%s\">All papers</a></p>\n", h.Index)
	}
	p.Add("<table>\n<tr><th>Command</th><td><code>%s</code></td></tr>\n<tr><th>Quell</th><td>%s, %s, %s</td></tr>\n", h.Command, h.Version, h.System, h.Go)
	for _, e := range h.Engines {
		p.Add("<tr><th>Engine</th><td>%s</td></tr>\n", e.sentence())
	}
	took := time.Duration(h.Seconds * float64(time.Second)).Round(time.Second)
	p.Add("<tr><th>Measured</th><td>%s, in %s</td></tr>\n</table>\n<p>%s</p>\n", h.Started.Format("2 January 2006, 15:04 MST"), took, summary)
	if h.timesTransfers() {
		p.Add("<p>%s</p>\n", transferNote)
	}
	for _, note := range h.notes() {
		p.Add("<p><b>%s</b></p>\n", note)
	}
	for _, of := range h.Pages {
		p.Add("<h2 id=\"%s\"><a href=\"%s\">%s</a></h2>\n<p><i>%s</i>. The paper's machine: %s.</p>\n", of.Paper.Key, of.File, of.Paper.Authors, of.Paper.Title, of.Paper.Machine)
		findings(p, of.File, of.Experiments)
	}
	if len(h.Pages) > 0 {
		return
	}
	p.Add("<h2 id=\"findings\">Findings</h2>\n")
	findings(p, "", h.Experiments)
	for _, x := range h.Experiments {
		h.experiment(p, x)
	}
}

// findings writes a table of the findings of experiments that are in a file.
func findings(p *report.Page, file string, of []ExperimentReport) {
	p.Add("<table>\n<tr><th>Experiment</th><th>Finding</th><th>Here</th><th>Measured</th></tr>\n")
	for _, x := range of {
		link := func() { p.Add(`<tr><td class="line"><a href="%s#%s">%[2]s</a></td>`, file, x.Name) }
		for _, c := range x.Claims {
			link()
			p.Add("<td>%s</td><td class=\"line\">%s</td><td>%s</td></tr>\n", c.Text, c.Verdict(), c.Detail)
		}
		if len(x.Claims) == 0 {
			link()
			p.Add("<td class=\"note\">Figures beside the paper’s; no finding.</td><td></td><td></td></tr>\n")
		}
	}
	p.Add("</table>\n")
}

// experiment writes the setup, the findings, charts, rows and pictures of an experiment.
func (h htmlPage) experiment(p *report.Page, x ExperimentReport) {
	p.Add("\n<h2 id=\"%s\">%[1]s: %s</h2>\n<p>%s, <i>%s</i>: %s. The paper's machine: %s.</p>\n<p class=\"note\">%s</p>\n",
		x.Name, x.Title, x.Paper.Authors, x.Paper.Title, x.Source, x.Paper.Machine, x.Setup)
	for _, input := range x.Inputs {
		p.Add("<p>Input: %s.</p>\n", input)
	}
	for _, c := range x.Claims {
		p.Add("<p>%s</p>\n", c.Sentence())
	}
	if text := h.load(x); text != "" {
		p.Add("<p>%s</p>\n", text)
	}
	for _, c := range x.charts {
		p.Add("<figure><img class=\"chart\" src=\"%s\" alt=\"%s\"><figcaption>%[2]s</figcaption></figure>\n", report.Picture(c.PNG), c.Title)
	}
	open := ""
	if len(x.Rows) <= 40 {
		open = " open"
	}
	cells := x.cells()
	p.Add("<details%s><summary>%d rows</summary>\n<table class=\"figures\">\n", open, len(x.Rows))
	p.Row("", "th", cells[0])
	for i, row := range cells[1:] {
		p.Row(string(x.Rows[i].Status), "td", row)
	}
	p.Add("</table>\n</details>\n")
	for _, s := range x.slices() {
		p.Add("<p class=\"note\">Pictures: the middle slice of %s.</p>\n<div class=\"pictures\">", s.Input)
		for _, m := range s.Pictures {
			p.Add(`<figure class="pixels"><img src="%s" alt="%s"><figcaption>%[2]s</figcaption></figure>`, report.Picture(m.PNG), m.Title)
		}
		p.Add("</div>\n")
	}
}

// WriteHTML writes one page with everything: tables, charts, pictures. It refers to
// no other file.
func (r Report) WriteHTML(w io.Writer) error {
	return htmlPage{Report: r, Title: "The papers' experiments on this machine"}.write(w)
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
		err := p.write(&text)
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
