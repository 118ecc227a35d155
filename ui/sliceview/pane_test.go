package sliceview

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/ui/viewer"
	"quell/volume"
)

func shownPane(t *testing.T, role viewer.Role) (*Pane, *renderer, *viewer.State) {
	t.Helper()
	test.NewTempApp(t)
	state := viewer.New()
	state.Open(volume.New(volume.NewGeometry([3]int{8, 8, 4}, [3]float64{1, 1, 2})), volume.Window{Center: 0, Width: 10})
	p := New(role, state, Events{})
	p.Resize(fyne.NewSize(300, 300))
	r := test.WidgetRenderer(p).(*renderer)
	img := image.NewRGBA(image.Rect(0, 0, 300, 300))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	p.SetFrame(viewer.Frame{Image: img, X1: 300, Y1: 300, Limit: 12.34})
	p.SetCaption(Caption{
		Who: []string{"DOE JOHN  19540203  M", "2015-02-06  series 3"}, How: []string{"H70f", "120 kV"},
		Detail: "nlm 3-D h=10", Badge: "STALE", BadgeKind: Caution,
		Corner: []string{"W 80  L 40", "3 / 4", "12.0 HU"}, Place: "R 1  A 2  H 3 mm",
		Letters: [4]string{"R", "L", "A", "P"}, Unit: "HU",
	})
	return p, r, state
}

func TestTheLabelIsNeverHidden(t *testing.T) {
	p, r, state := shownPane(t, viewer.Denoised)
	for range 3 {
		state.CycleOverlay()
		p.Refresh()
		if r.title.text.Hidden || r.title.text.Text != "DENOISED" || r.badge.text.Hidden || r.badge.text.Text != "STALE" {
			t.Errorf("overlay %d hides the label or the badge", state.Overlay())
		}
		for i, letter := range []string{"R", "L", "A", "P"} {
			if got := r.letters[i].text; got.Hidden || got.Text != letter {
				t.Errorf("overlay %d: letter %d is %q, hidden %v", state.Overlay(), i, got.Text, got.Hidden)
			}
		}
	}
}

// The accessibility label of a pane holds its title, detail and badge, and not the patient.
func TestAPaneSaysWhatItShows(t *testing.T) {
	p, _, _ := shownPane(t, viewer.Denoised)
	if got := p.AccessibilityLabel(); got != "DENOISED, nlm 3-D h=10, STALE" {
		t.Errorf("a pane says %q", got)
	}
	p.SetCaption(Caption{Title: "ORIGINAL"})
	if got := p.AccessibilityLabel(); got != "ORIGINAL" {
		t.Errorf("a pane without details says %q", got)
	}
}

// The label and the line below it have one ground, under the letters of the edges.
func TestTheHeadingHasOneGround(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Residual)
	caption := p.Caption()
	for _, detail := range []string{"", "original", "original, with noise of another kind that is added", "a"} {
		caption.Detail = detail
		p.SetCaption(caption)
		p.Refresh()
		title, text := r.title.size(), r.detail.size()
		want := fyne.NewSize(title.Width+2*platePadding, title.Height)
		if detail != "" {
			want = fyne.NewSize(max(title.Width, text.Width)+2*platePadding, text.Height+lineHeight)
		}
		if ground := r.title.ground; ground.Size() != want || ground.Position() != r.title.text.Position().SubtractXY(platePadding, 0) || !r.detail.ground.Hidden {
			t.Errorf("%q: the ground is %v at %v, want %v", detail, ground.Size(), ground.Position(), want)
		}
	}
	for _, letter := range r.letters {
		if slices.Index(r.objects, fyne.CanvasObject(letter.text)) < slices.Index(r.objects, fyne.CanvasObject(r.title.ground)) {
			t.Errorf("%s lies under the ground of the heading", letter.text.Text)
		}
	}
}

func TestTextsStayInsideAndApart(t *testing.T) {
	for _, width := range []float32{200, 270, 420, 900} {
		for _, role := range []viewer.Role{viewer.Original, viewer.Residual} {
			textsStayInsideAndApart(t, role, width)
		}
	}
}

