package output

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// Every filter of the table is shown in its order, at the strength at which it removes most noise
// within the bounds; one that fails says why, and the best one removes most.
func TestGallery(t *testing.T) {
	s, truth := apptest.Grainy(t, 14), apptest.Grainy(t, 0)
	var ready []string
	q := judge.GalleryRequest{Series: s, Reference: truth, Ready: func(e judge.Exhibit) { ready = append(ready, e.Filter) }}
	g, err := judge.ShowGallery(t.Context(), apptest.Some{Engine: cpu.New()}, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Exhibits) != len(denoise.Filters()) || len(ready) != len(g.Exhibits) || g.Region != volume.Slices(s.Volume.Geometry, 3, 4) || len(g.Input.Data) != 80*96 {
		t.Fatalf("%d exhibits, %d ready, region %v", len(g.Exhibits), len(ready), g.Region)
	}
	for i, f := range denoise.Filters() {
		e := g.Exhibits[i]
		switch {
		case e.Filter != f.Name || e.Title != f.Title || ready[i] != f.Name:
			t.Errorf("exhibit %d is %s, %s", i, e.Filter, ready[i])
		case f.Name == "lpa":
			if !strings.Contains(e.Problem.String(), "no ground") || e.Part != nil {
				t.Errorf("lpa: %q", e.Problem)
			}
		case e.Problem.String() != "" || e.Part.Dims != [3]int{80, 96, 1} || !e.Recipe.Resolved() || e.Recipe.Dims != 3 && f.Dims[0] == 3:
			t.Errorf("%s: %q, %s", f.Name, e.Problem, e.Recipe)
		case e.Strength > 0 && !verdict.Usual.Within(e.Figures):
			t.Errorf("%s: strength %g leaves %+v", f.Name, e.Strength, e.Figures)
		case e.Truth == nil || e.Recipe.Get("strength").Float() != e.Strength || e.Frontier.Settings == nil:
			t.Errorf("%s: %+v", f.Name, e)
		}
	}
	for _, e := range g.Exhibits {
		if run.Competes(e.Asked, g.Noise.Noise) && e.Strength > 0 && e.NoiseRemoved > g.Exhibits[g.Best].NoiseRemoved {
			t.Errorf("%s removes more than %s", e.Filter, g.Exhibits[g.Best].Filter)
		}
	}
	checkSheet(t, g, s, truth)
}

// checkSheet looks at the picture of a gallery.
func checkSheet(t *testing.T, g judge.Gallery, s, truth *series.Series) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.png")
	if err := WriteGallery(g, path, s, truth, false); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// Cells of 3 x 80 pixels, in as many columns as rows or one more.
	n := len(g.Exhibits) + 2
	columns := int(math.Ceil(math.Sqrt(float64(n))))
	rows := (n + columns - 1) / columns
	if got, want := m.Bounds().Size(), (columns*(240+6)+6)*10000+rows*(3*96+42+6)+6; got.X*10000+got.Y != want {
		t.Errorf("a picture of %v pixels; want %d", got, want)
	}
	lines := g.Exhibits[g.Best].Labels(true)
	if !strings.Contains(lines[0], "(best)") || !strings.HasPrefix(lines[1], "strength ") || !strings.HasPrefix(lines[2], "PSNR ") {
		t.Errorf("labels %q", lines)
	}
	// The middle of the second cell is the reference's, in the window of the series.
	x, y := 40, 48
	lo, hi := pictureWindow(s, s.Volume).Ends()
	want := 255 * (float64(truth.Volume.At(x, y, 3)) - lo) / (hi - lo)
	if r, _, _, _ := m.At(6+246+3*x+1, 6+3*y+1).RGBA(); math.Abs(float64(r>>8)-min(max(want, 0), 255)) > 1 {
		t.Errorf("grey %d; want %.0f", r>>8, want)
	}
}
