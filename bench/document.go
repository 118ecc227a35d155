package bench

import (
	"fmt"
	"slices"
	"strings"
)

// documentTitle is the first line of the document of a run, by which app/files knows one.
const documentTitle = "# The papers' experiments"

// mostRows is the number of rows up to which the document has all of an experiment.
const mostRows = 70

// Document returns a Markdown page of the run, as docs/benchmarks/papers.md: what it
// found of each paper, and the tables. Every sentence is of the program or of the figures.
// folder is the place of the charts, relative to the page.
func (r Report) Document(folder string) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("%s\n", documentTitle)
	line("Written by one run of the program: every table and sentence below follows from its figures. Times of a GPU are those of the kernels, by events.")
	line("The figures are in [papers-cpu.csv](papers-cpu.csv) and [papers-gpu.csv](papers-gpu.csv).\n")
	line("    %s\n", r.Command)
	line("- **Date**: %s, %.0f s. **Program**: %s, %s, %s. **Sources**: `%s`.", r.Started.UTC().Format("2006-01-02 15:04 UTC"), r.Seconds, r.Version, r.Go, r.System, Sources())
	for _, e := range r.Engines {
		line("- %s.", e.sentence())
	}
	line("- %s", summary)
	if r.timesTransfers() {
		line("- %s", transferNote)
	}
	if r.Quick {
		line("- %s", quickNote)
	}
	line("- Rows of an experiment with findings take %d turns, one after another. A finding holds, or does not, if it does so in every turn; "+
		"it holds in part if it does for some of the rows that it is about. If the longest turn of a row takes more than %.2f times the shortest, in the median over rows, findings about times are not judged.", turnsOf(r.Quick), busyScatter)
	line("\n## What was found\n")
	line("| paper | finding | verdict | figures |\n| --- | --- | --- | --- |")
	for _, x := range r.Experiments {
		for _, c := range x.Claims {
			verdict := c.Verdict()
			if verdict == "holds" {
				verdict = "**holds**"
			}
			detail := c.Detail
			if c.Why != "" {
				detail += "; " + c.Why
			}
			line("| %s | %s | %s | %s |", strings.Split(x.Paper.Authors, ",")[0], cell(c.Text), verdict, cell(detail))
		}
	}
	paper := ""
	for _, x := range r.Experiments {
		if x.Paper.Authors != paper {
			paper = x.Paper.Authors
			line("\n## %s\n\n%s. Its figures are of a %s.", paper, x.Paper.Title, x.Paper.Machine)
		}
		x.document(line, folder)
	}
	return s.String()
}

// document writes the part of an experiment.
func (x ExperimentReport) document(line func(format string, args ...any), folder string) {
	line("\n### %s: %s\n\n%s. %s", x.Name, x.Title, capital(x.Source), x.Setup)
	for _, in := range x.Inputs {
		line("Input: %s.", in)
	}
	line("")
	shown := x
	if len(x.Rows) > mostRows {
		shown.Rows = x.extremes(mostRows / 4)
		line("Of %d rows these are the %d fastest and the %d slowest; all are in the CSV.\n", len(x.Rows), mostRows/4, mostRows/4)
	}
	for i, cells := range shown.cells() {
		for j := range cells {
			cells[j] = cell(cells[j])
		}
		line("| %s |", strings.Join(cells, " | "))
		if i == 0 {
			line("| --- |%s", strings.Repeat(" ---: |", len(cells)-1))
		}
	}
	for _, c := range x.charts {
		line("\n![%s](%s/%s.png)", c.Title, folder, c.File)
	}
}

// extremes returns the n fastest and the n slowest rows.
func (x ExperimentReport) extremes(n int) []RowReport {
	rows := slices.DeleteFunc(slices.Clone(x.Rows), func(r RowReport) bool { return !has(r.Result.Figures, Time) })
	slices.SortStableFunc(rows, func(a, b RowReport) int {
		if a.Result.Figures[Time] < b.Result.Figures[Time] {
			return -1
		}
		return 1
	})
	if len(rows) <= 2*n {
		return rows
	}
	return slices.Concat(rows[:n], rows[len(rows)-n:])
}

// cell returns a text that ends no cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "/") }

// Charts returns the charts by file name, without pictures.
func (r Report) Charts() map[string][]byte {
	files := map[string][]byte{}
	for _, x := range r.Experiments {
		for _, c := range x.charts {
			files[c.File+".png"] = c.PNG
		}
	}
	return files
}

// OfEngine returns the report with the rows of one engine.
func (r Report) OfEngine(name string) Report {
	r.Experiments = slices.Clone(r.Experiments)
	for i := range r.Experiments {
		x := &r.Experiments[i]
		x.Rows = slices.DeleteFunc(slices.Clone(x.Rows), func(row RowReport) bool { return row.Engine != name })
	}
	r.Experiments = slices.DeleteFunc(r.Experiments, func(x ExperimentReport) bool { return len(x.Rows) == 0 })
	return r
}

// Documents returns the files of a documented run by name, for docs/benchmarks.
func (r Report) Documents() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, data := range r.Charts() {
		files["images/"+name] = data
	}
	for name, engine := range map[string]string{"papers-cpu.csv": "cpu", "papers-gpu.csv": "cuda"} {
		var table strings.Builder
		if err := r.OfEngine(engine).WriteCSV(&table); err != nil {
			return nil, err
		}
		files[name] = []byte(table.String())
	}
	files["papers.md"] = []byte(r.Document("images"))
	return files, nil
}