func textsStayInsideAndApart(t *testing.T, role viewer.Role, width float32) {
	t.Helper()
	p, r, _ := shownPane(t, role)
	p.Resize(fyne.NewSize(width, 340))
	p.Refresh()
	type box struct {
		name string
		at   fyne.Position
		size fyne.Size
	}
	boxes := []box{
		{"title", r.title.text.Position(), r.title.size()}, {"badge", r.badge.text.Position(), r.badge.size()},
		{"detail", r.detail.text.Position(), r.detail.size()}, {"place", r.place.text.Position(), r.place.size()},
	}
	for _, b := range []*block{r.corner, r.who, r.how} {
		if !b.ground.Hidden {
			boxes = append(boxes, box{"block " + b.lines[0].Text, b.ground.Position(), b.ground.Size()})
		}
		for _, line := range b.lines {
			at, ground, end := line.Position(), b.ground.Position(), b.ground.Position().Add(b.ground.Size())
			if !line.Hidden && (at.X < ground.X || at.Y < ground.Y || at.X+line.MinSize().Width > end.X || at.Y+line.MinSize().Height > end.Y+0.5) {
				t.Errorf("width %g: %q is not on its ground", width, line.Text)
			}
		}
	}
	if (role == viewer.Residual) != r.who.ground.Hidden || r.who.ground.Hidden != r.how.ground.Hidden {
		t.Errorf("%v: identity hidden %v, acquisition hidden %v", role, r.who.ground.Hidden, r.how.ground.Hidden)
	}
	for i := range r.letters {
		boxes = append(boxes, box{"letter", r.letters[i].text.Position(), r.letters[i].size()})
	}
	for i, a := range boxes {
		if a.at.X < 0 || a.at.Y < 0 || a.at.X+a.size.Width > width || a.at.Y+a.size.Height > 340 {
			t.Errorf("width %g: %s reaches outside the pane", width, a.name)
		}
		for _, b := range boxes[:i] {
			if a.at.X < b.at.X+b.size.Width && b.at.X < a.at.X+a.size.Width &&
				a.at.Y < b.at.Y+b.size.Height && b.at.Y < a.at.Y+a.size.Height {
				t.Errorf("width %g: %s lies on %s", width, a.name, b.name)
			}
		}
	}
}

func TestResidualScaleIsLabelled(t *testing.T) {
	_, r, _ := shownPane(t, viewer.Residual)
	want := [3]string{"+12.3 HU", "0", "−12.3 HU"}
	for i := range want {
		if r.scale.labels[i].text.Text != want[i] {
			t.Errorf("label %d is %q; want %q", i, r.scale.labels[i].text.Text, want[i])
		}
	}
	bar := r.scale.bar.Image.(*image.RGBA)
	d := volume.Diverging{Limit: 1}
	for y, x := range map[int]float64{0: 1, barSteps / 2: 0, barSteps - 1: -1} {
		if got := color.RGBAModel.Convert(bar.At(0, y)); got != d.Color(x) {
			t.Errorf("the bar is %v at %g; want the map's %v", got, x, d.Color(x))
		}
	}
}

func TestCrossMarksThePointerInOtherPanes(t *testing.T) {
	p, r, state := shownPane(t, viewer.Denoised)
	state.Cut().PointAt(100, 200, 300, 300)
	p.Refresh()
	if r.cross[0].Hidden {
		t.Fatal("no cross while the pointer is in another pane")
	}
	// Voxel (2, 5): its centre is 2.5/8 and 5.5/8 of 300.
	if x, y := r.cross[1].Position1.X, r.cross[0].Position1.Y; x != 93.75 || y != 206.25 {
		t.Errorf("the cross is at %g, %g; want 93.75, %g", x, y, 206.25)
	}
	p.hovered = true
	p.Refresh()
	if !r.cross[0].Hidden {
		t.Error("a cross under the pointer itself")
	}
}

