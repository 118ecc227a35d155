package open

import (
	"errors"
	"testing"

	"quell/volume"
)

func TestLargest(t *testing.T) {
	entry := func(n int, component string, err error) Entry {
		return Entry{Component: component, Geometry: volume.NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1}), Err: err}
	}
	entries := []Entry{entry(2, "", nil), entry(9, "", errors.New("damaged")), entry(4, "red", nil), entry(4, "", nil), entry(3, "green", nil)}
	for component, want := range map[string]int{"": 2, "green": 4, "blue": 0} {
		if got := largest(entries, component); got != want {
			t.Errorf("component %q: entry %d, want %d", component, got, want)
		}
	}
}

func TestLabelsOfEntries(t *testing.T) {
	e := Entry{Slices: 28}
	if e.label() != "28 slices" {
		t.Errorf("%q", e.label())
	}
	e.Description, e.Part = "STD BRAIN", "time 1 of 2"
	if e.label() != "STD BRAIN, 28 slices, time 1 of 2" {
		t.Errorf("%q", e.label())
	}
}
