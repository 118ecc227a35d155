package open_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
)

// The volumes of a selection, and how much of the input that is.
func TestSelect(t *testing.T) {
	dir := t.TempDir()
	apptest.Put4D(t, filepath.Join(dir, "a.nii"), 3, 0)
	apptest.PutNii(t, filepath.Join(dir, "b.nii"), 4, 4, 4)
	c, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	one, single := 1, 3
	for name, x := range map[string]struct {
		in      job.Input
		entries []int
		group   bool
		text    string
	}{
		"default":      {job.Input{}, []int{0, 1, 2}, true, "contains 4 volumes; using the 4-D series of 3 along volume"},
		"all":          {job.Input{All: true}, []int{0, 1, 2}, true, "contains 4 volumes"},
		"one":          {job.Input{Series: &one}, []int{1}, false, "using series 2 (5 slices, volume 2 of 3); --series all:2 takes the 4-D series"},
		"all of one":   {job.Input{Series: &one, All: true}, []int{0, 1, 2}, true, "contains 4 volumes"},
		"another":      {job.Input{Series: &single}, []int{3}, false, "using series 4 (4 slices); choose another with --series"},
		"all of other": {job.Input{Series: &single, All: true}, []int{3}, false, "using series 4 (4 slices)"},
	} {
		s, err := c.Select(x.in)
		if err != nil || !slices.Equal(s.Entries, x.entries) || (s.Group != nil) != x.group || !strings.Contains(s.Covered.Text, x.text) || s.Covered.Of != 4 || s.Covered.Volumes != len(x.entries) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if items := c.Items(); len(items) != 2 || !slices.Equal(items[0], []int{0, 1, 2}) || !slices.Equal(items[1], []int{3}) {
		t.Errorf("%v", items)
	}
	if _, err := open.Open(t.Context(), job.Input{Path: dir, All: true}, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("all volumes as one: %v", err)
	}
}

// The b-values next to a file name its volumes; anything else there does not.
func TestBValuesBesideAFile(t *testing.T) {
	dir := t.TempDir()
	apptest.Put4D(t, filepath.Join(dir, "dwi.nii.gz"), 3, 2)
	for text, want := range map[string]string{
		"0 700 1000\n": "b-value 1000 s/mm2", "0\n700\n1e3": "b-value 1e3 s/mm2",
		"0 700": "time 4 s", "0 700 x": "time 4 s", "": "time 4 s",
	} {
		if err := os.WriteFile(filepath.Join(dir, "dwi.bval"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := open.Scan(t.Context(), filepath.Join(dir, "dwi.nii.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Entries[2].Group.Places[2].String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestResultsInSeveralFiles: a volume of a result is read from its own file.
func TestResultsInSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.nii"), filepath.Join(dir, "out")
	volumes := apptest.Put4D(t, in, 3, 2)
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	for k, v := range volumes {
		apptest.Write4D(t, filepath.Join(out, fmt.Sprint(k, ".nii")), 0, v)
	}
	of, err := open.Select(t.Context(), job.Input{Path: in}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	results, err := open.Results(t.Context(), out, of, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	for k, v := range volumes {
		if s, err := results.Load(t.Context(), k); err != nil || !slices.Equal(s.Volume.Data, v.Data) {
			t.Errorf("volume %d: that of another file, %v", k, err)
		}
	}
}
