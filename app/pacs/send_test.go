package pacs_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"quell/app/job"
	"quell/app/pacs"
	"quell/assets"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// sendFolder returns a copy of the bundled series with a text next to it.
func sendFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ct")
	if err := os.CopyFS(dir, assets.Series); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("none"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func planSend(t *testing.T) pacs.Plan {
	t.Helper()
	p, err := pacs.PlanSend(context.Background(), sendFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSend(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	p := planSend(t)
	if len(p.Objects) != 9 || p.Others < 1 || !strings.HasPrefix(p.Text(), "9 files of 1 series: CT") {
		t.Fatalf("%d objects, %d others: %s", len(p.Objects), p.Others, p.Text())
	}
	var last, total int
	r, err := pacs.Send(context.Background(), p, pacs.Place{To: s.String(), From: "READING"}, 3, func(d, n int) { last, total = d, n })
	if err != nil || r.Stored != 9 || r.Planned != 9 || len(r.Files) != 9 || last != 9 || total != 9 {
		t.Fatalf("%+v, %v; progress %d of %d", r, err, last, total)
	}
	stored := s.Stored()
	for i, o := range p.Objects {
		file, err := os.ReadFile(filepath.Join(p.Folder, o.Name))
		if err != nil || string(stored[o.UID]) != string(file[o.Start:]) {
			t.Errorf("%s: %d bytes stored, %v", o.Name, len(stored[o.UID]), err)
		}
		if f := r.Files[i]; f.Name != o.Name || !f.Stored || f.Status.String() != "stored" {
			t.Errorf("%+v", f)
		}
	}
	if seen := s.Seen(); len(seen.Calling) != 1 || seen.Calling[0] != "READING" || seen.Released != 1 {
		t.Errorf("%+v", seen)
	}
}

// TestSendByLanes: many files go over several associations, each of them once.
func TestSendByLanes(t *testing.T) {
	for files, associations := range map[int]int{9: 1, 8: 2, 3: 3, 1: 4} {
		pacs.SetLaneFiles(t, files)
		var mu sync.Mutex
		asked, last := map[string]int{}, 0
		s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, _ net.Conn) dimse.Status {
			mu.Lock()
			defer mu.Unlock()
			asked[uid]++
			return 0
		}})
		r, err := pacs.Send(context.Background(), planSend(t), pacs.Place{To: s.String()}, 0, func(done, _ int) {
			if done < last {
				t.Errorf("progress goes back from %d to %d", last, done)
			}
			last = done
		})
		if err != nil || r.Stored != 9 || len(asked) != 9 || last != 9 || len(s.Seen().Calling) != associations {
			t.Errorf("%d files each: %+v, %v, %d asked, %d associations, want %d", files, r, err, len(asked), len(s.Seen().Calling), associations)
		}
		for uid, n := range asked {
			if n != 1 {
				t.Errorf("%s was sent %d times", uid, n)
			}
		}
	}
}

// TestSendInPart reports every file, and sends missing ones again only if asked.
func TestSendInPart(t *testing.T) {
	for _, c := range []struct{ failures, retries, stored int }{{1, 0, 8}, {2, 1, 8}, {1, 1, 9}, {2, 2, 9}} {
		p := planSend(t)
		bad, times := p.Objects[4].UID, 0
		asked := map[string]int{}
		s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, _ net.Conn) dimse.Status {
			asked[uid]++
			if uid == bad && times < c.failures {
				times++
				return 0xA700
			}
			return 0
		}})
		r, err := pacs.Send(context.Background(), p, pacs.Place{To: s.String()}, c.retries, nil)
		if r.Stored != c.stored || len(s.Stored()) != c.stored || (err == nil) != (c.stored == 9) {
			t.Errorf("%+v: %d stored, %d there, %v", c, r.Stored, len(s.Stored()), err)
		}
		for uid, n := range asked {
			if uid != bad && n != 1 {
				t.Errorf("%+v: a stored file was sent %d times", c, n)
			}
		}
		if c.stored == 9 {
			continue
		}
		var failed *pacs.SendError
		if !errors.As(err, &failed) || job.ExitCode(err) != job.ExitFailed {
			t.Fatalf("%v", err)
		}
		want := "8 of 9 files are stored; not stored: " + p.Objects[4].Name + " (out of resources; try again later (status A700))"
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if rest := p.Only(r); len(rest.Objects) != 1 || rest.Objects[0].UID != bad || len(p.Objects) != 9 {
			t.Errorf("%d files are missing", len(rest.Objects))
		}
	}
}

