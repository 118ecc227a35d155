package dicomweb_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"quell/io/attributes"
	"quell/io/dicomweb"
)

// element is a list of one data set with one element.
func element(vr, values string) string {
	return fmt.Sprintf(`[{"00100010":{"vr":%q,"Value":[%s]}}]`, vr, values)
}

func TestValues(t *testing.T) {
	const text = `[{
		"00080020":{"vr":"DA","Value":["20260102"]},
		"00080061":{"Value":["CT","MR "],"vr":"CS"},
		"00081190":{"vr":"UR","Value":["http://evil.example/"]},
		"00100010":{"vr":"PN","Value":[{"Ideographic":"山田","Alphabetic":"Yamada^Tarou"}]},
		"00100020":{"vr":"LO"},
		"00080050":{"vr":"SH","Value":[null]},
		"00200011":{"vr":"IS","Value":["7 "]},
		"00201209":{"vr":"IS","Value":[300]},
		"00180050":{"vr":"DS","Value":[1.25,"2.5","thick"]},
		"7FE00010":{"vr":"OW","BulkDataURI":"http://evil.example/pixels"},
		"00420011":{"vr":"OB","InlineBinary":"AAAA"},
		"00081115":{"vr":"SQ","Value":[{"0020000E":{"vr":"UI","Value":["1.2"]}},{}]},
		"00089999":{"vr":"LO","Value":["a"],"later":{"x":[1,{"y":[]}]}}
	}]`
	all, err := dicomweb.ParseDatasets(strings.NewReader(text))
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	d := all[0]
	if d.Text(attributes.StudyDate) != "20260102" || d.Text(attributes.PatientName) != "Yamada^Tarou" || d.Text(attributes.PatientID) != "" || d.Text(attributes.AccessionNumber) != "" {
		t.Errorf("texts of %v", d)
	}
	if got := strings.Join(d.Texts(attributes.ModalitiesInStudy), " "); got != "CT MR" {
		t.Errorf("modalities %q", got)
	}
	if n, ok := d.Count(attributes.SeriesInstances); n != 300 || !ok {
		t.Errorf("%d instances, %v", n, ok)
	}
	if n, ok := d.Number(attributes.SeriesNumber); n != 7 || !ok {
		t.Errorf("series %v, %v", n, ok)
	}
	if v := d[0x00180050].Values; len(v) != 3 || v[0].Number != 1.25 || v[1].Number != 2.5 || v[2].IsNumber || v[2].Text != "thick" {
		t.Errorf("thickness %v", v)
	}
	if _, ok := d.Count(attributes.StudyInstances); ok {
		t.Error("a count that is not there")
	}
	if items := d[0x00081115].Items; len(items) != 2 || items[0].Text(attributes.SeriesInstanceUID) != "1.2" {
		t.Errorf("items %v", items)
	}
	if d[0x7FE00010].BulkDataURI == "" || attributes.StudySeries.String() != "00201206" {
		t.Error("address of bulk data, or form of a tag")
	}
}

// TestCounts has values on both sides of the limits of a count.
func TestCounts(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "-1": -1, "2147483647": 1<<31 - 1, "2147483648": -1, "1.5": -1, `"+3"`: 3, `"x"`: -1} {
		all, err := dicomweb.ParseDatasets(strings.NewReader(element("IS", text)))
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := all[0].Count(attributes.PatientName); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s counts as %d, %v", text, n, ok)
		}
	}
}

