package presentation_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dicom/presentation"
	"quell/series"
	"quell/volume"
)

// stateOf shows a series whole, as it was acquired.
func stateOf(s *series.Series) *presentation.State {
	v := s.Volume.View(s.Volume.Acquired())
	return &presentation.State{
		Sources: s.Sources, View: v, Area: [2][2]int{{0, 0}, {v.Size[0] - 1, v.Size[1] - 1}}, Window: volume.Window{Center: 50, Width: 400, Name: "Abdomen"},
		Number: 2, Version: "0.0.1", Now: dicomtest.TestDerived.Now,
	}
}

func encode(t *testing.T, s *presentation.State) []byte {
	t.Helper()
	file, err := s.Encode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// flat returns every element of a file by its path, "(0070,005A)[0](0070,0052)", with its VR:
// "SL 1 1".
func flat(t *testing.T, file []byte) map[string]string {
	t.Helper()
	p, err := dicomtest.Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	addFlat(t, out, "", file, p.Elements)
	return out
}

func addFlat(t *testing.T, out map[string]string, path string, file []byte, elements []part10.Element) {
	last := part10.Tag(0)
	for _, e := range elements {
		if e.Tag <= last {
			t.Errorf("%s%v is out of order", path, e.Tag)
		}
		last = e.Tag
		at := fmt.Sprintf("%s%v", path, e.Tag)
		if e.VR == "SQ" {
			n := 0
			if err := part10.EachItem(file, e, part10.ExplicitLE, func(item part10.SequenceItem) error {
				addFlat(t, out, fmt.Sprintf("%s[%d]", at, n), file, append([]part10.Element(nil), item.Elements...))
				n++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			out[at] = fmt.Sprintf("SQ %d", n)
			continue
		}
		b, text := file[e.Value:e.End], e.VR
		switch e.VR {
		case "US":
			for ; len(b) > 0; b = b[2:] {
				text += fmt.Sprintf(" %d", binary.LittleEndian.Uint16(b))
			}
		case "SL":
			for ; len(b) > 0; b = b[4:] {
				text += fmt.Sprintf(" %d", int32(binary.LittleEndian.Uint32(b)))
			}
		case "FL":
			for ; len(b) > 0; b = b[4:] {
				text += fmt.Sprintf(" %g", math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
		default:
			text += " " + strings.TrimRight(string(b), " \x00")
		}
		out[at] = text
	}
}

// TestModules checks the attributes that PS3.3 A.33.1 requires, with their types and values.
func TestModules(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(part10.TagPatientName, "M\xfcller^J\xfcrgen").With(part10.TagPatientID, "4711").With(part10.TagStudyID, "S1").With(part10.TagPatientSex, "F")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	state := stateOf(s)
	state.Marks = []presentation.Mark{
		{Slice: 2, Points: [][2]float64{{0, 0}, {3, 2}}, Text: "1: 12.3 ± 0.4 mm"},
		{Slice: 0, Points: [][2]float64{{1, 1}, {2, 1}, {2, 2}}, Closed: true},
	}
	file := encode(t, state)
	got := flat(t, file)
	const reference = "(0008,1115)[0](0008,1140)"
	for path, want := range map[string]string{
		"(0008,0005)": "CS ISO_IR 100", "(0010,0010)": "PN M\xfcller^J\xfcrgen", "(0010,0020)": "LO 4711", "(0010,0030)": "DA ", "(0010,0040)": "CS F",
		"(0020,000D)": "UI 1.2.3.1", "(0008,0020)": "DA ", "(0008,0030)": "TM ", "(0008,0090)": "PN ", "(0020,0010)": "SH S1", "(0008,0050)": "SH ", "(0020,0060)": "CS ",
		"(0008,0060)": "CS PR", "(0020,0011)": "IS 20007", "(0008,0070)": "LO Quell", "(0018,1020)": "LO 0.0.1",
		"(0008,0016)": "UI 1.2.840.10008.5.1.4.1.1.11.1", "(0020,0013)": "IS 2",
		"(0070,0080)": "CS QUELL", "(0070,0082)": "DA 20260304", "(0070,0083)": "TM 050607.000000", "(0070,0084)": "PN ",
		"(0008,1115)": "SQ 1", "(0008,1115)[0](0020,000E)": "UI 1.2.3.2", reference: "SQ 3",
		reference + "[0](0008,1150)": "UI " + dicomtest.CtClass, reference + "[0](0008,1155)": "UI " + s.Sources[0].UID, reference + "[2](0008,1155)": "UI " + s.Sources[2].UID,
		"(0028,1052)": "DS -1000", "(0028,1053)": "DS 2", "(0028,1054)": "LO HU",
		"(0028,3110)": "SQ 1", "(0028,3110)[0](0028,1050)": "DS 50", "(0028,3110)[0](0028,1051)": "DS 400", "(0028,3110)[0](0028,1055)": "LO Abdomen",
		"(2050,0020)": "CS IDENTITY",
		"(0070,0041)": "CS N", "(0070,0042)": "US 0",
		"(0070,005A)": "SQ 1", "(0070,005A)[0](0070,0052)": "SL 1 1", "(0070,005A)[0](0070,0053)": "SL 4 3",
		"(0070,005A)[0](0070,0100)": "CS SCALE TO FIT", "(0070,005A)[0](0070,0101)": `DS 0.75\0.5`,
		"(0070,0060)": "SQ 1", "(0070,0060)[0](0070,0002)": "CS MARKS", "(0070,0060)[0](0070,0062)": "IS 1",
		"(0070,0001)": "SQ 2", "(0070,0001)[0](0070,0002)": "CS MARKS",
		"(0070,0001)[0](0008,1140)[0](0008,1155)": "UI " + s.Sources[0].UID, "(0070,0001)[1](0008,1140)[0](0008,1155)": "UI " + s.Sources[2].UID,
		"(0070,0001)[0](0070,0009)[0](0070,0005)": "CS PIXEL", "(0070,0001)[0](0070,0009)[0](0070,0020)": "US 2", "(0070,0001)[0](0070,0009)[0](0070,0021)": "US 4",
		"(0070,0001)[0](0070,0009)[0](0070,0022)": "FL 1.5 1.5 2.5 1.5 2.5 2.5 1.5 1.5", "(0070,0001)[0](0070,0009)[0](0070,0023)": "CS POLYLINE",
		"(0070,0001)[0](0070,0009)[0](0070,0024)": "CS N", "(0070,0001)[1](0070,0009)[0](0070,0022)": "FL 0.5 0.5 3.5 2.5",
		"(0070,0001)[1](0070,0008)[0](0070,0004)": "CS PIXEL", "(0070,0001)[1](0070,0008)[0](0070,0006)": "ST 1: 12.3 +/- 0.4 mm",
		"(0070,0001)[1](0070,0008)[0](0070,0014)": "FL 0.5 2.5", "(0070,0001)[1](0070,0008)[0](0070,0015)": "CS N",
	} {
		if value, ok := got[path]; !ok || value != want {
			t.Errorf("%s is %q, want %q", path, value, want)
		}
	}
	// An item has texts if there are any, and all frames of a file need no numbers.
	for _, path := range []string{"(0070,0001)[0](0070,0008)", reference + "[0](0008,1160)", "(7FE0,0010)", "(0012,0062)"} {
		if value, ok := got[path]; ok {
			t.Errorf("%s is %q, want none", path, value)
		}
	}
	uid := regexp.MustCompile(`^UI 2\.25\.[1-9]\d{30,38}$`)
	if !uid.MatchString(got["(0008,0018)"]) || !uid.MatchString(got["(0020,000E)"]) || got["(0008,0018)"] == got["(0020,000E)"] {
		t.Errorf("UIDs %q and %q", got["(0008,0018)"], got["(0020,000E)"])
	}
	objects, others, err := dicom.Objects(t.Context(), fstest.MapFS{"PR00001.dcm": {Data: file}})
	if err != nil || others != 0 || len(objects) != 1 || objects[0].Modality != "PR" || "UI "+objects[0].UID != got["(0008,0018)"] || objects[0].ClassName() != "Grayscale Softcopy Presentation State Storage" {
		t.Errorf("to be sent: %+v, %d others, %v", objects, others, err)
	}
}

// TestUIDs changes with the shown state, and not with the date.
func TestUIDs(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	uid := func(change func(*presentation.State)) string {
		state := stateOf(s)
		change(state)
		return flat(t, encode(t, state))["(0008,0018)"]
	}
	plain := uid(func(*presentation.State) {})
	if later := uid(func(s *presentation.State) { s.Now, s.Version = s.Now.AddDate(1, 0, 0), "0.0.2" }); later != plain {
		t.Error("the date changes the instance")
	}
	for name, change := range map[string]func(*presentation.State){
		"window":   func(s *presentation.State) { s.Window.Width++ },
		"inverted": func(s *presentation.State) { s.Inverted = true },
		"area":     func(s *presentation.State) { s.Area[1][0]-- },
		"turn":     func(s *presentation.State) { s.View = s.View.Turned(volume.Turn{Mirrored: true}) },
		"number":   func(s *presentation.State) { s.Number++ },
		"mark":     func(s *presentation.State) { s.Marks = []presentation.Mark{{Points: [][2]float64{{1, 1}, {2, 2}}}} },
		"images":   func(s *presentation.State) { s.Sources = s.Sources[:2]; s.View.Size[2] = 2 },
	} {
		if uid(change) == plain {
			t.Errorf("another %s has the same UID", name)
		}
	}
}

// TestWindow writes windows as the function LINEAR, with which black and white are at the same
// values.
func TestWindow(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	for _, w := range []volume.Window{{Center: 40, Width: 80}, {Center: 40, Width: 80, Exact: true}, {Center: 0.5, Width: 0.25, Exact: true}, {Center: 3, Width: 1}} {
		state := stateOf(s)
		state.Window, state.Inverted = w, true
		got := flat(t, encode(t, state))
		var center, width float64
		fmt.Sscanf(got["(0028,3110)[0](0028,1050)"], "DS %g", &center)
		fmt.Sscanf(got["(0028,3110)[0](0028,1051)"], "DS %g", &width)
		lo, hi := w.Ends()
		if a, b := center-0.5-(width-1)/2, center-0.5+(width-1)/2; width < 1 || math.Abs(a-lo) > 1e-9 || math.Abs(b-hi) > 1e-9 {
			t.Errorf("%+v becomes %g/%g: black at %g and white at %g, not %g and %g", w, width, center, a, b, lo, hi)
		}
		if _, named := got["(0028,3110)[0](0028,1055)"]; named || got["(2050,0020)"] != "CS INVERSE" {
			t.Errorf("%+v: %v", w, got)
		}
	}
}

// TestTurns states every turn by rotation and mirroring, and the area by the stored pixels at the
// corners of the screen. The picture is one of a pixel with a known place in the view.
func TestTurns(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	for quarters := range 4 {
		for _, mirrored := range []bool{false, true} {
			state := stateOf(s)
			state.View = state.View.Turned(volume.Turn{Quarters: quarters, Mirrored: mirrored})
			size := state.View.Size
			state.Area = [2][2]int{{1, 0}, {size[0] - 1, size[1] - 1}} // all but the column at the left
			got := flat(t, encode(t, state))
			var rotation int
			fmt.Sscanf(got["(0070,0042)"], "US %d", &rotation)
			corner := func(x, y int) string { // of the screen, in stored pixels from 1, by the standard's words
				w, h := size[0], size[1]
				if got["(0070,0041)"] == "CS Y" { // mirrored last
					x = w - 1 - x
				}
				for range rotation / 90 { // turned back, a quarter at a time
					x, y, w, h = y, w-1-x, h, w
				}
				return fmt.Sprintf("SL %d %d", x+1, y+1)
			}
			if tl, br := got["(0070,005A)[0](0070,0052)"], got["(0070,005A)[0](0070,0053)"]; tl != corner(1, 0) || br != corner(size[0]-1, size[1]-1) {
				t.Errorf("%d quarters, mirrored %v: rotation %d, flip %s: area %s to %s, want %s to %s", quarters, mirrored, rotation, got["(0070,0041)"], tl, br, corner(1, 0), corner(size[0]-1, size[1]-1))
			}
			if spacing := got["(0070,005A)[0](0070,0101)"]; spacing != `DS 0.75\0.5` {
				t.Errorf("%d quarters: spacing %s", quarters, spacing)
			}
		}
	}
}

// TestGraphics maps marks to the units PIXEL, in which an image covers 0\0 to columns\rows.
func TestGraphics(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	corners := func(a, b [2]float64) *[2][2]float64 { return &[2][2]float64{a, b} }
	for name, c := range map[string]struct {
		mark presentation.Mark
		kind string
		data string
		text string // its place
	}{
		"the first pixel": {presentation.Mark{Points: [][2]float64{{0, 0}}}, "POLYLINE", "0.5 0.5", "0.5 0.5"},
		"the whole image": {presentation.Mark{Points: [][2]float64{{-0.5, -0.5}, {3.5, 2.5}}}, "POLYLINE", "0 0 4 3", "0 3"},
		"a line that leaves the image keeps its direction": {presentation.Mark{Points: [][2]float64{{0.5, 0.5}, {5.5, 5.5}}}, "POLYLINE", "1 1 3 3", "1 3"},
		"a line from beyond the image":                     {presentation.Mark{Points: [][2]float64{{-1.5, 0.5}, {2.5, 0.5}}}, "POLYLINE", "0 1 3 1", "0 1"},
		"a rectangle is cut off": {presentation.Mark{Points: [][2]float64{{-2, 0}, {1, 0}, {1, 9}, {-2, 9}}, Closed: true}, "POLYLINE",
			"0 0.5 1.5 0.5 1.5 3 0 3 0 0.5", "0 3"},
		"a wide ellipse": {presentation.Mark{Points: [][2]float64{{3, 1}}, Closed: true, Ellipse: corners([2]float64{0, 0}, [2]float64{3, 2})}, "ELLIPSE",
			"0.5 1.5 3.5 1.5 2 0.5 2 2.5", "3.5 1.5"},
		"a tall ellipse, drawn from below": {presentation.Mark{Points: [][2]float64{{2, 1}}, Closed: true, Ellipse: corners([2]float64{2, 2}, [2]float64{1, 0})}, "ELLIPSE",
			"2 0.5 2 2.5 1.5 1.5 2.5 1.5", "2.5 1.5"},
		"an ellipse to the edge": {presentation.Mark{Points: [][2]float64{{1, 1}}, Closed: true, Ellipse: corners([2]float64{-0.5, -0.5}, [2]float64{3.5, 2.5})}, "ELLIPSE",
			"0 1.5 4 1.5 2 0 2 3", "1.5 1.5"},
		"an ellipse beyond it": {presentation.Mark{Points: [][2]float64{{-1, 1}, {1, 0}, {3, 1}}, Closed: true, Ellipse: corners([2]float64{-0.6, 0}, [2]float64{3, 2})}, "POLYLINE",
			"0 1.5 1.5 0.5 3.5 1.5 0 1.5", "0 1.5"},
	} {
		state := stateOf(s)
		c.mark.Text = "x"
		state.Marks = []presentation.Mark{c.mark}
		got := flat(t, encode(t, state))
		graphic, text := "(0070,0001)[0](0070,0009)[0]", "(0070,0001)[0](0070,0008)[0]"
		if got[graphic+"(0070,0023)"] != "CS "+c.kind || got[graphic+"(0070,0022)"] != "FL "+c.data || got[text+"(0070,0014)"] != "FL "+c.text {
			t.Errorf("%s: %s %s, text at %s", name, got[graphic+"(0070,0023)"], got[graphic+"(0070,0022)"], got[text+"(0070,0014)"])
		}
		if want := fmt.Sprintf("US %d", (len(strings.Fields(c.data)))/2); got[graphic+"(0070,0021)"] != want {
			t.Errorf("%s: %s points, want %s", name, got[graphic+"(0070,0021)"], want)
		}
	}
}

// TestCaptions puts the text of a mark at the corner that is at the bottom left of the screen.
func TestCaptions(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	for turn, want := range map[volume.Turn]string{
		{}: "FL 0.5 1.5", {Mirrored: true}: "FL 2.5 1.5", {Quarters: 1}: "FL 2.5 1.5", {Quarters: 2}: "FL 2.5 0.5", {Quarters: 3}: "FL 0.5 0.5",
	} {
		state := stateOf(s)
		state.View = state.View.Turned(turn)
		state.Area = [2][2]int{}
		state.Marks = []presentation.Mark{{Points: [][2]float64{{0, 0}, {2, 1}}, Text: "x"}}
		if got := flat(t, encode(t, state))["(0070,0001)[0](0070,0008)[0](0070,0014)"]; got != want {
			t.Errorf("%+v: %s, want %s", turn, got, want)
		}
	}
}

// TestFrames refers to the frames of a multi-frame image by their numbers, unless to all.
func TestFrames(t *testing.T) {
	var frames []dicomtest.FakeFrame
	for z := range 3 {
		frames = append(frames, dicomtest.FakeFrame{Z: float64(z)})
	}
	s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...))), 0)
	state := stateOf(s)
	state.Marks = []presentation.Mark{{Slice: 2, Points: [][2]float64{{0, 0}, {1, 1}}}}
	got := flat(t, encode(t, state))
	if got["(0008,1115)[0](0008,1140)"] != "SQ 1" || got["(0008,1115)[0](0008,1140)[0](0008,1160)"] != "" {
		t.Error("all frames are numbered")
	}
	if want := fmt.Sprintf("IS %d", s.Sources[2].Frame+1); got["(0070,0001)[0](0008,1140)[0](0008,1160)"] != want {
		t.Errorf("the mark is on frame %q, want %q", got["(0070,0001)[0](0008,1140)[0](0008,1160)"], want)
	}
	state.Sources, state.View.Size[2], state.Marks = state.Sources[:2], 2, nil
	if got := flat(t, encode(t, state)); got["(0008,1115)[0](0008,1140)[0](0008,1160)"] != `IS 1\2` {
		t.Errorf("frames %q", got["(0008,1115)[0](0008,1140)[0](0008,1160)"])
	}
}

// TestRefused asks for a sentence if a presentation state cannot refer to the images.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		fakes  map[string]*dicomtest.Fake
		change func(*presentation.State)
		want   string
	}{
		"two slopes":     {dicomtest.Stack(2), func(s *presentation.State) { s.Sources[1].Slope = 3 }, "rescale slope"},
		"no UID":         {dicomtest.Stack(2), func(s *presentation.State) { s.Sources[0].UID = "" }, "instance UID"},
		"another file":   {dicomtest.Stack(2), func(s *presentation.State) { s.Sources[1].UID = "1.2.3.4" }, "not the one that was loaded"},
		"a missing file": {dicomtest.Stack(2), func(s *presentation.State) { s.Sources[1].Name = "x.dcm" }, "cannot be opened"},
		"a mosaic":       {map[string]*dicomtest.Fake{"m": dicomtest.NewMosaic(1, `0\0\1`)}, func(*presentation.State) {}, "mosaic"},
		"no study": {func() map[string]*dicomtest.Fake {
			f := dicomtest.Stack(2)
			for _, one := range f {
				one.With(part10.TagStudyInstanceUID, nil)
			}
			return f
		}(), func(*presentation.State) {}, "names no study"},
		"a lookup table": {func() map[string]*dicomtest.Fake {
			f := dicomtest.Stack(2)
			for _, one := range f {
				one.With(part10.TagModalityLUTSequence, dicomtest.RawElement(part10.AppendSequence(nil, one.Enc, part10.TagModalityLUTSequence, nil)))
			}
			return f
		}(), func(*presentation.State) {}, "lookup table"},
		"an area beyond the image": {dicomtest.Stack(2), func(s *presentation.State) { s.Area[1][0] = 4 }, "area"},
		"an empty area":            {dicomtest.Stack(2), func(s *presentation.State) { s.Area[0][0], s.Area[1][0] = 3, 2 }, "empty"},
		"a mark on no slice":       {dicomtest.Stack(2), func(s *presentation.State) { s.Marks = []presentation.Mark{{Slice: 2, Points: make([][2]float64, 2)}} }, "slice 2 of 2"},
		"too many points":          {dicomtest.Stack(2), func(s *presentation.State) { s.Marks = []presentation.Mark{{Points: make([][2]float64, 8191)}} }, "8191 points"},
		"another plane":            {dicomtest.Stack(2), func(s *presentation.State) { s.View.Axis = [3]int{0, 2, 1} }, "axis 1"},
	} {
		t.Run(name, func(t *testing.T) {
			state := stateOf(dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(c.fakes)), 0))
			c.change(state)
			_, err := state.Encode(t.Context())
			dicomtest.WantError(t, err, c.want)
		})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(2))), 0)
	if _, err := stateOf(s).Encode(cancelled); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestDeidentified refers to a de-identified export: the state has its pseudonyms and no date.
