package session_test

import (
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise/noise"
	"quell/internal/nii4d"
	"quell/series"
	"quell/ui/session/desk"
	"quell/volume"
)

// open4D opens a 4-D file of n volumes with a first voxel that is the volume's
// number.
func (b *bench) open4D(t *testing.T, n int) (path string) {
	t.Helper()
	return b.openVolumes(t, n, rampSeries(t))
}

func (b *bench) openVolumes(t *testing.T, n int, one *series.Series) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "dynamic.nii")
	g := one.Volume.Geometry
	g.Dims[2] *= n
	all := volume.New(g)
	for k := range n {
		part := all.Data[k*len(one.Volume.Data):]
		noisy, err := noise.AddNoise(t.Context(), one.Volume, noise.Gaussian, 4, uint64(k)) // no two are the same
		if err != nil {
			t.Fatal(err)
		}
		copy(part, noisy.Data)
		part[0] = float32(k)
	}
	one.Volume = all
	if _, err := app.DoOn(t.Context(), app.On{Series: one}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	if err := nii4d.Fold(path, n, 2); err != nil {
		t.Fatal(err)
	}
	b.opens(path)
	return path
}

// volumeShown returns the number of the volume on the screen, by its voxels and by Group.
func (b *bench) volumeShown() (byVoxels, byGroup int) {
	_, byGroup = b.Documents.Group()
	return int(b.Series().Volume.Data[0]), byGroup
}

// A 4-D series opens at its first volume without a question, and another volume takes its
// place with recipe, view and history kept.
func TestVolumesOf4DSeries(t *testing.T) {
	b := newBench(t)
	if g, _ := b.Documents.Group(); g != nil {
		t.Error("the bundled series is a volume of a group")
	}
	b.Reader.ShowVolume(0) // nothing
	path := b.open4D(t, 3)
	g, _ := b.Documents.Group()
	if g == nil || g.Len() != 3 || g.Axis() != "time" {
		t.Fatalf("%+v", g)
	}
	b.applied(3)
	b.State().SetPlane(volume.Coronal)
	b.State().Cut().SetIndex(4)
	b.State().Windows.Set(volume.Window{Center: 10, Width: 20})
	b.settle()
	look, recipe := b.State().Look(), b.Tuning.Recipe()
	b.Reader.ShowVolume(2)
	if !b.Tasks.Busy() || b.Tasks.Progress().Kind != desk.Loading {
		t.Error("the volume is not being read")
	}
	b.settle()
	if v, at := b.volumeShown(); v != 2 || at != 2 {
		t.Fatalf("volume %d, %d is shown", v, at)
	}
	if got := b.State().Look(); got != look || !b.Tuning.Recipe().Equal(recipe) || !b.Document().Edits().CanUndo() || b.Tasks.Message() != "time 4 s" {
		t.Errorf("look %+v, not %+v; %s; %q", got, look, b.Tuning.Recipe(), b.Tasks.Message())
	}
	if b.Results.Exportable() != nil || kindOf(b.Documents.Loss()) != desk.NoLoss || b.Documents.Path() != path || len(b.Documents.List()) != 1 {
		t.Error("the result of the first volume is that of the third")
	}
	if facts, known := b.Document().Facts(); !known || facts.Noise.Sigma == 0 {
		t.Error("the noise of the third volume is not known")
	}
	if w, _ := b.Work(); w.Entry != 2 {
		t.Errorf("entry %d would be opened again", w.Entry)
	}
	// Numbers that are none do nothing.
	for _, k := range []int{-1, 2, 3} {
		if b.Reader.ShowVolume(k); b.Tasks.Busy() {
			t.Errorf("volume %d is read", k)
		}
	}
}

// The last of several volumes that are asked for is shown; asking for the present one ends
// the reading.
func TestTheNewestVolumeIsShown(t *testing.T) {
	b := newBench(t)
	b.open4D(t, 4)
	b.gate = make(chan struct{})
	b.Reader.ShowVolume(1)
	b.Reader.ShowVolume(3)
	b.Reader.ShowVolume(2)
	close(b.gate)
	b.gate = nil
	b.settle()
	if v, at := b.volumeShown(); v != 2 || at != 2 {
		t.Errorf("volume %d, %d is shown", v, at)
	}
	b.gate = make(chan struct{})
	b.Reader.ShowVolume(0)
	b.Reader.ShowVolume(2)
	if b.Tasks.Busy() {
		t.Error("another volume is still read")
	}
	close(b.gate)
	b.gate = nil
	b.settle()
	if v, at := b.volumeShown(); v != 2 || at != 2 || len(b.errors) > 0 {
		t.Errorf("volume %d, %d is shown; %v", v, at, b.errors)
	}
	// A run is not interrupted.
	b.engine.holdRuns()
	b.Tuning.Set(b.tuned(3), true)
	b.Results.Apply()
	if b.Reader.ShowVolume(0); b.Tasks.Progress().Kind != desk.Applying {
		t.Error("another volume takes the place of a run")
	}
	b.engine.open()
	b.settle()
}

// Added noise and the reference are of the volume that is left.
func TestAnotherVolumeHasNoAddedNoise(t *testing.T) {
	b := newBench(t)
	b.open4D(t, 2)
	b.Reader.AddNoise(job.AddedNoise{Model: "gaussian", Sigma: 3, Seed: 1})
	b.settle()
	b.Reader.ShowVolume(1)
	b.settle()
	if _, noisy := b.Document().Noise(); noisy || b.Document().Reference() != nil {
		t.Error("the noise of the first volume is that of the second")
	}
}

// All volumes are filtered by the recipe of the run and written at once.
func TestExportAllVolumes(t *testing.T) {
	b := newBench(t)
	if b.Exports.CanWriteAll() {
		t.Error("a series alone has no volumes")
	}
	b.open4D(t, 3)
	if b.Exports.CanWriteAll() {
		t.Error("nothing is filtered yet")
	}
	out := filepath.Join(t.TempDir(), "all.nii")
	b.Exports.WriteAll(out, job.Options{}, func(job.Written) { t.Error("nothing is exported") })
	b.applied(3)
	if !b.Exports.CanWriteAll() {
		t.Fatal("the volumes cannot be exported")
	}
	var report job.Written
	b.Exports.WriteAll(out, job.Options{}, func(r job.Written) { report = r })
	b.settle()
	if report.Output != out || b.Tasks.Message() != "All 3 volumes are filtered and written." || kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Fatalf("%+v, %q, %v", report, b.Tasks.Message(), b.errors)
	}
	c, err := open.Scan(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for k := range 3 {
		s, err := c.Load(t.Context(), k, nil)
		if err != nil || s.Volume.Data[0] != float32(k)-3 { // what the engine makes of it
			t.Errorf("volume %d: %v, %v", k, s.Volume.Data[0], err)
		}
	}
}
