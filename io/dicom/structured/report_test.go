package structured_test

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/object"
	"quell/io/dicom/parametric"
	"quell/io/dicom/part10"
	"quell/io/dicom/structured"
)

// exampleReport is a report on a volume of two slices of a CT with all attributes.
func exampleReport(t *testing.T) structured.Report {
	t.Helper()
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	header, p, err := part10.ReadHeader(s.Sources[0].FS, s.Sources[0].Name, func(t part10.Tag) bool { return slices.Contains(parametric.Tags, t) })
	if err != nil {
		t.Fatal(err)
	}
	p.Release()
	const class = "1.2.840.10008.5.1.4.1.1.2"
	return structured.Report{Header: header, Version: "1.2.3", Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Volumes: []structured.Volume{{
		Name: "Volume 1 of 1", Unit: "HU", Recipe: "nlm 2-D h=7",
		Source: object.Images{SeriesUID: "1.2.4", Slices: []object.Reference{{Class: class, UID: "1.2.4.1", Frame: 1}, {Class: class, UID: "1.2.4.1", Frame: 2}}},
		Result: object.Images{SeriesUID: "1.2.3", Slices: []object.Reference{{Class: class, UID: "1.2.3.1"}, {Class: class, UID: "1.2.3.2"}}},
		Noise:  structured.Figure{Value: 15.25}, Confidence: "high", Before: structured.Figure{Value: 15}, After: structured.Figure{Value: 4}, Squares: 7,
		Shares: []structured.Share{{Code: "CONTRAST_KEPT", Meaning: "Contrast kept", Value: 0.9, Low: 0.88, High: 0.92}, {Code: "TOY", Meaning: "Toy", Value: 0.5, Low: 0.5, High: 0.5}}, Object: 3,
		Verdict: structured.Judgement{Verdict: "fades", Why: "W."},
	}}}
}

