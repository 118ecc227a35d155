package session_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"quell/app/job"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/session/exports"
)

// exported exports the result that is shown to a path.
func (b *bench) exported(path string) {
	b.loop.t.Helper()
	b.Exports.Write(path, job.Options{}, func(job.Written) {})
	b.settle()
	if len(b.errors) > 0 {
		b.loop.t.Fatal(b.errors)
	}
}

// checked looks whether exported files stand, and returns what would be lost.
func (b *bench) checked() desk.Loss {
	b.loop.t.Helper()
	b.Exports.Check(func() {})
	b.settle()
	return kindOf(b.Documents.Loss())
}

// Two results that went to one path: the first is not exported any more, at once and after a look.
func TestAnExportInThePlaceOfAnotherIsALoss(t *testing.T) {
	b := newBench(t)
	out := filepath.Join(t.TempDir(), "out.nii.gz")
	b.applied(3)
	b.exported(out)
	b.applied(5)
	b.exported(out)
	for range 2 {
		if r := b.Results.List(); r[0].Exported || !r[1].Exported || kindOf(b.Documents.Loss()) != desk.LosesGone {
			t.Errorf("results %+v, loss %v", r, kindOf(b.Documents.Loss()))
		}
		b.checked()
	}
	b.exported(out) // the same again
	if r := b.Results.List(); !r[1].Exported || b.checked() != desk.LosesGone {
		t.Errorf("results %+v", r)
	}
	b.Results.Show(0)
	b.exported(filepath.Join(t.TempDir(), "other"))
	if b.checked() != desk.NoLoss {
		t.Error("two exports in two places lose something")
	}
}

// A result is exported while the files of one of its exports stand.
func TestAResultIsExportedWhileFilesStand(t *testing.T) {
	b := newBench(t)
	file, folder := filepath.Join(t.TempDir(), "out.nii.gz"), filepath.Join(t.TempDir(), "out")
	b.applied(3)
	if b.Exports.Any() || b.checked() != desk.LosesResult {
		t.Error("a result is exported from the start")
	}
	b.exported(file)
	b.exported(folder)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if !b.Exports.Any() || b.checked() != desk.NoLoss {
		t.Error("the folder stands, and the result is lost")
	}
	slice := filepath.Join(folder, "IM00001.dcm")
	if err := os.Rename(slice, slice+".bak"); err != nil {
		t.Fatal(err)
	}
	if loss := b.checked(); loss != desk.LosesGone || kindOf(b.Documents.LossOf(0)) != loss || kindOf(b.Documents.VoxelsLoss()) != loss || b.Documents.List()[0].State != documents.Unexported {
		t.Errorf("a file of the folder is gone: loss %v, state %v", loss, b.Documents.List()[0].State)
	}
	if err := os.Rename(slice+".bak", slice); err != nil {
		t.Fatal(err)
	}
	if b.checked() != desk.NoLoss || b.Documents.List()[0].State != documents.Exported {
		t.Error("the file is back, and the result is lost")
	}
}

// A file system that does not answer neither blocks the window nor counts as an export.
func TestAFileSystemThatDoesNotAnswer(t *testing.T) {
	var stuck []func()
	var hold bool
	now := time.Now()
	b := newBenchWith(t, func(d *desk.Deps) {
		start := d.Go
		d.Go = func(f func()) {
			if hold {
				stuck = append(stuck, f)
				return
			}
			start(f)
		}
		d.Now = func() time.Time { return now }
	})
	b.applied(3)
	b.exported(filepath.Join(t.TempDir(), "out.nii.gz"))
	hold = true
	asked := 0
	check := func(want int, loss desk.Loss) {
		t.Helper()
		b.Exports.Check(func() { asked++ })
		if asked != want || kindOf(b.Documents.Loss()) != loss {
			t.Errorf("%d answers, loss %v; want %d, %v", asked, kindOf(b.Documents.Loss()), want, loss)
		}
	}
	check(0, desk.NoLoss)
	now = now.Add(exports.SlowCheck)
	check(0, desk.NoLoss)
	now = now.Add(1)
	check(1, desk.LosesGone)
	hold = false
	for _, f := range stuck {
		go f()
	}
	b.loop.until("the checks are answered", func() bool { return asked == 3 })
	if kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Error("the file system answers, and the export is not seen")
	}
}