func TestEllipsisFits(t *testing.T) {
	test.NewTempApp(t)
	const long = "nlm 3-D  h=21.3  patch-radius=1  search-radius=3"
	for _, width := range []float32{0, 30, 100, 200, 1000} {
		got := ellipsis(long, width, textSize, fyne.TextStyle{})
		if w := fyne.MeasureText(got, textSize, fyne.TextStyle{}).Width; got != "" && w > width {
			t.Errorf("%q is %g wide; want at most %g", got, w, width)
		}
	}
	if got := ellipsis(long, 1000, textSize, fyne.TextStyle{}); got != long {
		t.Errorf("%q; want it whole where there is room", got)
	}
}

// TestTheProfileLineIsThePointedRow checks place and length of the line, and when it is
// hidden.
func TestTheProfileLineIsThePointedRow(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	if !r.profile.Hidden {
		t.Error("there is a line without a profile")
	}
	state.Cut().PointAt(100, 200, 300, 300) // row 5: its centre is 5.5/8 of 300
	c := p.Caption()
	c.Profile = true
	p.SetCaption(c)
	if r.profile.Hidden || r.profile.Position1 != fyne.NewPos(0, 206.25) || r.profile.Position2 != fyne.NewPos(300, 206.25) {
		t.Errorf("hidden %v, from %v to %v", r.profile.Hidden, r.profile.Position1, r.profile.Position2)
	}
	state.Cut().ZoomAt(4, 150, 0, 300, 300) // the row is now below the pane
	if p.Refresh(); !r.profile.Hidden {
		t.Error("the line is drawn outside the pane")
	}
	if r.cross[0].Hidden != true || r.cross[1].Hidden != true {
		t.Error("the cross is drawn outside the pane")
	}
	state.Fit()
	p.SetFrame(viewer.Frame{Limit: 1})
	if !r.profile.Hidden || !r.picture.Hidden || !r.cross[0].Hidden {
		t.Error("an empty pane has a line, a picture or a cross")
	}
}

// TestTheOutlineLiesAroundThePointedVoxel checks the places of its corners, in all panes,
// and when it is hidden.
func TestTheOutlineLiesAroundThePointedVoxel(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	hidden := func() (n int) {
		for _, line := range r.outline {
			if line.Hidden {
				n++
			}
		}
		return n
	}
	state.Cut().PointAt(100, 200, 300, 300) // column 2, row 5 of 8: its centre is 2.5 and 5.5 eighths of 300
	p.Refresh()
	if hidden() != 8 {
		t.Error("there is an outline without a neighbourhood")
	}
	c := p.Caption()
	c.Outline = [][2]float64{{3, 0}, {1, 1}, {0, 2}, {-0.5, 0.5}, {-2, 0}, {-1, -1}, {0, -2.5}, {1, -1}}
	p.SetCaption(c)
	const unit = 300. / 8
	for i, line := range r.outline {
		next := c.Outline[(i+1)%8]
		from := fyne.NewPos(float32((2.5+c.Outline[i][0])*unit), float32((5.5+c.Outline[i][1])*unit))
		to := fyne.NewPos(float32((2.5+next[0])*unit), float32((5.5+next[1])*unit))
		if line.Hidden || line.Position1 != from || line.Position2 != to {
			t.Errorf("line %d, hidden %t, from %v to %v; want %v to %v", i, line.Hidden, line.Position1, line.Position2, from, to)
		}
	}
	c.Outline[0] = [2]float64{6, 0} // right of the pane
	p.SetCaption(c)
	if !r.outline[7].Hidden || !r.outline[0].Hidden || hidden() != 2 {
		t.Error("lines are drawn outside the pane")
	}
	p.SetFrame(viewer.Frame{Limit: 1})
	if hidden() != 8 {
		t.Error("an empty pane has an outline")
	}
}

