package bench

import (
	"fmt"
	"slices"
	"strings"
)

// documentTitle is the first line of the document of a run, by which app/files knows one.
const documentTitle = "# The papers' experiments"

// Document returns a Markdown page of the run, as docs/benchmarks/papers.md: the findings of each paper, and a line for
// each experiment. The rows are in the CSV files and in the HTML report. folder is the place of the charts, relative to
// the page.
func (r Report) Document(folder string) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("%s\n", documentTitle)
	line("One command measures and writes this page, and an HTML report with all figures. Rows are in [papers-cpu.csv](papers-cpu.csv) and [papers-gpu.csv](papers-gpu.csv).\n")
	line("    %s\n", r.Command)
	line("- **Date**: %s, %.0f s. **Program**: %s, %s, %s. **Sources**: `%s`.", r.Started.UTC().Format("2006-01-02 15:04 UTC"), r.Seconds, r.Version, r.Go, r.System, Sources())
	for _, e := range r.Engines {
		line("- %s.", e.sentence())
	}
	line("- %s", summary)
	for _, note := range r.notes() {
		line("- %s", note)
	}
	line("- A finding holds if it does in each of %d turns, in part if for some rows. Findings about times are not judged if turns differ by more than a factor of %.2f, in the median over rows.", turns, busyScatter)
	for i, x := range r.Experiments {
		if i == 0 || x.Paper.Authors != r.Experiments[i-1].Paper.Authors {
			line("\n## %s\n\n%s. Machine: %s.", x.Paper.Authors, x.Paper.Title, x.Paper.Machine)
			r.paper(x.Paper.Authors, line, folder)
		}
	}
	return s.String()
}

// paper writes the experiments and the findings of a paper. Findings of one text and verdict are one, without figures.
func (r Report) paper(authors string, line func(format string, args ...any), folder string) {
	type finding struct{ text, verdict, figures, experiments string }
	var found []finding
	line("\n| experiment | measured |\n|---|---|")
	for _, x := range r.Experiments {
		if x.Paper.Authors != authors {
			continue
		}
		name := x.Name
		for i, c := range x.charts {
			text := fmt.Sprintf("[%s](%s/%s.png)", name, folder, c.File)
			if i > 0 {
				text = fmt.Sprintf("%s [%d](%s/%s.png)", name, i+1, folder, c.File)
			}
			name = text
		}
		line("| %s | %s |", name, cell(x.Title))
		for _, c := range x.Claims {
			f := finding{text: c.Text, verdict: c.Verdict(), figures: strings.ReplaceAll(strings.TrimSuffix(c.Detail+"; "+c.Why, "; "), "; ", ". "), experiments: x.Name}
			at := slices.IndexFunc(found, func(o finding) bool { return o.text == f.text && o.verdict == f.verdict })
			if at < 0 {
				found = append(found, f)
				continue
			}
			found[at].experiments, found[at].figures = found[at].experiments+", "+x.Name, ""
		}
	}
	line("")
	for _, f := range found {
		if f.figures != "" {
			f.figures = ": " + f.figures
		}
		line("- %s: %s **%s**%s.", f.experiments, f.text, f.verdict, f.figures)
	}
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
