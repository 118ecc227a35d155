package app

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"quell/denoise"
	"quell/volume"
)

// TestGroupKeepsNoVolume: what is known of a volume that is done leaves its voxels to the next
// one. With little memory the next volume is read when that is done, and the results are the same.
func TestGroupKeepsNoVolume(t *testing.T) {
	for _, c := range []struct {
		name   string
		format string
		memory int64
		ahead  bool
	}{
		{"read ahead", "ahead.nii", 0, true},
		{"one at a time", "alone.nii", 2 * 4 * 7 * 6 * 5, false},
		{"DICOM", "alone", 2 * 4 * 7 * 6 * 5, false},
	} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in.nii")
		want := put4D(t, in, 4, 2)
		r := mustRecipe("gaussian", 2)
		job := Job{Recipe: &r, Measure: true, Memory: c.memory, Output: Output{Path: filepath.Join(dir, c.format)}}
		catalog, err := Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var of []weak.Pointer[volume.Volume]
		each := func(s *Slab) {
			run := s.Part.Run
			of = append(of, weak.Make(run.Source.Volume), weak.Make(run.Result))
			runtime.GC()
			runtime.GC() // what has a finalizer is left by the first
			for i, v := range of[:max(len(of)-4, 0)] {
				if v.Value() != nil {
					t.Errorf("%s: volume %d is kept when volume %d is done", c.name, i/2, len(of)/2-1)
				}
			}
			if len(of) == 2 && !c.ahead { // volume 1 has not been read yet
				data, err := os.ReadFile(in)
				if err != nil {
					t.Fatal(err)
				}
				n := len(want[0].Data) * 4
				first := len(data) - 4*n
				copy(data[first+n:first+2*n], data[first:first+n])
				if err := os.WriteFile(in, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if len(of) == 4 && !c.ahead && run.Source.Volume.Data[3] != want[0].Data[3] {
				t.Errorf("%s: volume 1 was read while volume 0 was worked on", c.name)
			}
		}
		src, closeFiles := catalog.Source(catalog.Members(0))
		means := Means{Engine: func() (denoise.Engine, error) { return cpuEngine(), nil }}
		report, err := Execute(t.Context(), job, src, means, Events{}, lastSink{each})
		closeFiles()
		catalog.Close()
		if err != nil || len(report.Volumes) != 4 || len(of) != 8 {
			t.Fatalf("%s: %d volumes, %v", c.name, len(report.Volumes), err)
		}
		_, all := loadAll(t, job.Output.Path)
		for k, s := range all {
			if s.Volume.Data[3] == 0 || len(all) != 4 {
				t.Errorf("%s: volume %d of %d is empty", c.name, k, len(all))
			}
		}
	}
}

// lastSink calls a function with every slab.
type lastSink struct{ slab func(s *Slab) }

func (lastSink) Begin(context.Context, *Made) error      { return nil }
func (l lastSink) Slab(_ context.Context, s *Slab) error { l.slab(s); return nil }
func (lastSink) Finish(context.Context, *Report) error   { return nil }
func (lastSink) Abort()                                  {}

// TestReadsAhead: where input, result and the next volume fit.
func TestReadsAhead(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.nii")
	put4D(t, in, 2, 2)
	o, err := OpenVolumes(t.Context(), Input{Path: in, All: true}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	readsAhead := func(j Job) bool { return j.Plan(o.geometry(), len(o.Entries)).Ahead }
	const one = 4 * 7 * 6 * 5
	r := mustRecipe("gaussian", 2)
	for memory, want := range map[int64]bool{3 * one: true, 3*one - 1: false, 0: true} {
		if got := readsAhead(Job{Recipe: &r, Memory: memory}); got != want {
			t.Errorf("%d bytes: %v", memory, got)
		}
	}
	if readsAhead(Job{Memory: 2*one - 1}) || !readsAhead(Job{Memory: 2 * one}) {
		t.Error("a conversion has no result of its own")
	}
}
