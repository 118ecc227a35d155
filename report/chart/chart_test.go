package chart

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot"
)

// dark is a style with a dark ground, as the workbench has one.
var dark = Look{Ground: color.Gray{0x1b}, Ink: color.Gray{0xc0}, Grid: color.Gray{0x34}, Size: 9}

var slope = Curve{Name: "slope", Points: []Point{{0, 1}, {1, 2}, {2, 4}}, Color: color.RGBA{R: 200, A: 255}, Width: 1, Mark: 2}

// TestPicturesHaveExactlyTheSizeAskedFor at every resolution; several stand side by side, and a
// legend next to them makes the picture wider.
func TestPicturesHaveExactlyTheSizeAskedFor(t *testing.T) {
	silent := slope
	silent.Name = ""
	for _, c := range []struct {
		look     Look
		curve    Curve
		dpi      int
		charts   int
		wide     bool
		charted  int
		from, to float64
	}{{dark, slope, 96, 1, false, 401, 20, 401}, {dark, slope, 192, 1, false, 401, 30, 401}, {Light, silent, 110, 3, false, 3 * 401, 20, 401}, {Light, slope, 110, 1, true, 401, 20, 401}} {
		m, left, right, err := Draw(c.look, 401, 203, c.dpi, slices.Repeat([]Chart{{Title: "t", Curves: []Curve{c.curve}}}, c.charts)...)
		if err != nil {
			t.Fatal(err)
		}
		if size := m.Rect.Size(); size.Y != 203 || (size.X > c.charted) != c.wide || size.X < c.charted {
			t.Errorf("%d charts at %d pixels an inch: %v", c.charts, c.dpi, size)
		}
		if left < c.from || right > c.to || right < c.to-60 {
			t.Errorf("the axis lies at %g to %g", left, right)
		}
	}
}

// coloured counts the pixels of a colour.
func coloured(t *testing.T, look Look, c Chart, want color.Color) (n int) {
	t.Helper()
	m, _, _, err := Draw(look, 401, 203, 96, c)
	if err != nil {
		t.Fatal(err)
	}
	wanted := color.RGBAModel.Convert(want)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if m.At(x, y) == wanted {
				n++
			}
		}
	}
	return n
}

// A legend beside charts is there wherever a legend inside would be, belongs to no chart, and is that of the last chart with names.
func TestALegendBesideTheCharts(t *testing.T) {
	silent := slope
	silent.Name = ""
	beside := dark
	beside.Beside = true
	draw := func(charts ...Chart) *image.RGBA {
		t.Helper()
		m, _, _, err := Draw(beside, 300, 200, 96, charts...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	inked := func(m *image.RGBA, part image.Rectangle) (n int) {
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				if m.RGBAAt(x, y) != m.RGBAAt(0, 0) {
					n++
				}
			}
		}
		return n
	}
	for _, low := range []bool{false, true} {
		m := draw(Chart{Curves: []Curve{slope}, Low: low})
		if n := inked(m, image.Rect(300, 0, m.Rect.Max.X, 100)); n < 50 {
			t.Errorf("low %v: %d pixels of a legend", low, n)
		}
	}
	named, bare := draw(Chart{Curves: []Curve{slope}}, Chart{Curves: []Curve{slope}}), draw(Chart{Curves: []Curve{silent}}, Chart{Curves: []Curve{slope}})
	for y := range 200 {
		for x := range 600 {
			if named.RGBAAt(x, y) != bare.RGBAAt(x, y) {
				t.Fatalf("the legend of the first chart is drawn on the second, at (%d, %d)", x, y)
			}
		}
	}
	first := draw(Chart{Curves: []Curve{slope}}, Chart{Curves: []Curve{silent}})
	if n := inked(first, image.Rect(600, 0, first.Rect.Max.X, 100)); n < 50 {
		t.Errorf("%d pixels of the legend of the first chart, which alone has names", n)
	}
}

func TestEverythingIsDrawn(t *testing.T) {
	red := color.RGBA{R: 200, A: 255}
	silent, marks, dashed, filled := slope, slope, slope, slope
	silent.Name, marks.Width, dashed.Dashed, filled.Fill = "", 0, true, red
	count := func(k Curve) int { return coloured(t, dark, Chart{Curves: []Curve{k}}, red) }
	if full := count(slope); count(silent) >= full || count(marks) >= full || count(dashed) >= full || count(filled) < 4*full || count(marks) == 0 {
		t.Errorf("%d pixels of a curve; %d without a name, %d of its marks, %d dashed, %d filled", full, count(silent), count(marks), count(dashed), count(filled))
	}
	one := slope
	if one.Points = one.Points[:1]; count(one) == 0 {
		t.Error("a single point has no mark")
	}
	if one.Mark = 0; count(one) != 0 {
		t.Error("a line of a single point")
	}
	for _, look := range []Look{dark, Light} {
		if coloured(t, look, Chart{Curves: []Curve{slope}}, look.Ground) < 401*203/3 || coloured(t, look, Chart{}, look.Ink) == 0 {
			t.Error("no ground, or no axes")
		}
	}
	cells := Chart{X: Axis{Names: []string{"a", "b"}}, Y: Axis{Names: []string{"c", "d"}}, Cells: []Cell{{0, 0, 1, "1"}, {1, 1, 2, "2"}, {0, 1, 1.5, "1.5"}}}
	if n := coloured(t, Light, cells, color.White); n < 401*203/5 || n > 401*203*3/5 {
		t.Errorf("%d pixels are white although a cell of four is empty", n)
	}
	bars := Chart{X: Axis{Names: []string{"a", "b"}}, Bars: []Bars{{"here", []float64{1, 2}}, {"paper", []float64{2, 1}}}}
	if n := coloured(t, Light, bars, color.White); n == coloured(t, Light, Chart{X: bars.X}, color.White) {
		t.Error("no bars")
	}
}