func TestHostileJSON(t *testing.T) {
	nested := func(n int) string { // brackets around the innermost value
		return `[{"00100010":{"vr":"LO","more":` + strings.Repeat("[", n-3) + strings.Repeat("]", n-3) + `}}]`
	}
	values := func(n int) string { // tokens: [ { name { vr LO Value [ ... ] } } ]
		return `[{"00100010":{"vr":"LO","Value":[""` + strings.Repeat(`,""`, n-13) + `]}}]`
	}
	sized := func(n int) string { return "[]" + strings.Repeat(" ", n-2) }
	for name, c := range map[string]struct{ text, error string }{
		"empty list":         {"[]", ""},
		"deepest":            {nested(dicomweb.MaxDepth), ""},
		"too deep":           {nested(dicomweb.MaxDepth + 1), "nested more than 64 deep"},
		"much too deep":      {strings.Repeat(`[{"00081115":{"vr":"SQ","Value":`, 100000), "a result that is no data set|nested more than 64 deep"},
		"most values":        {values(dicomweb.MaxNodes), ""},
		"too many values":    {values(dicomweb.MaxNodes + 1), "more than is read at a time"},
		"largest":            {sized(dicomweb.MaxJSON), ""},
		"too large":          {sized(dicomweb.MaxJSON + 1), "more than is read at a time"},
		"nothing":            {"", "nothing"},
		"half":               {`[{"00100010":{"vr":"LO"`, "no JSON, or that ends too early|ends too early"},
		"page":               {"<html>Doe^John</html>", "no JSON"},
		"number":             {"7", "no list"},
		"list of numbers":    {"[7]", "no data set"},
		"two lists":          {"[][]", "more after the end"},
		"name":               {`[{"PatientName":{"vr":"PN"}}]`, "a name that is no tag"},
		"short tag":          {`[{"0010010":{"vr":"PN"}}]`, "a name that is no tag"},
		"twice":              {`[{"00100010":{"vr":"PN"},"00100010":{"vr":"PN"}}]`, "00100010 twice"},
		"no object":          {`[{"00100010":"Doe"}]`, "00100010 without VR"},
		"no VR":              {`[{"00100010":{"Value":["Doe"]}}]`, "00100010 with no VR"},
		"unknown VR":         {element("XX", `"Doe"`), "with no VR"},
		"VR number":          {`[{"00100010":{"vr":7}}]`, "a wrong vr"},
		"values no list":     {`[{"00100010":{"vr":"LO","Value":"Doe"}}]`, "a wrong Value"},
		"values twice":       {`[{"00100010":{"vr":"LO","Value":[],"Value":[]}}]`, "a wrong Value"},
		"number as text":     {element("LO", "7"), "does not fit VR LO"},
		"name as text":       {element("LO", `{"Alphabetic":"Doe"}`), "does not fit VR LO"},
		"item as name":       {element("PN", `{"00100020":{"vr":"LO"}}`), "does not fit VR PN"},
		"text as name":       {element("PN", `"Doe"`), ""},
		"empty name":         {element("PN", `{},{"Alphabetic":null}`), ""},
		"number in name":     {element("PN", `{"Alphabetic":7}`), "a name that is no text"},
		"list in list":       {element("LO", `["Doe"]`), "of a wrong form"},
		"true":               {element("CS", "true"), "of a wrong form"},
		"text as item":       {element("SQ", `"Doe"`), "no item"},
		"person as item":     {element("SQ", `{"Alphabetic":"Doe"}`), "no item"},
		"bytes as values":    {element("OB", "1"), "of VR OB with values"},
		"infinite":           {element("FD", "1e999"), "does not fit VR FD"},
		"bulk data a number": {`[{"00100010":{"vr":"OB","BulkDataURI":7}}]`, "a wrong BulkDataURI"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dicomweb.ParseDatasets(strings.NewReader(c.text))
			if c.error == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			met := false
			for want := range strings.SplitSeq(c.error, "|") {
				met = met || strings.Contains(err.Error(), want)
			}
			if !met || strings.Contains(err.Error(), "Doe") {
				t.Fatalf("error %q, want %q", err, c.error)
			}
		})
	}
}

// FuzzJSON reads answers that a server may send: every element has a VR of the standard, and what is read
// again is the same.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`[{"00100010":{"vr":"PN","Value":[{"Alphabetic":"a"}]},"00081115":{"vr":"SQ","Value":[{"0020000E":{"Value":["1.2"],"vr":"UI"}}]}}]`))
	f.Add([]byte(element("IS", `7,"8 ",null`)))
	f.Add([]byte(`{"00420011":{"vr":"OB","InlineBinary":"AAAA"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := dicomweb.ParseDatasets(strings.NewReader(string(b)))
		slow, again := dicomweb.ParseDatasets(io.MultiReader(strings.NewReader(string(b[:len(b)/2])), strings.NewReader(string(b[len(b)/2:]))))
		if fmt.Sprint(all, err) != fmt.Sprint(slow, again) {
			t.Fatalf("%v %v, in two pieces %v %v", all, err, slow, again)
		}
		var visit func(d dicomweb.Dataset)
		visit = func(d dicomweb.Dataset) {
			for tag, e := range d {
				if len(e.VR) != 2 || len(e.Values) > 0 && len(e.Items) > 0 {
					t.Fatalf("%v is %v", tag, e)
				}
				for _, item := range e.Items {
					visit(item)
				}
			}
		}
		for _, d := range all {
			visit(d)
		}
	})
}
