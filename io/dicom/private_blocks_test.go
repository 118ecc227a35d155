package dicom_test

import (
	"maps"
	"slices"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/series"
	"quell/volume"
)

// moveBlocks moves the private blocks of a file by three, and names another owner at their place.
func moveBlocks(f *dicomtest.Fake) {
	for _, t := range slices.Sorted(maps.Keys(f.Values)) {
		if t.Group()%2 == 0 {
			continue
		}
		v := f.Values[t]
		delete(f.Values, t)
		if t.Element() < 0x1000 {
			f.With(t+3, v)
			if raw, ok := v.(dicomtest.RawElement); ok {
				raw[2] += 3
			}
			defer f.With(t, "ANOTHER OWNER")
			continue
		}
		raw := slices.Clone(v.(dicomtest.RawElement))
		raw[3] += 3
		f.With(t+0x300, raw)
	}
}

// stripOwners removes the names of the owners of private blocks.
func stripOwners(f *dicomtest.Fake) {
	for t := range f.Values {
		if t.Group()%2 == 1 && t.Element() < 0x1000 {
			delete(f.Values, t)
		}
	}
}

// TestGradientsOfAnyBlock reads the gradients of every maker from blocks that have moved, and from blocks without the
// name of their owner, which is a warning.
func TestGradientsOfAnyBlock(t *testing.T) {
	for _, maker := range []string{"Siemens", "Siemens mosaic", "Siemens B-matrix", "GE", "Philips", "UIH"} {
		d := dicomtest.Diffusion{Maker: maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: []series.Gradient{
			{B: 0}, {B: 1000, Direction: volume.Vec{1, 0, 0}}, {B: 1000, Direction: volume.Vec{0, 0.6, 0.8}}}}
		want := dicomtest.Scan(t, dicomtest.FilesOf(d.Files())).Entries[0].Group.Gradients
		for what, change := range map[string]func(*dicomtest.Fake){"moved": moveBlocks, "stripped": stripOwners} {
			d.Change = func(_, _ int, f *dicomtest.Fake) { change(f) }
			c := dicomtest.Scan(t, dicomtest.FilesOf(d.Files()))
			if len(c.Entries) != 3 || c.Entries[0].Group == nil || c.Entries[0].Group.Gradients == nil {
				t.Errorf("%s, %s: %d entries, %+v", maker, what, len(c.Entries), c.Entries[0].Err)
				continue
			}
			if got := c.Entries[0].Group.Gradients.Volumes; !slices.Equal(got, want.Volumes) {
				t.Errorf("%s, %s: %v, want %v", maker, what, got, want.Volumes)
			}
			warned := slices.ContainsFunc(c.Entries[2].Findings, func(f series.Finding) bool { return f.Kind == series.Header && f.Severity == series.Warning })
			if warned != (what == "stripped") {
				t.Errorf("%s, %s: warned %v", maker, what, warned)
			}
		}
	}
}
