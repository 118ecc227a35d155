package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/report/chart"
)

// sampleReport is a run of three rows, the last on an engine that is missing.
func sampleReport(t *testing.T) Report {
	t.Helper()
	e := three()
	e[0].Rows[0].Pictures, e[0].Rows[0].Profile = true, true
	e[0].Rows[0].Paper = map[string]float64{Time: 2, PSNR: 30}
	e[0].Rows[1].X = 3
	e[0].Rows[2].Engine, e[0].Rows[2].Series = "cuda", "CUDA"
	e[0].Charts = []Chart{{File: "lines", Title: "Time", Figure: Time, Log: true, XLabel: "x"}, {File: "bars", Title: "PSNR", Kind: Bars, Figure: PSNR},
		{File: "profile", Title: "Row", Kind: Profiles}, {File: "empty", Title: "Nothing", Figure: Upload}}
	e[0].Claims = []Claim{
		{Text: "It is so.", Check: func(rows Rows) (bool, string, bool) {
			x, ok := rows.Figure("b", PSNR)
			return x > 0, "seen", ok
		}},
		{Text: "It is not so.", Check: func(Rows) (bool, string, bool) { return false, "not seen", true }},
		{Text: "It is unknown.", Check: func(rows Rows) (bool, string, bool) {
			_, ok := rows.Figure("c", PSNR)
			return true, "nothing", ok
		}},
	}
	report, err := run(context.Background(), e, newCounted().options(Options{Command: "quell bench <b>"}), Events{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRatios(t *testing.T) {
	r := RowReport{Status: Measured, Paper: map[string]float64{Time: 6, PSNR: 30, MSE: 10}, PaperVoxels: 300,
		Result: RowResult{Voxels: 100, Figures: map[string]float64{Time: 1, PSNR: 31.5, MSE: 5, SSIM: 1}}}
	got := r.ratios()
	for key, want := range map[string]float64{Time: 2, PSNR: 1.5, MSE: 0.5} {
		if math.Abs(got[key]-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", key, got[key], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("ratios %v", got)
	}
	x := ExperimentReport{Rows: []RowReport{{Name: "base", Status: Measured, Result: RowResult{Voxels: 200, Figures: map[string]float64{Time: 6}}}, r}}
	x.Rows[1].Base = "base"
	x.speedup(&x.Rows[1])
	if got := x.Rows[1].Result.Figures[Speedup]; math.Abs(got-3) > 1e-12 {
		t.Errorf("speedup %g, want 3", got)
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := sampleReport(t).WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"test-three: three rows (Zheng", "paper: time [s]", "no CUDA device: none was found", "It is so. Holds: seen.",
		"It is not so. Does not hold: not seen.", "It is unknown. Not measured.", "MR phantom, 12x12x4 voxels, gaussian noise of sigma 10", "Quick run"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, out.String())
		}
	}
}

func TestCSVAndJSON(t *testing.T) {
	report := sampleReport(t)
	var file bytes.Buffer
	if err := report.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// Time, speedup and PSNR of two rows, the paper's time of the third.
	if len(lines) != 1+3+3+1 || lines[1][5] != Time || lines[1][7] != "2" || lines[7][4] != string(Missing) || lines[7][8] != "" {
		t.Errorf("lines: %q", lines)
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	x := back.Experiments[0]
	if len(x.Rows) != 3 || x.Rows[0].Result.Figures[PSNR] != report.Experiments[0].Rows[0].Result.Figures[PSNR] || !x.Claims[0].Holds || x.Rows[2].Status != Missing {
		t.Errorf("read back: %+v", x)
	}
	if c := x.Claims[2]; c.Known || c.Holds || c.Detail != "" {
		t.Errorf("a claim without its rows: %+v", c)
	}
	if empty, err := json.Marshal(describe(three()[0])); err != nil || !bytes.Contains(empty, []byte(`"claims":[]`)) || !bytes.Contains(empty, []byte(`"inputs":[]`)) {
		t.Errorf("an experiment without claims: %s, %v", empty, err)
	}
	if bytes.Contains(data, []byte("iVBORw0")) {
		t.Error("the JSON holds pictures")
	}
}

func TestHTML(t *testing.T) {
	var out strings.Builder
	if err := sampleReport(t).WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, tag := range []string{"html", "body", "table", "tr", "td", "th", "figure", "h2"} {
		opened := strings.Count(page, "<"+tag+">") + strings.Count(page, "<"+tag+" ")
		if closed := strings.Count(page, "</"+tag+">"); opened != closed || opened == 0 {
			t.Errorf("%d <%s> and %d </%s>", opened, tag, closed, tag)
		}
	}
	// Four pictures of the first row, three charts; nothing outside the page.
	if n := strings.Count(page, `src="data:image/png;base64,`); n != 7 || strings.Count(page, "src=") != n || strings.Contains(page, "http") {
		t.Errorf("%d pictures of %d sources", n, strings.Count(page, "src="))
	}
	for _, want := range []string{"quell bench &lt;b&gt;", "It is so. Holds: seen.", `class="missing"`, "no CUDA device", "Quick run", `<td class="line">not measured</td>`, "a, CPU: removed (center 0, width ", "before (center "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPNGs(t *testing.T) {
	files := sampleReport(t).PNGs()
	for _, name := range []string{"lines.png", "bars.png", "profile.png", "test-three-a-CPU-truth.png", "test-three-a-CPU-before.png", "test-three-a-CPU-after.png", "test-three-a-CPU-removed.png"} {
		m, err := png.Decode(bytes.NewReader(files[name]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if slice := strings.HasPrefix(name, "test"); slice != (m.Bounds().Dx() == 12) {
			t.Errorf("%s is %v", name, m.Bounds())
		}
	}
	if len(files) != 7 {
		t.Errorf("%d files", len(files))
	}
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1234.6: "1235", 100: "100", 99.94: "99.9", 1.234: "1.23", 0.01234: "0.0123", -2.345: "-2.35"} {
		if got := significant(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// Pictures of one input stand together, the truth and the input once.
func TestSlicesOfThePage(t *testing.T) {
	row := func(name, input string, slices int) RowReport {
		r := RowReport{Name: name, Result: RowResult{Input: input, Slices: slices, Of: 4}}
		for _, title := range []string{truthPicture, beforePicture, afterPicture, removedPicture} {
			r.Result.Pictures = append(r.Result.Pictures, Picture{Title: title, Window: "w", PNG: []byte{1}})
		}
		return r
	}
	x := ExperimentReport{Rows: []RowReport{row("a", "one", 4), {Name: "none"}, row("b", "two", 4), row("c", "one", 4), row("d", "one", 2)}}
	var got []string
	for _, s := range x.slices() {
		titles := []string{s.Input + ":"}
		for _, m := range s.Pictures {
			titles = append(titles, m.Title)
		}
		got = append(got, strings.Join(titles, ";"))
	}
	want := []string{
		"one:;truth (w);before (w);a: after (w);a: removed (w);c: after (w);c: removed (w)", "two:;truth (w);before (w);b: after (w);b: removed (w)",
		"one, the middle of 2 of 4 slices:;truth (w);before (w);d: after (w);d: removed (w)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("slices\n%q, want\n%q", got, want)
	}
}

func TestDifference(t *testing.T) {
	d, rms := difference([]float32{3, 1, 5}, []float32{1, 3, 4})
	if !slices.Equal(d, []float32{2, -2, 1}) || math.Abs(rms-math.Sqrt(3)) > 1e-12 {
		t.Errorf("%v, %g", d, rms)
	}
}

// The lines of a chart: times as if all slices had been filtered, one line for equal
// figures of the paper, none for the paper alone.
func TestLines(t *testing.T) {
	row := func(name, series string, x, ms, paper float64) RowReport {
		r := RowReport{Name: name, Series: series, X: x, Result: RowResult{Slices: 2, Of: 4, Figures: map[string]float64{}}, Paper: map[string]float64{Time: paper / 1e3}}
		if ms > 0 {
			r.Result.Figures[Time] = ms / 1e3
		}
		return r
	}
	c := Chart{Figure: Time, Only: "in"}
	x := ExperimentReport{Unit: "ms", Rows: []RowReport{row("in a", "ours", 1, 3, 9), row("in b", "theirs", 1, 4, 9), row("out", "ours", 2, 1, 1), row("in c", "ours", 2, 0, 8), row("in d", "theirs", 2, 5, 8)}}
	curves := func() (got []string) {
		for _, shown := range c.curves(chart.Chart{}, x) {
			for _, k := range shown.Curves {
				got = append(got, fmt.Sprint(k.Name, k.Series, " ", k.Points))
			}
		}
		return got
	}
	if got, want := curves(), []string{"ours0 [{1 6}]", "theirs1 [{1 8} {2 10}]", "paper: theirs1 [{1 9} {2 8}]"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	x.Rows = x.Rows[3:4]
	if got := curves(); got != nil {
		t.Errorf("the paper alone: %v", got)
	}
	if marks := powersOfTwo(9); !slices.Equal(marks, []float64{1, 2, 4, 8}) {
		t.Errorf("powers of two up to 9: %v", marks)
	}
}

func TestHeatAndPoints(t *testing.T) {
	x := ExperimentReport{Unit: "ms"}
	for _, bx := range []float64{2, 8, 4} {
		for _, by := range []float64{16, 4} {
			if bx*by > 8 {
				x.Rows = append(x.Rows, RowReport{Name: "r = 1, a", Status: Measured, X: bx, Y: by, Result: RowResult{Figures: map[string]float64{Time: bx * by / 1e3}}})
			}
		}
	}
	for _, c := range []struct {
		chart Chart
		drawn bool
	}{
		{Chart{Kind: Heat, Figure: Time, Only: "r = 1,"}, true},
		{Chart{Kind: Heat, Figure: Time, Only: "r = 11,"}, false},
		{Chart{Kind: Heat, Figure: PSNR}, false},
		{Chart{Kind: Points, Figure: Time}, true},
		{Chart{Kind: Points, Figure: PSNR}, false},
		{Chart{Kind: Bars, Figure: PSNR}, false},
	} {
		data, err := c.chart.draw(x)
		if err != nil || (data != nil) != c.drawn {
			t.Errorf("%+v: %d bytes, %v", c.chart, len(data), err)
		}
		if data != nil {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
		}
	}
	column := ExperimentReport{Unit: "ms"} // cells along one axis alone are no heat map
	for _, by := range []float64{4, 16} {
		column.Rows = append(column.Rows, RowReport{Status: Measured, X: 8, Y: by, Result: RowResult{Figures: map[string]float64{Time: by}}})
	}
	if data, err := (Chart{Kind: Heat, Figure: Time}).draw(column); data != nil || err != nil {
		t.Errorf("a column: %d bytes, %v", len(data), err)
	}
	x.Rows[0].Result.Slices, x.Rows[0].Result.Of = 1, 3 // 32 ms of a third of the slices
	shown := (Chart{Figure: Time}).heat(chart.Chart{}, x)[0]
	value := func(column, row int) float64 {
		for _, one := range shown.Cells {
			if one.Column == column && one.Row == row {
				return one.Value
			}
		}
		return math.NaN()
	}
	if !strings.HasSuffix(shown.Title, "16.0 ms at 4x4") || math.Abs(value(0, 1)-math.Log(6)) > 1e-9 || !math.IsNaN(value(0, 0)) || len(shown.Cells) != 5 || !slices.Equal(shown.X.Names, []string{"2", "4", "8"}) || !slices.Equal(shown.Y.Names, []string{"4", "16"}) {
		t.Errorf("cells %+v", shown)
	}
}
