package dicom

import (
	"fmt"
	"reflect"
	"testing"
)

// TestKnownElements reads files that say most things in the same bytes: with what
// is known of the others each has the values that it has by itself.
func TestKnownElements(t *testing.T) {
	var files [][]byte
	for i := range 3 {
		for _, enc := range []encoding{explicitLE, implicitLE, explicitBE} {
			f := newFake(fmt.Sprint(i), float64(i), 0).with(tagPatientID, "X")
			f.enc = enc
			files = append(files, f.file())
			files = append(files, f.with(tagPatientID, fmt.Sprint("long ", i)).file())
		}
	}
	known := new(elementCache)
	for i, b := range files {
		p, err := tokens(b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := readValues(p)
		if err != nil {
			t.Fatal(err)
		}
		p.known = known
		got, err := readValues(p)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("file %d: %v, %v; want %v", i, got, err, want)
		}
		raw, _ := p.wantedElements()
		if again := known.take(p.syntax.encoding, raw, got.set); len(again) != 0 {
			t.Errorf("file %d: %d elements are not known after it was read", i, len(again))
		}
	}
}

// TestNothingIsKnownOfOddFiles gives elements twice and in the wrong order, where
// the first one counts and neighbours matter.
func TestNothingIsKnownOfOddFiles(t *testing.T) {
	plain, err := tokens(newFake("1", 0, 0).file())
	if err != nil {
		t.Fatal(err)
	}
	known := new(elementCache)
	plain.known = known
	if _, err := readValues(plain); err != nil {
		t.Fatal(err)
	}
	twice := newFake("1", 0, 0)
	twice.with(tagModality-1, rawElement(appendElement(nil, explicitLE, tagModality, "CS", []byte("MR"))))
	p, err := tokens(twice.file())
	if err != nil {
		t.Fatal(err)
	}
	p.known = known
	a, err := readValues(p)
	if err != nil || a.text(tagModality) != "MR" {
		t.Errorf("modality %q, %v; the first one counts", a.text(tagModality), err)
	}
}

// TestElementCacheIsBounded fills a cache.
func TestElementCacheIsBounded(t *testing.T) {
	known := new(elementCache)
	for i := range maxCachedElements {
		p, err := tokens(newFake(fmt.Sprint(i), float64(i), 0).with(tagPatientID, fmt.Sprint(i)).file())
		if err != nil {
			t.Fatal(err)
		}
		p.known = known
		if _, err := readValues(p); err != nil {
			t.Fatal(err)
		}
		if n := len(known.parsed[explicitLE]); n > maxCachedElements {
			t.Fatalf("%d elements", n)
		}
	}
}
