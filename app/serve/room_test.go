package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quell/io/atomic"
	"quell/io/dicom/part10"
	"quell/io/dimse"
)

// TestFullDisk: at whichever write of the journal the disk is full, and whether what is reserved helps or not, the node
// goes on when there is room, and every series arrives once.
func TestFullDisk(t *testing.T) {
	for writes := 1; ; writes++ {
		a, c := newArchive(t), begin()
		s := settings(t, a)
		n := node(t, s, c)
		to := receive(t, n)
		step(t, n) // reserves
		left, full := writes, false
		n.writeFile = func(path string, data []byte, mode os.FileMode) error {
			if left--; left <= 0 {
				full = true
				return atomic.WriteError(path, syscall.ENOSPC)
			}
			return atomic.WriteFile(path, data, mode)
		}
		send(t, to, stack("7", 3, "X")...)
		c.add(time.Minute)
		step(t, n)
		c.add(time.Minute)
		step(t, n)
		if full {
			page := httptest.NewRecorder()
			n.page().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
			if text := page.Body.String(); !strings.Contains(text, `"paused": "output.full"`) || !strings.Contains(text, `"refusing": true`) {
				t.Errorf("write %d: %s", writes, text)
			}
			if got := send(t, to, stack("8", 1, "X")...); !slices.Equal(got, []dimse.Status{dimse.OutOfResources}) {
				t.Errorf("write %d: %v", writes, got)
			}
		}
		n.writeFile = atomic.WriteFile
		for range 3 {
			c.add(time.Minute)
			step(t, n)
		}
		if got := n.Status(); got.Tasks[Sent] != 1 || len(n.list) != 1 || got.Paused != "" || got.Refusing || got.Arriving != 0 {
			t.Errorf("write %d: %+v", writes, got)
		}
		for uid, times := range a.times {
			if len(a.files) != 3 || times > 1 && !full {
				t.Errorf("write %d: %d instances, %s %d times", writes, len(a.files), uid, times)
			}
		}
		if n.Close(); t.Failed() || !full {
			if writes < 6 {
				t.Errorf("%d writes", writes)
			}
			return
		}
	}
}

// TestReserve: the journal is written on a full disk from what is reserved, and that is made again.
func TestReserve(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	defer n.Close()
	step(t, n)
	reserve := filepath.Join(s.Folder, "reserve")
	info, err := os.Stat(reserve)
	if err != nil || info.Size() != reserved || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	n.writeFile = func(path string, data []byte, mode os.FileMode) error {
		if _, err := os.Stat(reserve); err == nil {
			return atomic.WriteError(path, syscall.ENOSPC)
		}
		return atomic.WriteFile(path, data, mode)
	}
	n.free = func() (int64, bool) { return reserved + margin - 1, true }
	n.pause(syscall.ENOSPC)
	if err := n.save(&task{Number: 99, Series: "1.2"}); err != nil {
		t.Fatal(err)
	}
	if step(t, n); n.Status().Paused == "" {
		t.Fatal("no room, and no pause")
	}
	n.writeFile, n.free = atomic.WriteFile, func() (int64, bool) { return reserved + margin, true }
	if step(t, n); n.Status().Paused != "" {
		t.Error("room, and a pause")
	}
	if _, err := os.Stat(reserve); err != nil {
		t.Error(err)
	}
}

// TestRefusesBeforeTheDiskIsFull: there has to be room for the results of what was received. What has results needs none.
func TestRefusesBeforeTheDiskIsFull(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to, files := receive(t, n), stack("7", 4, "X")
	step(t, n) // reserves
	free := int64(margin)
	n.free = func() (int64, bool) { return free, true }
	store := func(k int, want dimse.Status) {
		t.Helper()
		if got := send(t, to, files[k]); !slices.Equal(got, []dimse.Status{want}) || n.Status().Refusing != (free < n.owed+margin) {
			t.Errorf("%v with %d bytes free and %d owed", got, free, n.owed)
		}
	}
	store(0, 0)
	store(1, dimse.OutOfResources)
	free = margin + n.owed - 1
	store(1, dimse.OutOfResources)
	free++
	store(1, 0)
	free = margin
	store(2, dimse.OutOfResources)
	c.add(time.Minute)
	step(t, n)
	step(t, n)
	store(2, 0)
}

