package pacs_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/pacs"
	"quell/app/pacs/pacstest"
)

const bundled = "../../assets/series"

// open returns the archive of a fake.
func open(t *testing.T, w *pacstest.Web) *pacs.Archive {
	t.Helper()
	a, err := pacs.Place{Name: "fake", To: w.URL}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// theSeries returns the only series of an archive.
func theSeries(t *testing.T, a *pacs.Archive) pacs.Row {
	t.Helper()
	f, err := a.Search(context.Background(), pacs.Query{Level: pacs.Series, Most: 10})
	if err != nil || len(f.Rows) != 1 || f.More {
		t.Fatalf("%+v, %v", f, err)
	}
	return f.Rows[0]
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestFetch(t *testing.T) {
	w := pacstest.Start(t, bundled)
	a := open(t, w)
	r := theSeries(t, a)
	if r.Modality != "CT" || r.Instances != 9 || r.Date != "20260131" {
		t.Errorf("%+v", r)
	}
	for _, counted := range []func(int) int{nil, func(int) int { return 0 }} { // 0: the archive does not count
		w.Counts = counted
		if counted != nil {
			r = theSeries(t, a)
		}
		dir, last := t.TempDir(), 0
		n, err := a.Fetch(context.Background(), r, dir, func(done, total int) { last = done*100 + total })
		if err != nil || n != 9 || last != 909 || len(names(t, dir)) != 9 || names(t, dir)[8] != "00009.dcm" {
			t.Fatalf("%d, %v, %d, %v", n, err, last, names(t, dir))
		}
		info, err := os.Stat(filepath.Join(dir, "00001.dcm"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	dir := t.TempDir()
	if err := a.FetchMiddle(context.Background(), r, dir); err != nil || len(names(t, dir)) != 1 {
		t.Errorf("%v, %v", err, names(t, dir))
	}
	p, err := pacs.PlanSend(context.Background(), dir)
	if all, _ := pacs.PlanSend(context.Background(), bundled); err != nil || p.Objects[0].UID != all.Objects[4].UID {
		t.Errorf("%v, not the slice in the middle", err)
	}
}

// TestFetchFromALiar: nothing stays of what an archive sends that is not what was asked for.
func TestFetchFromALiar(t *testing.T) {
	for name, c := range map[string]struct {
		lie  func(*pacstest.Web)
		want string
	}{
		"one less":    {func(w *pacstest.Web) { w.Sent = func(f [][]byte) [][]byte { return f[1:] } }, "it sent 8 instances of 9"},
		"one more":    {func(w *pacstest.Web) { w.Sent = func(f [][]byte) [][]byte { return append(f, f[0]) } }, "more than 9 instances"},
		"one twice":   {func(w *pacstest.Web) { w.Sent = func(f [][]byte) [][]byte { f[0] = f[1]; return f } }, "it sent an instance twice"},
		"none":        {func(w *pacstest.Web) { w.Sent = func([][]byte) [][]byte { return nil } }, "it sent 0 instances of 9"},
		"count less":  {func(w *pacstest.Web) { w.Counts = func(n int) int { return n - 1 } }, "more than 8 instances"},
		"count more":  {func(w *pacstest.Web) { w.Counts = func(n int) int { return n + 1 } }, "it sent 9 instances of 10"},
		"no DICOM":    {func(w *pacstest.Web) { w.Sent = func(f [][]byte) [][]byte { f[3] = []byte("text"); return f } }, "no DICOM object"},
		"cut":         {func(w *pacstest.Web) { w.Sent = func(f [][]byte) [][]byte { f[3] = f[3][:700]; return f } }, "damaged"},
		"other":       {func(w *pacstest.Web) { w.Sent = renamed("SeriesInstanceUID") }, "another series"},
		"UID is path": {func(w *pacstest.Web) { w.Sent = renamed("../") }, ""},
	} {
		w := pacstest.Start(t, bundled)
		a := open(t, w)
		c.lie(w)
		r := theSeries(t, a)
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		n, err := a.Fetch(context.Background(), r, dir, nil)
		if len(names(t, top)) != 1 {
			t.Errorf("%s: %v beside the folder", name, names(t, top))
		}
		if c.want == "" { // names come from a counter, whatever the UID says
			if err != nil || names(t, dir)[0] != "00001.dcm" {
				t.Errorf("%s: %v, %v", name, err, names(t, dir))
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || n != 0 || len(names(t, dir)) != 0 {
			t.Errorf("%s: %d, %v, %v; want %q", name, n, err, names(t, dir), c.want)
		}
	}
}

// renamed replaces the end of the series UID, or of the instance UID by a path, in the first file.
func renamed(what string) func([][]byte) [][]byte {
	return func(f [][]byte) [][]byte {
		p, err := pacs.PlanSend(context.Background(), bundled)
		if err != nil {
			panic(err)
		}
		uid, other := p.Objects[0].SeriesUID, ""
		if other = uid[:len(uid)-1] + "0"; what == "../" {
			uid = p.Objects[0].UID
			other = "../../" + uid[6:]
		}
		f[0] = bytes.ReplaceAll(f[0], []byte(uid), []byte(other))
		return f
	}
}

// TestSearchOfALiar: a text that is no UID is refused before anything is made of it.
func TestSearchOfALiar(t *testing.T) {
	w := pacstest.Start(t, bundled)
	w.UID = func(string) string { return "../../etc" }
	_, err := open(t, w).Search(context.Background(), pacs.Query{Level: pacs.Series, Most: 10})
	if err == nil || !strings.Contains(err.Error(), "a result without a UID") {
		t.Error(err)
	}
	w.UID = func(uid string) string { return uid + "0" }
	if _, err := open(t, w).Locate(context.Background(), "", "1.2.3"); err == nil || !strings.Contains(err.Error(), "it has no such series") {
		t.Error(err)
	}
}

func TestFetchCancelled(t *testing.T) {
	w := pacstest.Start(t, bundled)
	a := open(t, w)
	r := theSeries(t, a)
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	_, err := a.Fetch(ctx, r, dir, func(done, _ int) {
		if done == 4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(names(t, dir)) != 0 {
		t.Errorf("%v, %v", err, names(t, dir))
	}
}

// TestSendByWeb stores, verifies and does not believe an archive that keeps nothing.
func TestSendByWeb(t *testing.T) {
	w := pacstest.Start(t, "")
	p := planSend(t)
	var last int
	r, err := pacs.Send(context.Background(), p, pacs.Place{To: w.URL}, 0, func(done, _ int) { last = done })
	if err != nil || r.Stored != 9 || r.Verified != 9 || last != 9 {
		t.Fatalf("%+v, %v, %d", r, err, last)
	}
	refuses := pacstest.Start(t, "")
	refuses.Refuses = func(r *http.Request) int {
		if r.Method == http.MethodPost {
			return http.StatusForbidden
		}
		return 0
	}
	var failed *pacs.SendError
	r, err = pacs.Send(context.Background(), p, pacs.Place{To: refuses.URL}, 0, nil)
	if !errors.As(err, &failed) || r.Stored != 0 || !strings.Contains(err.Error(), "it does not permit this (HTTP 403)") {
		t.Errorf("%+v, %v", r, err)
	}
}