func TestDeidentified(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(part10.TagPatientName, "Secret^Name").With(part10.TagPatientID, "4711").With(part10.TagStudyDate, "20260102").With(part10.TagAccessionNumber, "A4711")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	out, report := dicomtest.Export(t, s, dicomtest.Hidden("s"))
	exported := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	file := encode(t, stateOf(exported))
	got := flat(t, file)
	image := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	for tag, path := range map[part10.Tag]string{part10.TagPatientID: "(0010,0020)", part10.TagPatientName: "(0010,0010)", part10.TagStudyInstanceUID: "(0020,000D)"} {
		if want := strings.TrimRight(string(image[tag][8:]), " \x00"); got[path][3:] != want || want == "" {
			t.Errorf("%v is %q, of the images %q", tag, got[path], want)
		}
	}
	for path, want := range map[string]string{"(0012,0062)": "CS YES", "(0008,0012)": "DA 19000101", "(0070,0082)": "DA 19000101", "(0028,0303)": "CS REMOVED",
		"(0008,0020)": "DA ", "(0008,1115)[0](0020,000E)": "UI " + report.SeriesUID} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
	for _, secret := range []string{"Secret", "4711", "20260102", "20260304", "1.2.3."} {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("%q is in the file", secret)
		}
	}
}

