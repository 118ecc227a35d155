package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quell/io/dicom/part10"
	"quell/io/dimse"
)

// TestRefusedImages: a series with a refused image, first or last, waits ten times the idle timeout for it, and
// once when it has come.
func TestRefusedImages(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, comes := range []bool{true, false} {
			a, c := newArchive(t), begin()
			s := settings(t, a)
			n := node(t, s, c)
			to, files := receive(t, n), stack("7", 4, "X")
			step(t, n) // reserves
			calls := 0
			n.free = func() (int64, bool) {
				if calls++; (calls <= 2) == first {
					return 0, true
				}
				return 1 << 40, true
			}
			if got := send(t, to, files...); (got[0] != 0) != first || (got[3] != 0) == first {
				t.Fatalf("first %v: %v", first, got)
			}
			n.free = func() (int64, bool) { return 1 << 40, true }
			c.add(time.Duration(s.IdleTimeout))
			if step(t, n); len(n.list) != 0 {
				t.Errorf("first %v: half a series is complete", first)
			}
			want := 2
			if comes {
				want = 4
				send(t, to, files...)
				c.add(time.Duration(s.IdleTimeout) - 1)
			} else {
				c.add((longer-1)*time.Duration(s.IdleTimeout) - 1)
			}
			if step(t, n); len(n.list) != 0 {
				t.Errorf("first %v, comes %v: too early", first, comes)
			}
			c.add(1)
			if step(t, n); len(n.list) != 1 || len(n.list[0].Files) != want || n.list[0].State != Sent {
				t.Errorf("first %v, comes %v: %+v", first, comes, n.Status())
			}
			if n.Close(); len(n.associations) > 2 {
				t.Errorf("%d associations", len(n.associations))
			}
		}
	}
}

// TestKeptImagesYield: when there is no room the images of what ended first go, of one task at a time, and none of what
// has failed. Results go when they are sent.
func TestKeptImagesYield(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to := receive(t, n)
	series := func(k int) {
		t.Helper()
		f := stack(fmt.Sprint(100+k), 1, "X")[0].With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.9.%d", k))
		if got := send(t, to, f); !slices.Equal(got, []dimse.Status{0}) {
			t.Fatalf("%d: %v", k, got)
		}
		c.add(time.Minute)
		step(t, n)
	}
	a.fails = 1000
	series(0)
	n.list[0].State, n.list[0].Ended = Failed, c.now()
	a.fails = 0
	c.add(time.Hour)
	for k := 1; k < 4; k++ {
		series(k)
	}
	gone := func() (all []bool) {
		for _, t := range n.list {
			all = append(all, t.Gone)
		}
		return all
	}
	if folders, err := os.ReadDir(n.tasks.Folder); err != nil || len(folders) != 5 || folders[0].Name() != "00000001" {
		t.Errorf("%v, %v", folders, err)
	}
	used := n.folder.Used()
	n.free = func() (int64, bool) { return margin + used - n.folder.Used(), true }
	if step(t, n); slices.Contains(gone(), true) {
		t.Errorf("there is room: %v", gone())
	}
	n.free = func() (int64, bool) { return margin + used - n.folder.Used() - 1, true }
	idle := time.Duration(n.s.IdleTimeout)
	c.add(n.list[1].Ended.Add(longer*idle - 1).Sub(c.now()))
	if step(t, n); slices.Contains(gone(), true) {
		t.Errorf("late images had no time: %v", gone())
	}
	c.add(1)
	if step(t, n); !slices.Equal(gone(), []bool{false, true, false, false}) {
		t.Errorf("%v are gone", gone())
	}
	c.add(longer * idle)
	n.free = func() (int64, bool) { return 0, true }
	for range 5 {
		step(t, n)
	}
	if !slices.Equal(gone(), []bool{false, true, true, true}) {
		t.Errorf("%v are gone", gone())
	}
}

// cut writes half of what it is given.
type cut struct{ *os.File }

func (f cut) Write(b []byte) (int, error) {
	k, err := f.File.Write(b[:len(b)/2])
	return k, errors.Join(err, syscall.ENOSPC)
}

// TestAuditLinesAreWhole when the disk was full in mid-line, and after a crash in it. What is refused is noted once until
// there is room.
func TestAuditLinesAreWhole(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	to := receive(t, n)
	file := n.audit.file.(*os.File)
	n.audit.file = cut{file}
	n.audit.write(entry{Event: "cut"})
	n.audit.file = file
	n.free = func() (int64, bool) { return 0, true }
	send(t, to, stack("7", 3, "X")...)
	n.free = func() (int64, bool) { return 1 << 40, true }
	send(t, to, stack("7", 1, "X")...)
	n.free = func() (int64, bool) { return 0, true }
	send(t, to, stack("7", 2, "X")...)
	if n.Close(); n.meters.refused.Get() != 5 {
		t.Errorf("%d are refused", n.meters.refused.Get())
	}
	path := filepath.Join(s.Folder, "audit.log")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, `{"time":"20`...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	n = node(t, s, c)
	n.audit.write(entry{Event: "goes on"})
	n.Close()
	log := readAudit(t, n)
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(log, "refused, full") != 2 || !strings.Contains(log, "goes on") || strings.Contains(log, "cut") {
		t.Error(log)
	}
}

// TestIdleTimeBeginsWithTheNode: what came before a crash is no whole series until the sender had the idle timeout to go on.
func TestIdleTimeBeginsWithTheNode(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	files := stack("7", 4, "X")
	send(t, receive(t, n), files[:2]...)
	n.Close()
	c.add(time.Hour)
	n = node(t, s, c)
	defer n.Close()
	c.add(time.Duration(s.IdleTimeout) - 1)
	if step(t, n); len(n.list) != 0 {
		t.Fatal("complete too early")
	}
	send(t, receive(t, n), files[2:]...)
	c.add(time.Duration(s.IdleTimeout))
	if step(t, n); len(n.list) != 1 || len(n.list[0].Files) != 4 || n.list[0].State != Sent {
		t.Errorf("%+v", n.Status())
	}
}
