package part10_test

import (
	"fmt"
	"reflect"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestKnownElements reads files that say most things in the same bytes: with what
// is known of the others each has the values that it has by itself.
func TestKnownElements(t *testing.T) {
	var files [][]byte
	for i := range 3 {
		for _, enc := range []part10.Encoding{part10.ExplicitLE, part10.ImplicitLE, part10.ExplicitBE} {
			f := dicomtest.NewFake(fmt.Sprint(i), float64(i), 0).With(part10.TagPatientID, "X")
			f.Enc = enc
			files = append(files, f.File())
			files = append(files, f.With(part10.TagPatientID, fmt.Sprint("long ", i)).File())
		}
	}
	known := new(part10.ElementCache)
	for i, b := range files {
		p, err := dicomtest.Tokens(b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := part10.ReadValues(p)
		if err != nil {
			t.Fatal(err)
		}
		p.Known = known
		got, err := part10.ReadValues(p)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("file %d: %v, %v; want %v", i, got, err, want)
		}
		raw, _ := p.WantedElements()
		if again := known.Take(p.Syntax.Encoding, raw, got.Set); len(again) != 0 {
			t.Errorf("file %d: %d elements are not known after it was read", i, len(again))
		}
	}
}

// TestNothingIsKnownOfOddFiles gives elements twice and in the wrong order, where
// the first one counts and neighbours matter.
func TestNothingIsKnownOfOddFiles(t *testing.T) {
	plain, err := dicomtest.Tokens(dicomtest.NewFake("1", 0, 0).File())
	if err != nil {
		t.Fatal(err)
	}
	known := new(part10.ElementCache)
	plain.Known = known
	if _, err := part10.ReadValues(plain); err != nil {
		t.Fatal(err)
	}
	twice := dicomtest.NewFake("1", 0, 0)
	twice.With(part10.TagModality-1, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagModality, "CS", []byte("MR"))))
	p, err := dicomtest.Tokens(twice.File())
	if err != nil {
		t.Fatal(err)
	}
	p.Known = known
	a, err := part10.ReadValues(p)
	if err != nil || a.Text(part10.TagModality) != "MR" {
		t.Errorf("modality %q, %v; the first one counts", a.Text(part10.TagModality), err)
	}
}

// TestElementCacheIsBounded fills a cache.
func TestElementCacheIsBounded(t *testing.T) {
	known := new(part10.ElementCache)
	for i := range part10.MaxCachedElements {
		p, err := dicomtest.Tokens(dicomtest.NewFake(fmt.Sprint(i), float64(i), 0).With(part10.TagPatientID, fmt.Sprint(i)).File())
		if err != nil {
			t.Fatal(err)
		}
		p.Known = known
		if _, err := part10.ReadValues(p); err != nil {
			t.Fatal(err)
		}
		if n := known.Len(part10.ExplicitLE); n > part10.MaxCachedElements {
			t.Fatalf("%d elements", n)
		}
	}
}
