package option

import (
	"testing"

	"quell/app/job"
)

// TestParseSlices: people count from 1 and name both ends; the range counts from 0 and ends
// before To.
func TestParseSlices(t *testing.T) {
	for text, want := range map[string]job.SliceRange{
		"": {}, "3:5": {From: 2, To: 5}, ":3": {To: 3}, "1:3": {To: 3}, "8:": {From: 7}, "1:": {}, ":": {}, "1:1": {To: 1}, "10:10": {From: 9, To: 10},
	} {
		got, err := ParseSlices(text)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
		if back, err := ParseSlices(got.String()); err != nil || back != want {
			t.Errorf("%q is printed as %q, which reads as %v, %v", text, got, back, err)
		}
	}
	for _, text := range []string{"3", "a:b", "-1:3", "0:3", ":0", "0:", "2:-5", "4:3", "1:2:3", "0:99999999999999999999", "99999999999999999999:"} {
		if _, err := ParseSlices(text); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestParseBox: JSON has a box from 0, as before, and people have it from 1.
func TestParseBox(t *testing.T) {
	got, err := ParseBox("3:10,1:1")
	if want := (Box{Min: [2]int{2, 0}, Max: [2]int{10, 1}}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if data, err := got.MarshalText(); err != nil || string(data) != "2:10,0:1" || got.String() != "3:10,1:1" {
		t.Errorf("JSON %s, %v; text %s", data, err, got)
	}
	for _, text := range []string{"", "3:10", "3:10,", "3:10,1", "3:10,1:1,1:1", "3:10,:4", "3:10,4:", ":4,1:1", "0:10,1:1", "3:10,0:1", "10:9,1:1", "a:9,1:1", ",", ":,:"} {
		if b, err := ParseBox(text); err == nil {
			t.Errorf("%q: %v", text, b)
		}
	}
}