// TestBesideItsSeries scans a series with a presentation state in its folder: the series is as it was,
// and a new export may replace both.
func TestBesideItsSeries(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	out, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
	alone := dicomtest.Scan(t, os.DirFS(out))
	if err := os.WriteFile(filepath.Join(out, dicom.PresentationName(1)), encode(t, stateOf(dicomtest.Load(t, alone, 0))), 0o644); err != nil {
		t.Fatal(err)
	}
	c := dicomtest.Scan(t, os.DirFS(out))
	if len(c.Entries) != 1 || c.Entries[0].Err != nil || c.Entries[0].Slices != 3 || len(c.Entries[0].Findings) != len(alone.Entries[0].Findings) {
		t.Errorf("the series is read as %+v", c.Entries)
	}
	if f := dicomtest.Finding(t, c.Findings, series.NoImage); f.Severity != series.Note {
		t.Errorf("finding %+v", f)
	}
	if other, err := dicom.Foreign(out, func(string) bool { return false }); other != "" || err != nil {
		t.Errorf("foreign: %q, %v", other, err)
	}
}

// TestOtherPrograms asks dciodvfy and dcmtk about states of a CT and of an enhanced MR with everything in them.
func TestOtherPrograms(t *testing.T) {
	_, ct := dicomtest.OnDisk(t, dicomtest.Stack(3))
	mr := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.PublicSeries(t, "mr/siemens-enhanced-xa10")), 0)
	for _, c := range []struct{ program, complaint string }{{"dciodvfy", "(?m)^Error.*"}, {"dcmpschk", "(?m)^(E:|W: .*(rror|arning|failed)).*"}} {
		t.Run(c.program, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not installed", c.program)
			}
			for _, s := range []*series.Series{ct, mr} {
				state := stateOf(s)
				state.View = state.View.Turned(volume.Turn{Quarters: 1})
				state.Area = [2][2]int{{0, 1}, {2, 3}}
				state.Marks = []presentation.Mark{{Slice: 1, Points: [][2]float64{{0, 0}, {2, 2}}, Text: "1: 3 mm"},
					{Slice: 1, Points: [][2]float64{{0, 0}}, Closed: true, Ellipse: &[2][2]float64{{0, 0}, {2, 1}}, Text: "2: mean 3 SD 1 HU"}}
				file := filepath.Join(t.TempDir(), "PR00001.dcm")
				if err := os.WriteFile(file, encode(t, state), 0o644); err != nil {
					t.Fatal(err)
				}
				text, _ := exec.Command(c.program, file).CombinedOutput() // the exit status of dciodvfy reports warnings too
				if lines := regexp.MustCompile(c.complaint).FindAllString(string(text), -1); lines != nil || len(text) == 0 {
					t.Errorf("%s of a state of %s: %q", c.program, s.Modality, lines)
				}
			}
		})
	}
}
