package atomic

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// abandon leaves a stage behind, as a killed process does.
func abandon(t *testing.T, target string, old time.Duration) (stage string) {
	t.Helper()
	s := beginOn(t, target, disk{})
	put(t, filepath.Join(s.Path("x"), "y"), "half written")
	age(t, s.dir, old)
	return s.dir
}

// fileTime returns the time by the clock of the file system.
func fileTime(t *testing.T, dir string) time.Time {
	t.Helper()
	path := filepath.Join(dir, "clock")
	put(t, path, "")
	defer os.Remove(path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

func TestLeaseExpiresByAWideMargin(t *testing.T) {
	if leaseExpiry < 30*renewEvery {
		t.Errorf("a lease expires after %v, and is renewed every %v", leaseExpiry, renewEvery)
	}
}

func TestOnlyExpiredLeasesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	target := filepath.Join(parent, "out")
	alive, late := abandon(t, target, 0), abandon(t, target, 0)
	ahead := abandon(t, target, -24*time.Hour) // a clock that jumped
	expired := abandon(t, target, leaseExpiry+time.Second)
	bare := newStageName(parent) // cut short before its lease was made
	if err := os.Mkdir(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(parent, prefix+"notes"), "a file is no stage")
	put(t, filepath.Join(parent, "patients", "1"), "a folder of another name")

	now, err := lastAlive(alive)
	if err != nil {
		t.Fatal(err)
	}
	atLimit := now.Add(-leaseExpiry)
	if err := os.Chtimes(filepath.Join(late, leaseName), atLimit, atLimit); err != nil {
		t.Fatal(err)
	}
	old := now.Add(-2 * leaseExpiry)
	others := []string{filepath.Join(parent, prefix+"notes"), filepath.Join(parent, "patients")}
	for _, path := range others {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	clearExpired(disk{}, parent, now)
	for _, path := range others {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what is no stage is gone: %v", err)
		}
	}
	for _, stage := range []string{alive, late, ahead, bare} {
		if _, err := os.Stat(stage); err != nil {
			t.Errorf("a stage whose lease had not expired is gone: %v", err)
		}
	}
	if _, err := os.Stat(expired); err == nil {
		t.Error("a stage whose lease had expired is still there")
	}
	if err := os.Chtimes(bare, now.Add(-2*leaseExpiry), now.Add(-2*leaseExpiry)); err != nil {
		t.Fatal(err)
	}
	clearExpired(disk{}, parent, now)
	if _, err := os.Stat(bare); err == nil {
		t.Error("an old stage without a lease is still there")
	}
	if len(stages(t, parent)) != 4 {
		t.Errorf("left: %q", stages(t, parent))
	}
}

func TestLeaseIsRenewedWhileAStageIsOpen(t *testing.T) {
	ticks := make(chan time.Time)
	s, err := begin(filepath.Join(t.TempDir(), "out"), disk{}, ticks)
	if err != nil {
		t.Fatal(err)
	}
	began, err := lastAlive(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		age(t, s.dir, 2*leaseExpiry)
		ticks <- time.Time{}
		ticks <- time.Time{} // taken only when the first renewal is done
		if alive, err := lastAlive(s.dir); err != nil || alive.Before(began) {
			t.Fatalf("last alive %v, begun %v, error %v", alive, began, err)
		}
	}
	s.Close() // ends the renewal, or the test does not return
	s.Close()
}

// returningOwner renews a lease just before another writer takes its stage over.
type returningOwner struct {
	disk
	t *testing.T
}

func (o returningOwner) Rename(from, to string) error {
	if err := renewOnce(o.disk, from, false); err != nil {
		o.t.Error(err)
	}
	return o.disk.Rename(from, to)
}

func TestOwnerWhoReturnsKeepsItsStage(t *testing.T) {
	parent := t.TempDir()
	stage := abandon(t, filepath.Join(parent, "out"), 2*leaseExpiry)
	clearExpired(returningOwner{t: t}, parent, fileTime(t, parent))
	if got := stages(t, parent); !slices.Equal(got, []string{stage}) {
		t.Errorf("stages %q, want %q", got, stage)
	}
}

func TestStageTakenOverIsReported(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	put(t, out, "old")
	s := beginOn(t, out, disk{})
	put(t, s.Path("out"), "new")
	age(t, s.dir, 2*leaseExpiry)
	other := beginOn(t, filepath.Join(parent, "other"), disk{})
	other.Close()
	err := s.Commit(t.Context())
	if !errors.Is(err, errLost) || !strings.HasPrefix(err.Error(), out+": ") {
		t.Errorf("error %v", err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{"out=old"}) {
		t.Errorf("files %q", got)
	}
}

func TestManyWritersRecoverOneStage(t *testing.T) {
	parent := t.TempDir()
	o := outputs[4]
	o.make(t, parent, "old")
	d := &faultyDisk{failAt: -1, noExchange: true}
	s := beginOn(t, filepath.Join(parent, o.target), d)
	o.make(t, s.Dir(), "new")
	d.crash, d.failAt, d.steps = true, 10, 0 // the folder is away
	if s.Commit(t.Context(), o.companions...) == nil {
		t.Fatal("the commit was to fail")
	}
	if got := tree(t, parent); !slices.Equal(got, []string{"hidden"}) {
		t.Fatalf("after the crash: %q", got)
	}
	age(t, s.dir, 2*leaseExpiry)
	now := fileTime(t, parent)
	var writers sync.WaitGroup
	for range 16 {
		writers.Go(func() { clearExpired(disk{}, parent, now) })
	}
	writers.Wait()
	if got := tree(t, parent); !slices.Equal(got, o.written("old")) {
		t.Errorf("recovered %q", got)
	}
}

// TestDamagedJournals checks that a stage with a journal that cannot be read is kept,
// and that one with a journal that was cut short, so that nothing was moved, is
// removed.
func TestDamagedJournals(t *testing.T) {
	parent := t.TempDir()
	unreadable := abandon(t, filepath.Join(parent, "out"), 0)
	put(t, filepath.Join(unreadable, journalName, "x"), "a folder cannot be read")
	age(t, unreadable, 2*leaseExpiry)
	clearExpired(unsynced(), parent, fileTime(t, parent))
	if got := stages(t, parent); len(got) != 1 {
		t.Errorf("stages %q, want one", got)
	}
	cut := abandon(t, filepath.Join(t.TempDir(), "out"), 0)
	put(t, filepath.Join(cut, journalName), "cut")
	age(t, cut, 2*leaseExpiry)
	clearExpired(unsynced(), filepath.Dir(cut), fileTime(t, filepath.Dir(cut)))
	if got := stages(t, filepath.Dir(cut)); len(got) != 0 {
		t.Errorf("stages %q, want none", got)
	}
}

// TestRecoveryThatFailsIsRepeated fails at every step of a recovery: the stage is kept,
// and the next writer recovers the earlier output with its companions.
func TestRecoveryThatFailsIsRepeated(t *testing.T) {
	for step, failed := 0, true; failed; step++ {
		parent := t.TempDir()
		o := outputs[4]
		o.make(t, parent, "old")
		d := &faultyDisk{failAt: -1, noExchange: true}
		s := beginOn(t, filepath.Join(parent, o.target), d)
		o.make(t, s.Dir(), "new")
		d.crash, d.failAt, d.steps = true, 10, 0 // the folder and its companion are away
		if s.Commit(t.Context(), o.companions...) == nil {
			t.Fatal("the commit was to fail")
		}
		age(t, s.dir, 2*leaseExpiry)
		now := fileTime(t, parent)
		broken := &faultyDisk{failAt: step}
		clearExpired(broken, parent, now)
		failed = broken.steps > step
		if left := stages(t, parent); step != 1 && failed && len(left) != 1 { // step 1 is the renewal
			t.Errorf("step %d: stages %q, want one", step, left)
		}
		for _, left := range stages(t, parent) {
			age(t, left, 4*leaseExpiry)
		}
		clearExpired(unsynced(), parent, now)
		if got := tree(t, parent); !slices.Equal(got, o.written("old")) {
			t.Errorf("step %d: recovered %q", step, got)
		}
	}
}

// rewrites is a disk on which rewrites give these errors, the first first.
type rewrites struct {
	disk
	errs []error
}

func (r *rewrites) Rewrite(string, []byte) error {
	err := r.errs[0]
	r.errs = r.errs[1:]
	return err
}

// TestRenewalGoesOnAfterAnError ends only with the stage.
func TestRenewalGoesOnAfterAnError(t *testing.T) {
	ticks := make(chan time.Time, 3)
	for range 3 {
		ticks <- time.Time{}
	}
	d := &rewrites{errs: []error{syscall.EIO, nil, fs.ErrNotExist}}
	renew(d, "stage", false, ticks, nil)
	if len(d.errs) != 0 {
		t.Errorf("%d of 3 renewals are missing", len(d.errs))
	}
}
