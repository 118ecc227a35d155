package queue

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"quell/app/batch"
	"quell/io/dicom/dicomtest"
)

// TestQueueHoldsNoName distributes a de-identified batch: the files of the queue and the state hold
// no name of the inputs, and workers of the same account find the inputs; others refuse.
func TestQueueHoldsNoName(t *testing.T) {
	home := t.TempDir()
	own := func(dir string) {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
			t.Setenv(name, dir)
		}
	}
	own(home)
	dir := t.TempDir()
	s := &site{t, nil, filepath.Join(dir, "in"), filepath.Join(dir, "out"), quick}
	for _, patient := range []string{"QZSMITH", "QZJONES"} {
		folder := filepath.Join(s.in, patient, "QZHEAD")
		s.must(os.MkdirAll(folder, 0o777))
		for name, f := range dicomtest.Stack(3) {
			s.must(os.WriteFile(filepath.Join(folder, name), f.File(), 0o666))
		}
	}
	queued := filepath.Join(dir, "queue")
	server, err := Start(queued, "")
	s.must(err)
	s.server = server
	t.Cleanup(server.Close)
	o := s.options(s.connect())
	o.Job.Output.Deidentify, o.Select = true, "PatientID!=QZMILLER"
	var spec batch.Spec
	distribute := o.Distribute
	o.Distribute = func(ctx context.Context, sp batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
		spec = sp
		queuedOnly, cancel := context.WithCancel(ctx)
		_ = distribute(queuedOnly, sp, units, func(batch.Left) { cancel() }) // it is queued, and no one works
		searchNames(t, queued)
		working, stop := context.WithCancel(ctx)
		wait := s.workers(working, 2, batch.Events{})
		defer wait()
		defer stop()
		return distribute(ctx, sp, units, progress)
	}
	sum, err := batch.Run(t.Context(), o, batch.Events{})
	if s.must(err); sum.Done+sum.Duplicates != 2 || sum.Failed != 0 {
		t.Errorf("%+v: %+v", sum.Progress, sum.Failed)
	}
	searchNames(t, s.out)
	own(t.TempDir())
	if _, err := batch.NewWorker(spec, 0, 0, batch.Events{}); err == nil {
		t.Error("a worker of another account takes the batch")
	}
}

// searchNames fails if a name or a file below dir holds QZ, with which all names begin.
func searchNames(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, name := range []string{"QZSMITH", "QZJONES", "QZHEAD", "QZMILLER"} {
			if rel, _ := filepath.Rel(dir, path); bytes.Contains(append([]byte(rel), data...), []byte(name)) {
				t.Errorf("%s holds %s", path, name)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files in %s, %v", files, dir, err)
	}
}