// TestPrivate: nothing of a node is for other users.
func TestPrivate(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	defer n.Close()
	a.fails = 1000 // the result stays
	send(t, receive(t, n), stack("7", 3, "X")...)
	c.add(time.Minute)
	step(t, n)
	files := 0
	err := filepath.WalkDir(s.Folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if files++; err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestQuarantine: a task that cannot be read is moved, the status names it, its series is done anew, and others go on.
func TestQuarantine(t *testing.T) {
	for name, damage := range map[string]string{
		"empty": "", "cut": `{"number": 1, "ser`, "null": "null", "another number": `{"number": 7, "series": "1.2", "state": "sent"}`,
		"an unknown state": `{"number": 1, "series": "1.2", "state": "lost"}`, "no part": `{"number": 1, "series": "1.2", "state": "sent", "parts": [null]}`,
		"a file elsewhere":           `{"number": 1, "series": "1.2", "state": "sent", "files": [{"name": "../key", "uid": "1"}]}`,
		"an unknown state of a part": `{"number": 1, "series": "1.2", "state": "sent", "parts": [{"state": "lost"}]}`, "a folder": "/",
	} {
		a, c := newArchive(t), begin()
		s := settings(t, a)
		n := node(t, s, c)
		send(t, receive(t, n), append(stack("7", 3, "X"), stack("8", 2, "X")...)...)
		c.add(time.Minute)
		step(t, n)
		n.Close()
		path := n.tasks.Path("00000001")
		err := os.WriteFile(path, []byte(damage), 0o600)
		if damage == "/" {
			if err = os.Remove(path); err == nil {
				err = os.MkdirAll(filepath.Join(path, "x"), 0o700)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := ReadStatus(s); err != nil || !slices.Equal(shown.Damaged, []string{"00000001.json"}) {
			t.Errorf("%s: %v, %v", name, shown.Damaged, err)
		}
		for range 2 { // the second start knows it still
			n = node(t, s, c)
			c.add(time.Minute)
			step(t, n)
			if got := n.Status(); !slices.Equal(got.Damaged, []string{"00000001.json"}) || got.Tasks[Sent] != 2 || len(a.files) != 5 || len(n.list) != 2 || n.list[1].Number != 3 {
				t.Errorf("%s: %+v, %d instances", name, got, len(a.files))
			}
			if log := readAudit(t, n); strings.Count(log, "task quarantined") != 1 {
				t.Errorf("%s: %s", name, log)
			}
			n.Close()
		}
		if _, err := os.Stat(filepath.Join(s.Folder, damagedFolder, "00000001.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestPromises: a series whose headers promise more waits ten times the idle timeout, and one that has what they promise
// once.
func TestPromises(t *testing.T) {
	const slicesOf, acquired, positions, position part10.Tag = 0x0054_0081, 0x0020_1002, 0x0020_0105, 0x0020_0100
	for name, want := range map[string]struct {
		tags   map[part10.Tag]any
		longer bool
	}{
		"nothing":             {nil, false},
		"of the series":       {map[part10.Tag]any{tagInstances: "4"}, true},
		"acquisition":         {map[part10.Tag]any{acquired: "4"}, true},
		"acquisition, whole":  {map[part10.Tag]any{acquired: "3"}, false},
		"positions":           {map[part10.Tag]any{positions: "2", position: "1"}, true},
		"positions, unnamed":  {map[part10.Tag]any{positions: "2"}, false},
		"one position":        {map[part10.Tag]any{positions: "1", position: "1"}, false},
		"positions by slices": {map[part10.Tag]any{positions: "2", slicesOf: 2}, true},
		"slices, whole":       {map[part10.Tag]any{slicesOf: 3}, false},
		"nonsense":            {map[part10.Tag]any{acquired: "2000000000"}, false},
	} {
		a, c := newArchive(t), begin()
		s := settings(t, a)
		n := node(t, s, c)
		files := stack("7", 3, "X")
		for _, f := range files {
			for tag, v := range want.tags {
				f.With(tag, v)
			}
		}
		send(t, receive(t, n), files...)
		c.add(time.Duration(s.IdleTimeout))
		if step(t, n); (len(n.list) == 0) != want.longer {
			t.Errorf("%s: after the idle timeout %+v", name, n.Status())
		}
		c.add((longer-1)*time.Duration(s.IdleTimeout) - 1)
		if step(t, n); (len(n.list) == 0) != want.longer {
			t.Errorf("%s: just before the end %+v", name, n.Status())
		}
		c.add(1)
		if step(t, n); len(n.list) != 1 || n.list[0].State != Sent {
			t.Errorf("%s: at the end %+v", name, n.Status())
		}
		n.Close()
	}
}

// TestReplaces: the description of a result says that it replaces an earlier one if that may have been sent, and only
// then, also after a restart.
func TestReplaces(t *testing.T) {
	for _, sent := range []bool{true, false} {
		a, c := newArchive(t), begin()
		s := settings(t, a)
		n := node(t, s, c)
		to, files := receive(t, n), stack("7", 12, "X")
		send(t, to, files[:6]...)
		c.add(time.Minute)
		if sent {
			step(t, n)
		} else {
			n.turn(t.Context(), n.lanes[0])
		}
		send(t, to, files[6:9]...)
		c.add(time.Minute)
		n.turn(t.Context(), n.lanes[0]) // a task of nine, which is not sent
		n.Close()
		n = node(t, s, c)
		send(t, receive(t, n), files...)
		c.add(time.Minute)
		step(t, n)
		marked := 0
		for _, b := range a.files {
			if strings.Contains(string(b), "Head [Quell gaussian, replaces earlier]") {
				marked++
			}
		}
		want := map[bool][2]int{true: {18, 12}, false: {12, 0}}[sent]
		if len(a.files) != want[0] || marked != want[1] || n.list[len(n.list)-1].State != Sent {
			t.Errorf("sent %v: %d of %d instances are marked, %+v", sent, marked, len(a.files), n.Status())
		}
		n.Close()
	}
}