func TestWhatCannotBeDrawnIsAnError(t *testing.T) {
	for _, c := range []Chart{
		{Curves: []Curve{{Points: []Point{{0, math.NaN()}, {1, 1}}, Width: 1}}},
		{Curves: []Curve{{Points: []Point{{0, math.Inf(1)}}, Mark: 1}}},
		{Bars: []Bars{{"none", nil}}},
		{Cells: []Cell{{Column: 3}}},
		{Y: Axis{Log: true, Min: -1, Max: 1}, Curves: []Curve{slope}},
	} {
		if m, _, _, err := Draw(dark, 401, 203, 96, c); m != nil || err == nil {
			t.Errorf("%+v is drawn", c)
		}
	}
}

// Values have some room, values of heights begin with 0, and a given range stays.
func TestRangeOfAnAxis(t *testing.T) {
	for _, c := range []struct {
		axis    Axis
		upright bool
		lo, hi  float64
	}{
		{Axis{}, true, 58, 102}, {Axis{Room: 3}, true, 57, 103}, {Axis{Room: 1}, true, 58, 102}, {Axis{Zero: true}, true, 0, 108}, {Axis{Log: true, Zero: true}, true, 40, 150},
		{Axis{Names: []string{"a"}}, true, 60, 100}, {Axis{}, false, 60, 100}, {Axis{Min: 1, Max: 2, Zero: true}, true, 1, 2}, {Axis{Min: 1, Max: 2}, false, 1, 2}, {Axis{Min: 2, Max: 2}, false, 60, 100},
	} {
		var to plot.Axis
		to.Min, to.Max = 60, 100
		if c.axis.limit(&to, c.upright); math.Abs(to.Min-c.lo) > 1e-9 || math.Abs(to.Max-c.hi) > 1e-9 {
			t.Errorf("%+v: %g to %g, want %g to %g", c.axis, to.Min, to.Max, c.lo, c.hi)
		}
	}
}

func TestMarksAreRound(t *testing.T) {
	for _, r := range [][2]float64{{0, 3712}, {-1020, 1030}, {0, 0.013}, {-3, 4}, {7, 7}} {
		marks := ticks(round(r[0], r[1]), dark.number)
		if r[0] < r[1] && (len(marks) < 3 || len(marks) > 9) {
			t.Errorf("%v has %d marks", r, len(marks))
		}
		for _, m := range marks {
			if m.Value < r[0] || m.Value > r[1] || utf8.RuneCountInString(m.Label) > 6 {
				t.Errorf("%v has a mark at %g, %q", r, m.Value, m.Label)
			}
		}
	}
	comma := Look{Number: func(s string) string { return strings.ReplaceAll(s, ".", ",") }}
	var got []string
	for _, m := range ticks(round(-0.3, 0.5), comma.number) {
		got = append(got, m.Label)
	}
	if want := []string{"−0,2", "0", "0,2", "0,4"}; !slices.Equal(got, want) {
		t.Errorf("labels %q", got)
	}
}

func TestLogMarks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{{60, 300, "100 200"}, {0.15, 1.2, "0.2 0.5 1"}, {2, 1999, "2 5 10 20 50 100 200 500 1000"}, {0.9, 900, "1 10 100"}, {0.2, 5, "0.2 0.5 1 2 5"}, {0.5, 2500, "1 10 100 1000"}, {5.5, 7, ""}} {
		var labels []string
		for _, mark := range logTicks(c.lo, c.hi, dark.number) {
			if mark.Value < c.lo*(1-1e-9) || mark.Value > c.hi*(1+1e-9) {
				t.Errorf("%g to %g: a mark at %g", c.lo, c.hi, mark.Value)
			}
			if mark.Label != "" {
				labels = append(labels, mark.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%g to %g: labels %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// Names that do not fit side by side are slanted.
func TestCrowdedNames(t *testing.T) {
	for n, want := range map[int]bool{0: false, 6: false, 7: true} { // of 10 letters and 2 spaces
		if got := (Axis{Names: slices.Repeat([]string{"abcdefghij"}, n)}).crowded(); got != want {
			t.Errorf("%d names: %v", n, got)
		}
	}
}