// TestOverlaysHideTexts checks which texts each state shows.
func TestOverlaysHideTexts(t *testing.T) {
	p, r, state := shownPane(t, viewer.Residual)
	for _, want := range []struct {
		overlay            viewer.Overlay
		corner, place, bar bool
	}{
		{viewer.OverlayFull, true, true, true}, {viewer.OverlayMinimal, true, false, true}, {viewer.OverlayBare, false, false, false},
	} {
		if state.Overlay() != want.overlay {
			t.Fatalf("overlay %d; want %d", state.Overlay(), want.overlay)
		}
		p.Refresh()
		if r.corner.ground.Hidden == want.corner || r.place.text.Hidden == want.place || r.scale.bar.Hidden == want.bar || r.scale.labels[0].text.Hidden == want.bar {
			t.Errorf("overlay %d: corner hidden %v, place %v, bar %v, scale %v", want.overlay, r.corner.ground.Hidden, r.place.text.Hidden, r.scale.bar.Hidden, r.scale.labels[0].text.Hidden)
		}
		if !r.corner.lines[3].Hidden || want.corner && (r.corner.lines[2].Text != "12.0 HU" || !r.corner.lines[2].TextStyle.Bold || r.corner.lines[1].TextStyle.Bold) {
			t.Errorf("overlay %d: lines %q to %q; want three, the last in bold", want.overlay, r.corner.lines[0].Text, r.corner.lines[3].Text)
		}
		state.CycleOverlay()
	}
	p.SetFrame(viewer.Frame{Image: p.frame.Image})
	if !r.scale.bar.Hidden {
		t.Error("a scale without a limit is shown")
	}
}

// A picture that was drawn for another size of the pane is stretched to the place of the
// next one; one of another plane stays as it was drawn.
func TestThePictureFollowsTheSizeOfThePane(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	f := p.Frame()
	f.View, f.Pane, f.Placed = state.Cut().View(), [2]int{300, 300}, state.Cut().Transform(300, 300)
	p.SetFrame(f)
	expect := func(what string, x, y, w, h float32) {
		t.Helper()
		if at, size := r.picture.Position(), r.picture.Size(); at != fyne.NewPos(x, y) || size != fyne.NewSize(w, h) {
			t.Errorf("%s: the picture is at %v, %v", what, at, size)
		}
	}
	expect("at first", 0, 0, 300, 300)
	p.Resize(fyne.NewSize(600, 400))
	expect("in a larger pane", 100, 0, 400, 400)
	p.Resize(fyne.NewSize(150, 300))
	expect("in a narrower pane", 0, 75, 150, 150)
	state.SetPlane(1)
	p.Refresh()
	expect("in another plane", 0, 0, 300, 300)
}

// An inset has a title, the letters at its sides and a hint; without a picture nothing of it
// is seen. What it lies over moves its position next to it.
func TestInset(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Residual)
	if !r.edge.Hidden {
		t.Error("a pane has the edge of an inset")
	}
	c := Caption{Small: true, Title: "RESIDUAL ±3 σ", Place: "D enlarges", Letters: [4]string{"R", "L", "A", "P"}, Marks: []Mark{{Text: "1: mean"}}}
	p.SetCaption(c)
	p.Resize(fyne.NewSquareSize(150))
	hidden := func(plates ...*plate) (out []bool) {
		for _, one := range plates {
			out = append(out, one.text.Hidden)
		}
		return out
	}
	got := hidden(r.title, r.place, r.letters[0], r.letters[1], r.letters[2], r.letters[3], r.badge, r.detail, r.scale.labels[0], r.marks.texts[0])
	if want := []bool{false, false, false, false, true, true, true, true, true, true}; !slices.Equal(got, want) || r.edge.Hidden || !r.corner.ground.Hidden {
		t.Errorf("hidden: %v, want %v; edge %t", got, want, r.edge.Hidden)
	}
	if at := r.place.text.Position(); at.Y+r.place.size().Height+margin != 150 {
		t.Errorf("the hint is at %v", at)
	}
	p.SetFrame(viewer.Frame{})
	got = hidden(r.title, r.place, r.letters[0])
	if want := []bool{true, true, true}; !slices.Equal(got, want) || !r.edge.Hidden || len(r.ground.seen()) > 0 || !r.picture.Hidden {
		t.Errorf("without a picture, hidden: %v", got)
	}

	p, r, _ = shownPane(t, viewer.Denoised)
	before := r.place.text.Position()
	c = p.Caption()
	c.Aside = 40
	p.SetCaption(c)
	if at := r.place.text.Position(); at != before.SubtractXY(40, 0) {
		t.Errorf("the position stands at %v, without an inset at %v", at, before)
	}
}
