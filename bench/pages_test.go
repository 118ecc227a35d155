package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"quell/app/files"
	"quell/denoise"
	"quell/volume"
)

// A run of several papers has a page with the findings and one for each paper, that refer to
// each other and to nothing else; a run of one paper has one page.
func TestPages(t *testing.T) {
	r := sampleReport(t)
	name := func(paper string) string { return files.PaperPage("all.html", paper) }
	one, err := r.Pages("all.html", name)
	if err != nil || len(one) != 1 || !strings.Contains(string(one["all.html"]), "It is so. Holds: seen.") {
		t.Fatalf("one paper: %d pages, %v", len(one), err)
	}
	other := r.Experiments[0]
	other.Name, other.Paper, other.Claims = "test-other", klepaczko, []ClaimReport{{Text: "Another finding."}}
	r.Experiments = append(r.Experiments, other)
	pages, err := r.Pages("all.html", name)
	if err != nil || len(pages) != 3 {
		t.Fatalf("two papers: %d pages, %v", len(pages), err)
	}
	for file, texts := range map[string][]string{
		"all.html":           {`href="all-zheng.html#test-three"`, `href="all-klepaczko.html#test-other"`, "It is so.", "Another finding.", "Klepaczko 2013"},
		"all-zheng.html":     {`href="all.html"`, `id="test-three"`, "It is so. Holds: seen.", "data:image/png"},
		"all-klepaczko.html": {`href="all.html"`, `id="test-other"`, "Another finding. Not measured."},
	} {
		page := string(pages[file])
		for _, text := range texts {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q", file, text)
			}
		}
		if strings.Contains(page, "http") || !strings.Contains(page, "quell bench &lt;b&gt;") {
			t.Errorf("%s refers to other places, or lacks the command", file)
		}
	}
	if strings.Contains(string(pages["all.html"]), "<img") || strings.Contains(string(pages["all-zheng.html"]), "Another finding") {
		t.Error("a page has what belongs to another")
	}
}

// files.PageOutput counts a page for every paper.
func TestPapersHavePages(t *testing.T) {
	var keys []string
	for _, e := range Experiments() {
		if !slices.Contains(keys, e.Paper.Key) {
			keys = append(keys, e.Paper.Key)
		}
	}
	if !slices.Equal(keys, files.Papers) {
		t.Errorf("papers %v, pages %v", keys, files.Papers)
	}
}

func TestWorkOf(t *testing.T) {
	g := volume.NewGeometry([3]int{32, 32, 9}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		filter string
		dims   int
		set    string
		want   float64
	}{
		{"nlm", 3, "h=10 sigma=0 centre=max rician=false patch-radius=2 search-radius=4", 125 * 729}, {"nlm", 2, "h=10 sigma=0 centre=max rician=false patch-radius=3 search-radius=8", 49 * 289},
		{"nlm", 3, "h=10 sigma=0 centre=max rician=false preselect=true zero=0", 0}, {"bilateral", 3, "sigma-range=5 radius=2", 125}, {"median", 3, "radius=1", 0},
	} {
		r, err := Row{Filter: c.filter, Dims: c.dims}.recipe(c.set + " stabilise=0")
		if c.filter == "median" {
			r, err = Row{Filter: c.filter, Dims: c.dims}.recipe(c.set)
		}
		if err == nil {
			r, err = r.Resolve(g, denoise.Facts{Hi: 255})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := workOf(r, g); got != c.want {
			t.Errorf("%s %s: %g, want %g", c.filter, c.set, got, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	row := func(series string, seconds, work float64) RowReport {
		return RowReport{Series: series, Engine: "cuda", Status: Measured, Result: RowResult{Voxels: 1e6, Work: work, Figures: map[string]float64{Time: seconds}}}
	}
	r := Report{Engines: []EngineReport{{Name: "cpu", Cores: 4}, {Name: "cuda", Cores: 100, Clock: 1e9, Compute: [2]int{9, 0}}}}
	x := ExperimentReport{Rows: []RowReport{row("slow", 0.01, 1000), row("fast", 0.001, 1000), row("slow", 0.02, 1000), row("slow", 0.04, 1000), row("uncounted", 1, 0)}}
	// 1e9 in 0.02 s, 1e9 clocks a second and 100 multiprocessors are 0.5.
	got := r.load(x)
	for _, want := range []string{"fast 10.0; slow 0.500. ", "4 values a clock", "move 8.00 GB a second at most"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	r.Engines[1].Compute = [2]int{8, 0}
	if got := r.load(x); strings.Contains(got, "lanes") {
		t.Errorf("another device: %q", got)
	}
	for i := range 20 {
		x.Rows = append(x.Rows, row(fmt.Sprintf("s%d", i), 0.01, 1000))
	}
	if got := strings.Count(r.load(x), ";"); got != 11 {
		t.Errorf("%d series", got+1)
	}
	for name, empty := range map[string]Report{"no device": {}, "no clock": {Engines: []EngineReport{{Name: "cuda", Cores: 1}}}} {
		if got := empty.load(x); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.load(ExperimentReport{Rows: x.Rows[4:5]}); got != "" {
		t.Errorf("no counted row: %q", got)
	}
}

// The page of a run has a line for each experiment and for each finding, and no rows.
func TestDocument(t *testing.T) {
	r := sampleReport(t)
	page := r.Document("images")
	for _, text := range []string{documentTitle, r.Command, "test-three: It is so. **holds**: seen.", "Sources**: `" + Sources()} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if strings.Count(page, "test-three") != 1+len(r.Experiments[0].Claims) || strings.Contains(page, r.Experiments[0].Rows[0].Name) {
		t.Errorf("rows are in the page:\n%s", page)
	}
}
