package dicom_test

import (
	"slices"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/series"
)

// A broken file leaves the others: each slice stays at its place with its voxels, a slice that is
// missing between others is a gap, and a finding names the file.
func TestWithoutDamaged(t *testing.T) {
	const n = 24
	whole := dicomtest.FilesOf(dicomtest.Stack(n))
	c := dicomtest.Scan(t, whole)
	if c.WithoutDamaged() != nil {
		t.Error("a sound series has a rest")
	}
	full := dicomtest.Load(t, c, 0)
	sources := full.Sources
	for name, cut := range map[string]struct {
		slices []int
		bytes  func(b []byte) []byte
		gap    bool
	}{
		"one in the middle, half":     {[]int{11}, func(b []byte) []byte { return b[:len(b)/2] }, true},
		"one in the middle, one byte": {[]int{11}, func(b []byte) []byte { return b[:len(b)-1] }, true},
		"two beside each other":       {[]int{7, 8}, func(b []byte) []byte { return b[:len(b)-10] }, true},
		"the first":                   {[]int{0}, func(b []byte) []byte { return b[:len(b)-10] }, false},
		"the last":                    {[]int{n - 1}, func(b []byte) []byte { return b[:len(b)-10] }, false},
		"before its series is named":  {[]int{5}, func(b []byte) []byte { return b[:260] }, true},
	} {
		t.Run(name, func(t *testing.T) {
			files := dicomtest.FilesOf(dicomtest.Stack(n))
			var broken []string
			for _, z := range cut.slices {
				broken = append(broken, sources[z].Name)
				files[sources[z].Name].Data = cut.bytes(files[sources[z].Name].Data)
			}
			c := dicomtest.Scan(t, files)
			if e := c.Entries[c.Default]; e.Err == nil {
				t.Fatal("the broken file is not noticed")
			}
			rest := c.WithoutDamaged()
			if rest == nil || len(rest.Entries) != 1 {
				t.Fatalf("rest %+v", rest)
			}
			if e := c.Entries[c.Default]; e.Err == nil {
				t.Error("the catalog itself is changed")
			}
			s := dicomtest.Load(t, rest, 0)
			if got, want := s.Volume.Dims[2], n-len(broken); got != want {
				t.Fatalf("%d slices; want %d", got, want)
			}
			for z, source := range s.Sources {
				from := slices.IndexFunc(sources, func(f series.Source) bool { return f.Name == source.Name })
				if source.Position != sources[from].Position || slices.Contains(broken, source.Name) || !slices.Equal(s.Volume.Plane(z), full.Volume.Plane(from)) {
					t.Fatalf("slice %d is not %s at its place", z, source.Name)
				}
			}
			f := dicomtest.Finding(t, s.Findings, series.Damaged)
			if f.Severity != series.Refused || !slices.Equal(f.Files, slices.Sorted(slices.Values(broken))) {
				t.Errorf("finding %+v; want %v", f, broken)
			}
			if gap := slices.ContainsFunc(s.Findings, func(f series.Finding) bool { return f.Kind == series.Gap }); gap != cut.gap {
				t.Errorf("a gap is found: %v; want %v", gap, cut.gap)
			}
		})
	}
	all := dicomtest.FilesOf(dicomtest.Stack(2))
	for _, f := range all {
		f.Data = f.Data[:len(f.Data)-1]
	}
	if dicomtest.Scan(t, all).WithoutDamaged() != nil {
		t.Error("there is a rest of nothing")
	}
}
