package attributes_test

import (
	"bytes"
	"strings"
	"testing"

	"quell/io/attributes"
)

func text(vr string, values ...string) attributes.Element {
	e := attributes.Element{VR: vr}
	for _, v := range values {
		e.Values = append(e.Values, attributes.Value{Text: v})
	}
	return e
}

// TestCodec writes and reads a data set in both encodings.
func TestCodec(t *testing.T) {
	d := attributes.Dataset{
		attributes.PatientName:       text("PN", "Müller^Änne"),
		attributes.ModalitiesInStudy: text("CS", "CT", "MR"),
		attributes.StudyInstanceUID:  text("UI", "1.2.345"),
		attributes.SeriesInstances:   text("IS", "300"),
		attributes.StudyDescription:  text("LO"),
		0x0028_0010:                  {VR: "US", Values: []attributes.Value{{Text: "512", Number: 512, IsNumber: true}}},
		0x0018_9087:                  {VR: "FD", Values: []attributes.Value{{Text: "-1.5", Number: -1.5, IsNumber: true}}},
	}
	for _, syntax := range []string{attributes.ImplicitLE, attributes.ExplicitLE} {
		b, err := d.Encode(syntax)
		if err != nil {
			t.Fatal(err)
		}
		got, err := attributes.Decode(b, syntax)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := got.Count(attributes.SeriesInstances); n != 300 || !ok {
			t.Errorf("%d instances, %v", n, ok)
		}
		if s := strings.Join(got.Texts(attributes.ModalitiesInStudy), " "); s != "CT MR" {
			t.Error(s)
		}
		for tag, want := range map[attributes.Tag]string{
			attributes.PatientName: "Müller^Änne", attributes.StudyInstanceUID: "1.2.345", attributes.StudyDescription: "", 0x0028_0010: "512", 0x0018_9087: "-1.5",
			0x0008_0005: "ISO_IR 192",
		} {
			if s := got.Text(tag); s != want {
				t.Errorf("%v is %q, want %q", tag, s, want)
			}
		}
		if len(got) != len(d)+1 {
			t.Errorf("%d attributes", len(got))
		}
		for n := range b {
			_, _ = attributes.Decode(b[:n], syntax)
		}
	}
	if _, err := d.Encode("1.2.840.10008.1.2.2"); err == nil {
		t.Error("big endian is written")
	}
	if b, err := (attributes.Dataset{attributes.PatientID: text("LO", "x")}).Encode(attributes.ExplicitLE); err != nil || !bytes.Equal(b, []byte("\x10\x00\x20\x00LO\x02\x00x ")) {
		t.Errorf("%q, %v", b, err)
	}
}

func TestIdentifier(t *testing.T) {
	q := attributes.Query{Match: map[string]string{"PatientName": "A*", "00080060": "CT"}, Include: []string{"StudyDate", "PatientName", "SeriesNumber"}, Most: 1}
	d, err := q.Identifier("SERIES")
	if err != nil || len(d) != 5 || d.Text(0x0008_0052) != "SERIES" || d.Text(attributes.PatientName) != "A*" || d.Text(attributes.Modality) != "CT" {
		t.Errorf("%v, %v", d, err)
	}
	for _, c := range []attributes.Query{
		{Most: 1, Match: map[string]string{"NoSuchKeyword": "x"}},
		{Most: 1, Include: []string{"NoSuchKeyword"}},
		{Most: 1, Match: map[string]string{"PixelData": "x"}},
		{Most: 1, Match: map[string]string{"Rows": "512"}},
		{Most: 1, Match: map[string]string{"PatientName": "a\x00"}},
		{Most: 0},
	} {
		if _, err := c.Identifier("STUDY"); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	d := attributes.Dataset{attributes.PatientName: text("PN", "Müller"), attributes.SeriesInstances: text("IS", "3")}
	for _, syntax := range []string{attributes.ImplicitLE, attributes.ExplicitLE} {
		b, err := d.Encode(syntax)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, syntax == attributes.ImplicitLE)
	}
	f.Fuzz(func(t *testing.T, b []byte, implicit bool) {
		syntax := attributes.ExplicitLE
		if implicit {
			syntax = attributes.ImplicitLE
		}
		d, err := attributes.Decode(b, syntax)
		if (err == nil) != (d != nil) {
			t.Fatal(d, err)
		}
		for tag, e := range d {
			for _, v := range e.Values {
				if len(v.Text) > 8*len(b) {
					t.Fatalf("%v is longer than what it was read from", tag)
				}
			}
		}
	})
}