// TestSendThatBreaksOff tells stored, unconfirmed and unsent instances apart.
func TestSendThatBreaksOff(t *testing.T) {
	p := planSend(t)
	s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, conn net.Conn) dimse.Status {
		if uid == p.Objects[2].UID {
			conn.Close()
			return 0xC000
		}
		return 0
	}})
	r, err := pacs.Send(context.Background(), p, pacs.Place{To: s.String()}, 0, nil)
	if err == nil || r.Stored != 2 || r.Files[2].Status.String() != "not confirmed" || r.Files[3].Status.String() != "not sent" || r.Files[8].Stored {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, part := range []string{"2 of 9 files are stored", p.Objects[2].Name, "and 4 more", "closed the connection"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q", err, part)
		}
	}
}

// TestSendRefused names SOP class and transfer syntax.
func TestSendRefused(t *testing.T) {
	p := planSend(t)
	s := dimsetest.Start(t, dimsetest.Behaviour{Refuse: func(dimse.Context) byte { return 4 }})
	r, err := pacs.Send(context.Background(), p, pacs.Place{To: s.String()}, 0, nil)
	if err == nil || r.Stored != 0 || len(s.Stored()) != 0 || !strings.Contains(err.Error(), "CT Image Storage in ") || !strings.Contains(err.Error(), "does not take this transfer syntax") {
		t.Errorf("%+v, %v", r, err)
	}
	rejects := dimsetest.Start(t, dimsetest.Behaviour{Reject: [3]byte{1, 1, 7}})
	_, err = pacs.Send(context.Background(), p, pacs.Place{To: rejects.String()}, 0, nil)
	if err == nil || err.Error() != rejects.String()+": the called AE title FAKEPACS is not known there; check the AE title of the PACS" {
		t.Errorf("%v", err)
	}
}

func TestSendCancelled(t *testing.T) {
	p := planSend(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	r, err := pacs.Send(ctx, p, pacs.Place{To: s.String()}, 5, func(done, _ int) {
		if done == 3 {
			cancel()
		}
	})
	if job.ExitCode(err) != job.ExitCancelled || err.Error() != "cancelled; 3 of 9 files are stored on "+s.String() || r.Stored != 3 || r.Files[8].Status.String() != "not sent" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSendTargets refuses what can be no target before any connection.
func TestSendTargets(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.pem")
	text := filepath.Join(sendFolder(t), "notes.txt")
	for want, target := range map[string]pacs.Place{
		"give AETITLE@HOST:PORT":       {To: "host"},
		"space":                        {To: "A@h:1", From: " B"},
		"ask for TLS too":              {To: "A@h:1", Authority: text},
		"there is no such file":        {To: "A@h:1", TLS: true, Authority: none},
		"has no certificate":           {To: "A@h:1", TLS: true, Authority: text},
		"longer than 16":               {To: "A@h:1", From: "SEVENTEEN_LETTERS"},
		"is not a number from 1 to 65": {To: "A@h:0"},
	} {
		err := target.Check()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", target, err, want)
		}
		if _, e := pacs.Send(context.Background(), pacs.Plan{}, target, 0, nil); e == nil || e.Error() != err.Error() {
			t.Errorf("send: %v", e)
		}
		if e := pacs.Echo(context.Background(), target); e == nil || e.Error() != err.Error() {
			t.Errorf("echo: %v", e)
		}
	}
	if err := (pacs.Place{To: "A@h:1"}).Check(); err != nil {
		t.Error(err)
	}
}

func TestEcho(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	if err := pacs.Echo(context.Background(), pacs.Place{To: s.String()}); err != nil || s.Seen().Released != 1 || s.Seen().Calling[0] != "QUELL" {
		t.Errorf("%v, %+v", err, s.Seen())
	}
	refuses := dimsetest.Start(t, dimsetest.Behaviour{Refuse: func(dimse.Context) byte { return 3 }})
	if err := pacs.Echo(context.Background(), pacs.Place{To: refuses.String()}); err == nil {
		t.Error("a refused echo is no error")
	}
}

// TestPlansThatAreRefused name the file.
func TestPlansThatAreRefused(t *testing.T) {
	dir := sendFolder(t)
	plan := func(path string) error {
		t.Helper()
		_, err := pacs.PlanSend(context.Background(), path)
		if job.ExitCode(err) != job.ExitInput {
			t.Fatalf("%v", err)
		}
		return err
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"):      "there is no such file or folder",
		filepath.Join(dir, "notes.txt"): "is not a folder",
		t.TempDir():                     "it has no DICOM file",
	} {
		if err := plan(path); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := planSend(t)
	first := filepath.Join(p.Folder, p.Objects[0].Name)
	file, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Folder, "zz.dcm"), file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := plan(p.Folder); !strings.Contains(err.Error(), "zz.dcm: it has the instance UID of "+p.Objects[0].Name) {
		t.Error(err)
	}
	if err := os.WriteFile(first, file[:len(file)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := plan(p.Folder); !strings.Contains(err.Error(), p.Objects[0].Name+": it is damaged") {
		t.Error(err)
	}
}
