package session_test

import (
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/app/workbench"
	"quell/measure"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

var reach = [2]float64{0.3, 0.3}

// draw drags from one point of the picture to others with a tool.
func (b *bench) draw(t marks.Tool, points ...[2]float64) workbench.Mark {
	b.Marks.SetTool(t)
	b.Marks.PressMark(points[0], reach)
	for _, p := range points[1:] {
		b.Marks.DragMark(p)
	}
	b.Marks.ReleaseMark()
	m, _ := b.Marks.Selected()
	return m
}

func equalPoints(a, b [][2]float64) bool {
	return slices.EqualFunc(a, b, func(p, q [2]float64) bool { return math.Hypot(p[0]-q[0], p[1]-q[1]) < 1e-9 })
}

func TestDrawingMarks(t *testing.T) {
	b := newBench(t)
	b.settle()
	here := b.State().Cut().Index()
	box := b.draw(marks.RectangleTool, [2]float64{2, 3}, [2]float64{5, 6}, [2]float64{6, 8})
	if box.ID != 1 || box.Shape != measure.Box || !equalPoints(box.Points, [][2]float64{{2, 3}, {6, 8}}) || box.Index != here || box.Plane != volume.Axial {
		t.Errorf("%+v", box)
	}
	if b.Marks.Tool() != marks.NoTool {
		t.Error("the tool stays in the hand")
	}
	free := b.draw(marks.FreehandTool, [2]float64{1, 1}, [2]float64{4, 1}, [2]float64{4, 99})
	if free.ID != 2 || free.Shape != measure.Freehand || !equalPoints(free.Points, [][2]float64{{1, 1}, {4, 1}, {4, 11.5}}) {
		t.Errorf("%+v; want corners on the picture", free)
	}
	line := b.draw(marks.LineTool, [2]float64{-7, 2}, [2]float64{99, 2})
	if line.Shape != measure.Line || !equalPoints(line.Points, [][2]float64{{-0.5, 2}, {15.5, 2}}) {
		t.Errorf("%+v", line)
	}
	dot := b.draw(marks.EllipseTool, [2]float64{3, 3})
	if dot.Shape != measure.Ellipse || len(b.Marks.List()) != 4 || b.Marks.Figures(dot).Stats[viewer.Original].N != 1 {
		t.Errorf("a click draws %+v", dot)
	}
	// A click with the line draws nothing, and the tool stays.
	b.draw(marks.LineTool, [2]float64{3, 3})
	if _, chosen := b.Marks.Selected(); chosen || len(b.Marks.List()) != 4 || b.Marks.Tool() != marks.LineTool {
		t.Error("a line without a length was drawn")
	}
	b.Marks.SetTool(marks.NoTool)
	// Marks are on their own slice.
	b.State().Cut().Scroll(1)
	if len(b.Marks.Here()) != 0 || len(b.Marks.List()) != 4 {
		t.Error("marks are on another slice")
	}
	b.Marks.Select(1)
	if b.State().Cut().Index() != here || len(b.Marks.Here()) != 4 {
		t.Error("a mark that is selected does not show its slice")
	}
	b.State().SetPlane(volume.Coronal)
	if len(b.Marks.Here()) != 0 {
		t.Error("axial marks are on a coronal slice")
	}
	b.Marks.Select(2)
	if b.State().Cut().View().Plane != volume.Axial {
		t.Error("a mark that is selected does not show its plane")
	}
}

// A mark follows the pointer by its edge, a corner by its handle; each is one step of undo,
// in one history with the recipe.
func TestMovingAndUndo(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.draw(marks.RectangleTool, [2]float64{2, 2}, [2]float64{6, 5})
	if b.Marks.PressMark([2]float64{4, 3.5}, reach) {
		t.Error("the inside of a rectangle was taken: window and level could not be dragged there")
	}
	if _, chosen := b.Marks.Selected(); chosen {
		t.Error("a click beside every mark leaves one selected")
	}
	press := func(at, to [2]float64) {
		t.Helper()
		if !b.Marks.PressMark(at, reach) {
			t.Fatalf("nothing was taken at %v", at)
		}
		b.Marks.DragMark([2]float64{(at[0] + to[0]) / 2, (at[1] + to[1]) / 2})
		b.Marks.DragMark(to)
		b.Marks.ReleaseMark()
	}
	press([2]float64{4, 2.2}, [2]float64{5, 4.2})
	moved := [][2]float64{{3, 4}, {7, 7}}
	if got := b.Marks.List()[0].Points; !equalPoints(got, moved) {
		t.Errorf("moved to %v, want %v", got, moved)
	}
	press([2]float64{7, 4.1}, [2]float64{9, 1}) // the right upper corner
	if got := b.Marks.List()[0].Points; !equalPoints(got, [][2]float64{{3, 7}, {9, 1}}) {
		t.Errorf("a corner moved makes %v", got)
	}
	b.Tuning.Set(b.tuned(7), true)
	press([2]float64{9, 4}, [2]float64{10, 4})
	b.Marks.Delete()
	if len(b.Marks.List()) != 0 {
		t.Error("a deleted mark is there")
	}
	b.Marks.Delete() // nothing is selected: no step
	b.History.Undo()
	if len(b.Marks.List()) != 1 || b.Tuning.Recipe().Get("h").Float() != 7 {
		t.Error("undo does not bring the mark back")
	}
	b.History.Undo()
	if got := b.Marks.List()[0].Points; !equalPoints(got, [][2]float64{{3, 7}, {9, 1}}) || b.Tuning.Recipe().Get("h").Float() != 7 {
		t.Errorf("%v after undo of a move", got)
	}
	b.History.Undo()
	if b.Tuning.Recipe().Get("h").Float() == 7 || !equalPoints(b.Marks.List()[0].Points, [][2]float64{{3, 7}, {9, 1}}) {
		t.Error("undo takes more back than the recipe")
	}
	b.History.Undo()
	b.History.Undo()
	if got := b.Marks.List()[0].Points; !equalPoints(got, [][2]float64{{2, 2}, {6, 5}}) {
		t.Errorf("%v at first", got)
	}
	b.History.Redo()
	if got := b.Marks.List()[0].Points; !equalPoints(got, moved) {
		t.Errorf("%v after redo", got)
	}
	// A press and release without a move selects, and is no step.
	b.Marks.PressMark([2]float64{3, 5}, reach)
	b.Marks.ReleaseMark()
	if m, chosen := b.Marks.Selected(); !chosen || m.ID != 1 || !b.Document().Edits().CanRedo() {
		t.Error("a click on an edge does more than select")
	}
	b.Marks.DeleteAll()
	b.Marks.DeleteAll()
	b.History.Undo()
	if len(b.Marks.List()) != 1 {
		t.Error("undo of deleting all")
	}
}

func TestWhatIsTaken(t *testing.T) {
	b := newBench(t)
	b.settle()
	line := b.draw(marks.LineTool, [2]float64{2, 2}, [2]float64{10, 2})
	drag := func(at, to [2]float64) [][2]float64 {
		if !b.Marks.PressMark(at, reach) {
			return nil
		}
		b.Marks.DragMark(to)
		b.Marks.ReleaseMark()
		defer b.History.Undo()
		i := slices.IndexFunc(b.Marks.List(), func(m workbench.Mark) bool { return m.ID == line.ID })
		return b.Marks.List()[i].Points
	}
	for _, c := range []struct {
		name   string
		at, to [2]float64
		want   [][2]float64
	}{
		{"the first end", [2]float64{2, 2}, [2]float64{3, 4}, [][2]float64{{3, 4}, {10, 2}}},
		{"the second end", [2]float64{10, 2}, [2]float64{9, 9}, [][2]float64{{2, 2}, {9, 9}}},
		{"the line", [2]float64{5, 2.25}, [2]float64{5, 3.25}, [][2]float64{{2, 3}, {10, 3}}},
		{"beyond its end", [2]float64{10.5, 2}, [2]float64{0, 0}, nil},
		{"beside it", [2]float64{5, 2.5}, [2]float64{0, 0}, nil},
		{"far outside", [2]float64{5, 2}, [2]float64{5, -90}, [][2]float64{{2, 0}, {10, 0}}},
	} {
		if got := drag(c.at, c.to); !equalPoints(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// The mark that was drawn last lies on top.
	top := b.draw(marks.EllipseTool, [2]float64{4, 2}, [2]float64{8, 8})
	b.Marks.PressMark([2]float64{6, 2}, reach)
	b.Marks.ReleaseMark()
	if m, _ := b.Marks.Selected(); m.ID != top.ID {
		t.Errorf("mark %d was taken, want %d", m.ID, top.ID)
	}
	b.Marks.Select(line.ID)
	b.Marks.PressMark([2]float64{4, 8}, reach)
	b.Marks.ReleaseMark()
	if m, _ := b.Marks.Selected(); m.ID != top.ID {
		t.Error("the corner of the box around an ellipse does not change it")
	}
}

// The figures of a mark are of its own slice, by hand.
func TestFiguresOfMarks(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	v, z := b.Series().Volume, b.State().Cut().Index()
	m := b.draw(marks.RectangleTool, [2]float64{1.5, 2.5}, [2]float64{4.5, 6.5}) // 3 x 4 pixels of 1 x 1 mm
	var sum, squares float64
	for y := 3; y <= 6; y++ {
		for x := 2; x <= 4; x++ {
			sum += float64(v.At(x, y, z))
		}
	}
	for y := 3; y <= 6; y++ {
		for x := 2; x <= 4; x++ {
			d := float64(v.At(x, y, z)) - sum/12
			squares += d * d
		}
	}
	f := b.Marks.Figures(m)
	before, after, residual := f.Stats[viewer.Original], f.Stats[viewer.Denoised], f.Stats[viewer.Residual]
	if before.N != 12 || math.Abs(float64(before.Mean)-sum/12) > 1e-4 || math.Abs(float64(before.SD)-math.Sqrt(squares/11)) > 1e-4 || f.Area != 12 || f.Length != 0 {
		t.Errorf("%+v; want 12 pixels, mean %g, SD %g", f, sum/12, math.Sqrt(squares/11))
	}
	if math.Abs(float64(after.Mean)-sum/12+3) > 1e-4 || math.Abs(float64(residual.Mean)-3) > 1e-4 || residual.N != 12 {
		t.Errorf("denoised %+v, residual %+v; want a shift of 3", after, residual)
	}
	if cnr := b.Marks.CNR(f); cnr[viewer.Original].Finite() {
		t.Error("an ROI has a contrast to itself")
	}
	other := b.draw(marks.EllipseTool, [2]float64{9.5, 2.5}, [2]float64{13.5, 8.5})
	g := b.Marks.Figures(other)
	if got, want := b.Marks.CNR(g), measure.CNR(before, g.Stats[viewer.Original]); got[viewer.Original] != want || !got[viewer.Denoised].Finite() || got[viewer.Residual].Finite() {
		t.Errorf("CNR %v, want %g", got, float64(want))
	}
	if ground, _ := b.Marks.Ground(); ground.ID != m.ID {
		t.Error("contrasts are not measured against the first ROI")
	}
	b.Marks.SetGround()
	if ground, _ := b.Marks.Ground(); ground.ID != other.ID || b.Marks.CNR(f)[viewer.Original] != b.Marks.CNR(b.Marks.Figures(m))[viewer.Original] || b.Marks.CNR(g)[viewer.Original].Finite() {
		t.Error("contrasts are not measured against the ROI that was chosen")
	}
	b.History.Undo()
	if ground, _ := b.Marks.Ground(); ground.ID != m.ID {
		t.Error("undo of the choice")
	}
	// Of a slice that is not filtered there are figures of the original alone.
	b.Preview.SetAuto(false)
	b.State().Cut().Scroll(2)
	b.settle()
	far := b.draw(marks.RectangleTool, [2]float64{1, 1}, [2]float64{3, 3})
	if f := b.Marks.Figures(far); f.Stats[viewer.Original].N != 9 || f.Stats[viewer.Denoised].N != 0 || f.Stats[viewer.Residual].N != 0 {
		t.Errorf("%+v", f)
	}
	// The marks of the first slice keep theirs.
	if f := b.Marks.Figures(m); f.Stats[viewer.Denoised] != after {
		t.Errorf("away from its slice: %+v, want %+v", f.Stats[viewer.Denoised], after)
	}
}

func TestLinesAreMeasured(t *testing.T) {
	b := newBench(t)
	b.settle()
	v, z := b.Series().Volume, b.State().Cut().Index()
	for y := range 12 {
		for x := range 16 {
			v.Data[v.Index(x, y, z)] = 100 + 50*float32(math.Erf((float64(x)-8)/2/math.Sqrt2)) // sigma 2
		}
	}
	b.State().SetPlane(volume.Sagittal)
	b.settle()
	if f := b.Marks.Figures(b.draw(marks.LineTool, [2]float64{1, 1}, [2]float64{4, 3})); f.Length != 5 { // 3 x 1 mm, 2 x 2 mm: 3² + 4²
		t.Errorf("%g mm, want 5", f.Length)
	}
	b.State().SetPlane(volume.Axial)
	b.settle()
	f := b.Marks.Figures(b.draw(marks.LineTool, [2]float64{0, 4}, [2]float64{15, 4}))
	e := f.Edge[viewer.Original]
	if e.Why.String() != "" || math.Abs(e.Width-2.5631*2) > 0.02 || f.Length != 15 || f.Area != 0 {
		t.Errorf("%+v", f)
	}
	short := b.Marks.Figures(b.draw(marks.LineTool, [2]float64{2, 2}, [2]float64{5, 2}))
	if why := short.Edge[viewer.Original].Why; !strings.HasPrefix(why.String(), "The line is too short") || !strings.HasSuffix(why.String(), ".") {
		t.Errorf("why: %q", why)
	}
}

// evenBench is a bench of 32 x 32 x 2 voxels at 100 with noise of SD 5 in a pattern.
func evenBench(t *testing.T) *bench {
	b := newBench(t)
	s := rampSeries(t)
	v := volume.New(volume.NewGeometry([3]int{32, 32, 2}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = 95
		if (i%32+i/32)%2 == 0 {
			v.Data[i] = 105
		}
	}
	s.Volume = v
	b.show(s)
	b.settle()
	return b
}

func TestNoiseOfAnROI(t *testing.T) {
	b := evenBench(t)
	if _, _, err := b.Marks.NoiseIn(); err == nil {
		t.Error("noise without an ROI")
	}
	b.Marks.UseNoise()
	if b.Document().GivenNoise() != nil || !strings.Contains(b.Tasks.Message(), "Select an ROI") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	estimated, _ := b.Document().Facts()
	b.draw(marks.RectangleTool, [2]float64{0, 0}, [2]float64{29, 29})
	previews := b.engine.previews
	b.Marks.UseNoise()
	b.settle()
	facts, _ := b.Document().Facts()
	given := b.Document().GivenNoise()
	if given == nil || math.Abs(facts.Noise.Sigma-5) > 0.02 || given.Voxels != 900 || given.From != "ROI 1" || b.Tasks.Message() != "The noise is that of ROI 1, 5.01." {
		t.Fatalf("sigma %g, %+v, message %q", facts.Noise.Sigma, given, b.Tasks.Message())
	}
	if b.engine.previews == previews {
		t.Error("the slice was not filtered with the new noise")
	}
	r, err := b.Tuning.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	b.Marks.EstimateNoise()
	b.settle()
	again, _ := b.Tuning.Resolved()
	if now, _ := b.Document().Facts(); now.Noise.Sigma != estimated.Noise.Sigma || again.Get("h").Float() == r.Get("h").Float() {
		t.Error("the estimate is not in use again")
	}
	b.History.Undo()
	if now, _ := b.Document().Facts(); now.Noise.Sigma != facts.Noise.Sigma {
		t.Error("undo does not bring the given noise back")
	}
	// A result of other noise is not the result of the recipe, if automatic values follow
	// it.
	b.settle()
	b.Results.Apply()
	b.settle()
	if b.status() != preview.Whole {
		t.Fatal("the run is not shown")
	}
	b.Marks.EstimateNoise()
	b.settle()
	if b.status() == preview.Whole {
		t.Error("the run is shown as that of another noise")
	}
}

func TestWindowOfAnROI(t *testing.T) {
	b := evenBench(t)
	b.Marks.SetWindow()
	b.draw(marks.RectangleTool, [2]float64{0, 0}, [2]float64{9, 9})
	b.Marks.SetWindow()
	if w := b.State().Windows.Current(); w.Center != 100 || w.Width != 10 || w.Name != "ROI 1" {
		t.Errorf("window %+v", w)
	}
	before := b.State().Windows.Current()
	b.draw(marks.RectangleTool, [2]float64{3, 3})
	b.Marks.SetWindow()
	if b.State().Windows.Current() != before || !strings.Contains(b.Tasks.Message(), "all the same") {
		t.Errorf("one voxel gives %+v, %q", b.State().Windows.Current(), b.Tasks.Message())
	}
	b.draw(marks.LineTool, [2]float64{1, 1}, [2]float64{9, 9})
	b.Marks.SetWindow()
	if b.State().Windows.Current() != before {
		t.Error("a line gives a window")
	}
}

func TestTableOfMarks(t *testing.T) {
	b := evenBench(t)
	b.draw(marks.RectangleTool, [2]float64{0, 0}, [2]float64{9, 9})
	b.draw(marks.EllipseTool, [2]float64{20, 20}, [2]float64{29, 29})
	b.draw(marks.LineTool, [2]float64{0, 5}, [2]float64{3, 9})
	rows, err := csv.NewReader(strings.NewReader(b.Marks.CSV())).ReadAll()
	if err != nil || len(rows) != 1+3+3+2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	if rows[1][0] != "ROI 1" || column(1, "slice") != "2" || column(1, "image") != "original" || column(1, "pixels") != "100" || column(1, "mean") != "100" || column(1, "area (mm2)") != "81" {
		t.Errorf("%q", rows[1])
	}
	if column(4, "CNR against") != "ROI 1" || column(1, "CNR against") != "" || column(3, "SNR") != "" || column(1, "SNR") == "" {
		t.Errorf("%q", rows[4])
	}
	if column(7, "length (mm)") != "5" || column(7, "note") == "" || column(7, "mean") != "" || column(7, "shape") != "line" {
		t.Errorf("%q", rows[7])
	}
}

// Nothing happens without a series.
func TestMarksWithoutASeries(t *testing.T) {
	b := session.New(desk.Deps{Go: func(f func()) { f() }, Do: func(f func()) { f() }, Engine: &fakeEngine{}}, desk.Listener{Changed: func() {}})
	defer b.Close()
	b.Marks.SetTool(marks.LineTool)
	if b.Marks.Tool() != marks.NoTool || b.Marks.PressMark([2]float64{}, reach) || len(b.Marks.List()) != 0 {
		t.Error("something was drawn on nothing")
	}
	b.Marks.DragMark([2]float64{1, 1})
	b.Marks.ReleaseMark()
	b.Marks.Delete()
	b.Marks.DeleteAll()
	b.Marks.SetGround()
	b.Marks.EstimateNoise()
	b.Marks.Select(3)
}

// A window is one step of the history, in one line with recipe and marks; a drag is one
// however long it is. A series with nothing but its window changed gives way to the next.
func TestUndoOfWindows(t *testing.T) {
	b := newBench(t)
	b.settle()
	start, width := b.State().Windows.Current(), func() float64 { return b.State().Windows.Current().Width }
	b.State().Windows.Drag(40, 0)
	b.State().Windows.Drag(40, 0)
	b.State().EndDrag()
	dragged := width()
	b.Tuning.Set(b.tuned(3), true)
	b.draw(marks.RectangleTool, [2]float64{2, 3}, [2]float64{5, 6})
	b.State().Windows.Set(volume.Window{Center: 1, Width: 2})
	b.State().Windows.Set(volume.Window{Center: 1, Width: 2}) // is no step
	for i, want := range []struct {
		width float64
		marks int
		h     float64
	}{{dragged, 1, 3}, {dragged, 0, 3}, {dragged, 0, 0}, {start.Width, 0, 0}, {start.Width, 0, 0}} {
		b.History.Undo()
		h := 0.0
		if v := b.Tuning.Recipe().Get("h"); !v.IsAuto() {
			h = v.Float()
		}
		if width() != want.width || len(b.Marks.List()) != want.marks || h != want.h {
			t.Errorf("undo %d: width %g, %d marks, h %g; want %+v", i+1, width(), len(b.Marks.List()), h, want)
		}
	}
	if b.State().Windows.Current() != start || b.Document().Edits().CanUndo() {
		t.Errorf("the first window is %+v, want %+v", b.State().Windows.Current(), start)
	}
	for range 4 {
		b.History.Redo()
	}
	if width() != 2 || b.Document().Edits().CanRedo() {
		t.Errorf("redo gives a width of %g", width())
	}
}

// To give both pictures their own windows is a step, and each of those windows is one; a drag
// of one of them is a step of that one.
func TestUndoOfOwnWindows(t *testing.T) {
	b := newBench(t)
	b.settle()
	state := b.State()
	widths := func() [2]float64 {
		return [2]float64{state.Windows.Of(viewer.Original).Width, state.Windows.Of(viewer.Denoised).Width}
	}
	state.Windows.Set(volume.Window{Width: 10})
	state.Windows.ToggleLink()
	state.Windows.Attend(viewer.Denoised)
	state.Windows.Set(volume.Window{Width: 20})
	state.Windows.Attend(viewer.Original)
	state.Windows.Set(volume.Window{Width: 30})
	b.settle()
	state.Windows.ToggleLink()
	for i, want := range []struct {
		widths   [2]float64
		unlinked bool
	}{{[2]float64{30, 20}, true}, {[2]float64{10, 20}, true}, {[2]float64{10, 10}, true}, {[2]float64{10, 10}, false}} {
		if b.History.Undo(); widths() != want.widths || state.Windows.Unlinked() != want.unlinked {
			t.Errorf("undo %d: widths %v, unlinked %v; want %+v", i+1, widths(), state.Windows.Unlinked(), want)
		}
	}
	for range 4 {
		b.History.Redo()
	}
	if widths() != [2]float64{30, 30} || state.Windows.Unlinked() {
		t.Errorf("redo gives widths %v, unlinked %v", widths(), state.Windows.Unlinked())
	}
}

// Another series has its own windows, and the first one keeps the ones that it had.
func TestOwnWindowsStayWithTheirSeries(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.Tuning.Set(b.tuned(3), true)
	b.State().Windows.ToggleLink()
	b.State().Windows.Attend(viewer.Denoised)
	b.State().Windows.Set(volume.Window{Width: 20})
	b.opens(written(t, 1)[0])
	if b.State().Windows.Unlinked() {
		t.Error("the next series has two windows")
	}
	b.Documents.Show(0)
	if own := b.State().Windows.Second(); own.Width != 20 {
		t.Errorf("the first series has the window %+v", own)
	}
}

func TestAWindowIsNoWork(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.State().Windows.Set(volume.Window{Center: 1, Width: 2})
	b.opens(written(t, 1)[0])
	if len(b.Documents.List()) != 1 {
		t.Error("a series of which the window alone was changed did not give way")
	}
}

// On a picture that is turned, a mark is drawn, taken and moved at the place at which it
// is seen, and its figures stay the figures of its voxels.
func TestMarksOnATurnedPicture(t *testing.T) {
	b := newBench(t)
	b.settle()
	g := b.Series().Volume.Geometry
	plain := b.draw(marks.RectangleTool, [2]float64{2, 3}, [2]float64{5, 7})
	figures := b.Marks.Figures(plain)
	b.State().Cut().Clockwise() // 12 x 16 pixels; (c, r) comes from (r, 11 - c)
	b.State().Cut().Mirror(true)
	b.settle()
	if got := b.Marks.Figures(plain); got.Stats != figures.Stats || len(b.Marks.Here()) != 1 {
		t.Errorf("turned: %+v, want %+v", got.Stats, figures.Stats)
	}
	seen := plain.In(b.State().Cut().View(), g)
	if !equalPoints(seen.Points, [][2]float64{{3, 2}, {7, 5}}) {
		t.Errorf("seen at %v", seen.Points)
	}
	if b.Marks.PressMark([2]float64{5, 7.5}, [2]float64{0.3, 0.3}) || b.Marks.PressMark([2]float64{5.6, 7}, [2]float64{0.3, 1}) {
		t.Error("it was taken beside its edge")
	}
	if !b.Marks.PressMark([2]float64{5, 5.9}, [2]float64{0.1, 1}) {
		t.Fatal("it was not taken at its lower edge")
	}
	b.Marks.DragMark([2]float64{6, 6.9})
	b.Marks.ReleaseMark()
	if m, _ := b.Marks.Selected(); !equalPoints(m.Points, [][2]float64{{3, 4}, {6, 8}}) {
		t.Errorf("moved to %v", m.Points)
	}
	drawn := b.draw(marks.LineTool, [2]float64{1, 2}, [2]float64{99, 15})
	if !equalPoints(drawn.Points, [][2]float64{{2, 1}, {15, 11.5}}) || !equalPoints(drawn.In(b.State().Cut().View(), g).Points, [][2]float64{{1, 2}, {11.5, 15}}) {
		t.Errorf("drawn at %v", drawn.Points)
	}
	p := b.Screen.Picture()
	if want := p.View.Of(b.Series().Volume.Geometry).Extract(nil, b.Series().Volume, p.Index); !slices.Equal(p.Before, want) {
		t.Error("the picture is not that of the turned view")
	}
}