func encode(t *testing.T, r structured.Report) []byte {
	t.Helper()
	file, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// groups returns the measurement groups of a report: of the source and of the result.
func groups(t *testing.T, file []byte) (source, result dicomtest.ContentItem) {
	t.Helper()
	all := dicomtest.Content(t, file).Only(t, "Imaging Measurements").In
	if len(all) != 2 {
		t.Fatalf("%d groups", len(all))
	}
	return all[0], all[1]
}

// TestReport: numbers have units and methods, images are listed once, and each group names its series and the program.
func TestReport(t *testing.T) {
	file := encode(t, exampleReport(t))
	tree := dicomtest.Content(t, file)
	if tree.Name != "Imaging Measurement Report" || tree.Template != "1500" {
		t.Errorf("the document is %q by template %q", tree.Name, tree.Template)
	}
	var images []string
	for _, g := range tree.Only(t, "Image Library").In {
		for _, i := range g.All("") {
			images = append(images, i.Kind+" "+i.Value)
		}
	}
	if want := []string{"IMAGE 1.2.4.1", "IMAGE 1.2.3.1", "IMAGE 1.2.3.2"}; !slices.Equal(images, want) {
		t.Errorf("images %q, not %q", images, want)
	}
	source, result := groups(t, file)
	for _, c := range []struct {
		of                  dicomtest.ContentItem
		tracking, uid, with string
	}{{source, "Volume 1 of 1, input", "1.2.4", ""}, {result, "Volume 1 of 1, result", "1.2.3", "nlm 2-D h=7"}} {
		if c.of.Template != "1501" || c.of.Only(t, "Tracking Identifier").Value != c.tracking || c.of.Only(t, "Series Instance UID").Value != c.uid {
			t.Errorf("%q of template %q is about %q", c.tracking, c.of.Template, c.of.Only(t, "Series Instance UID").Value)
		}
		if c.of.Only(t, "Algorithm Name").Value != "quell" || c.of.Only(t, "Algorithm Version").Value != "1.2.3" {
			t.Errorf("%q is made by %+v", c.tracking, c.of.All("Algorithm Name"))
		}
		if p := c.of.All("Algorithm Parameters"); len(p) != min(len(c.with), 1) || len(p) == 1 && p[0].Value != c.with {
			t.Errorf("%q is made with %+v", c.tracking, p)
		}
	}
	if a, b := source.Only(t, "Tracking Unique Identifier").Value, result.Only(t, "Tracking Unique Identifier").Value; a == b || a == "" {
		t.Errorf("the groups are tracked as %q and %q", a, b)
	}
	noise := append(source.All("Image noise"), result.All("Image noise")...)
	for i, want := range [][2]string{{"15.25", "NOISE_ESTIMATE"}, {"15", "EVEN_SQUARES"}, {"4", "EVEN_SQUARES"}} {
		if n := noise[i]; n.Value != want[0] || n.Unit != "[hnsf'U]" || n.Only(t, "Measurement Method").Value != want[1] || n.Only(t, "Derivation").Value != "386136009" || n.Qualifier != "" {
			t.Errorf("noise %d is %+v", i, n)
		}
	}
	kept := result.Only(t, "Contrast kept")
	if low, high := kept.Only(t, "Lower end of the 95 % interval"), kept.Only(t, "Upper end of the 95 % interval"); kept.Value != "90" || kept.Unit != "%" || low.Value != "88" || high.Value != "92" {
		t.Errorf("kept is %+v", kept)
	}
	if size := kept.Only(t, "Diameter"); size.Value != "3" || size.Unit != "mm" {
		t.Errorf("of %+v", size)
	}
	if f := result.Only(t, "Verdict on the result"); f.Kind != "CODE" || f.Value != "FADES" || f.Only(t, "Comment").Value != "W." {
		t.Errorf("the verdict is %+v", f)
	}
	if toy := result.Only(t, "Toy"); toy.Value != "50" || len(toy.All("Diameter")) != 0 {
		t.Errorf("a new share is %+v", toy)
	}
	if got := source.Only(t, "Confidence of the noise").Value; got != "HIGH" {
		t.Errorf("the confidence is %q", got)
	}
}

// TestUnknownNumbers are absent, with a code and a reason, and so are values that are no numbers.
func TestUnknownNumbers(t *testing.T) {
	r := exampleReport(t)
	v := &r.Volumes[0]
	v.Unit, v.Source = "", object.Images{}
	v.Noise, v.After, v.Shares = structured.Figure{Value: 3, Unknown: "Noise unknown: 2 × σ of §."}, structured.Figure{Value: math.NaN()}, nil
	source, result := groups(t, encode(t, r))
	if len(source.All("Series Instance UID")) != 0 {
		t.Error("a source that is no DICOM has a series UID")
	}
	noise := source.All("Image noise")
	if n := noise[0]; n.Value != "" || n.Unit != "" || n.Qualifier != "114010" || n.Only(t, "Comment").Value != "Noise unknown: 2 x sigma of ?." {
		t.Errorf("unknown noise is %+v", n)
	}
	if n := noise[1]; n.Value != "15" || n.Unit != "1" {
		t.Errorf("noise without a unit is %+v", n)
	}
	if n := result.Only(t, "Image noise"); n.Value != "" || n.Qualifier != "114010" || len(result.All("Contrast kept")) != 0 {
		t.Errorf("%+v", n)
	}
}

// TestReportBelongs to the patient and the study, and has a UID that follows from what it says, and no date.
func TestReportBelongs(t *testing.T) {
	r := exampleReport(t)
	file := encode(t, r)
	got := dicomtest.ElementBytes(t, file)
	for _, tag := range object.Shared {
		if tag != part10.TagBodyPartExamined && tag != part10.TagLaterality && !bytes.Contains(got[tag], r.Header.Raw(tag)) {
			t.Errorf("%v is %q, not %q", tag, got[tag], r.Header.Raw(tag))
		}
	}
	later, other := r, exampleReport(t)
	later.Now = later.Now.Add(time.Hour)
	other.Volumes[0].After.Value = 5
	uid := func(r structured.Report) string {
		return string(dicomtest.ElementBytes(t, encode(t, r))[part10.TagSOPInstanceUID])
	}
	if uid(r) != uid(later) || uid(r) == uid(other) {
		t.Errorf("instances %s, later %s, of another figure %s", uid(r), uid(later), uid(other))
	}
	if _, err := new(structured.Report).Encode(); err == nil {
		t.Error("a report on nothing is made")
	}
}

// TestCodes fit their attributes (SH and LO), and none is there twice.
func TestCodes(t *testing.T) {
	known := map[string]bool{}
	for _, c := range structured.Codes() {
		if known[c.Value] || len(c.Value) > 16 || len(c.Meaning) > 64 || c.Value == "" || c.Meaning == "" {
			t.Errorf("%+v", c)
		}
		known[c.Value] = true
	}
	if len(known) < 20 {
		t.Errorf("%d codes", len(known))
	}
}

// TestReportForValidators: dciodvfy finds no error in a report, and dsrdump reads what it says.
func TestReportForValidators(t *testing.T) {
	known, unknown := exampleReport(t), exampleReport(t)
	unknown.Volumes[0].Noise.Unknown, unknown.Volumes[0].Shares = "Noise unknown.", nil
	for name, r := range map[string]structured.Report{"known": known, "unknown": unknown} {
		path := filepath.Join(t.TempDir(), "report.dcm")
		if err := os.WriteFile(path, encode(t, r), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := dicomtest.Complaints(t, path); found != nil {
			t.Errorf("%s: %q", name, found)
		}
		if _, err := exec.LookPath("dsrdump"); err == nil {
			text, err := exec.Command("dsrdump", path).CombinedOutput()
			if want := `"Verdict on the result")=`; err != nil || strings.Contains(string(text), "E: ") || strings.Contains(string(text), "W: ") || !strings.Contains(string(text), want) {
				t.Errorf("%s: dsrdump: %v\n%s", name, err, text)
			}
		}
	}
}
