// Package pacstest is a DICOMweb server for tests, which can give wrong answers on request.
package pacstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"quell/io/dicom"
)

// Web is an archive on loopback. The functions are called by the goroutine of a request; nil ones change
// nothing.
type Web struct {
	URL string
	// Counts changes the number of instances that a search gives of a series.
	Counts func(n int) int
	// Sent changes the files that a retrieval sends.
	Sent func(files [][]byte) [][]byte
	// UID changes the UIDs of the results of a search.
	UID func(uid string) string
	// Forgets has the archive confirm what it stores and keep nothing.
	Forgets bool
	// Refuses answers a request by a status; 0 goes on.
	Refuses func(*http.Request) int

	dir   string
	mu    sync.Mutex
	next  int
	asked []string
}

// Start starts an archive with copies of the DICOM files of a folder, "" for none.
func Start(t testing.TB, folder string) *Web {
	t.Helper()
	w := &Web{dir: t.TempDir()}
	files, err := filepath.Glob(filepath.Join(folder, "*.dcm"))
	if err != nil || folder != "" && len(files) == 0 {
		t.Fatal(folder, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil {
			err = w.keep(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	w.URL = s.URL + "/dicom-web"
	return w
}

// Asked returns the paths of the requests so far, without the base, each after its method.
func (w *Web) Asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.asked...)
}

func (w *Web) keep(b []byte) error {
	w.next++
	return os.WriteFile(filepath.Join(w.dir, fmt.Sprintf("%05d.dcm", w.next)), b, 0o600)
}

// ServeHTTP answers a request.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/dicom-web/")
	w.asked = append(w.asked, r.Method+" "+path)
	if w.Refuses != nil {
		if status := w.Refuses(r); status != 0 {
			rw.WriteHeader(status)
			return
		}
	}
	if r.Method == http.MethodPost {
		w.store(rw, r)
		return
	}
	objects, _, err := dicom.Objects(context.Background(), os.DirFS(w.dir))
	if err != nil {
		rw.WriteHeader(http.StatusInternalServerError)
		return
	}
	parts := strings.Split(path, "/")
	place := map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		place[parts[i]] = parts[i+1]
	}
	objects = matching(objects, place, r)
	if level := parts[len(parts)-1]; len(parts)%2 == 1 {
		w.found(rw, level, objects, r)
		return
	}
	w.send(rw, objects)
}

// matching returns the objects of a place that fulfil the conditions on UIDs and modality.
func matching(all []dicom.Object, place map[string]string, r *http.Request) (some []dicom.Object) {
	q := r.URL.Query()
	fits := func(want, got string) bool { return want == "" || want == got }
	for _, o := range all {
		if fits(place["studies"], o.StudyUID) && fits(place["series"], o.SeriesUID) && fits(place["instances"], o.UID) &&
			fits(q.Get("SeriesInstanceUID"), o.SeriesUID) && fits(q.Get("StudyInstanceUID"), o.StudyUID) && fits(q.Get("Modality"), o.Modality) {
			some = append(some, o)
		}
	}
	return some
}

func (w *Web) found(rw http.ResponseWriter, level string, objects []dicom.Object, r *http.Request) {
	uidOf := map[string]func(dicom.Object) string{
		"studies": func(o dicom.Object) string { return o.StudyUID }, "series": func(o dicom.Object) string { return o.SeriesUID },
		"instances": func(o dicom.Object) string { return o.UID },
	}[level]
	counts, first := map[string]int{}, map[string]dicom.Object{}
	var order []string
	for _, o := range objects {
		uid := uidOf(o)
		if counts[uid]++; counts[uid] == 1 {
			order, first[uid] = append(order, uid), o
		}
	}
	var offset, limit int
	_, _ = fmt.Sscan(r.URL.Query().Get("offset"), &offset)
	_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
	answer := []map[string]any{}
	for i := offset; i < min(len(order), offset+limit); i++ {
		answer = append(answer, w.result(first[order[i]], counts[order[i]], i))
	}
	rw.Header().Set("Content-Type", "application/dicom+json")
	_ = json.NewEncoder(rw).Encode(answer) // the client may be gone
}

// result is an object and its counts, in DICOM JSON.
func (w *Web) result(o dicom.Object, n, number int) map[string]any {
	if w.Counts != nil {
		n = w.Counts(n)
	}
	uid := func(s string) string {
		if w.UID != nil {
			return w.UID(s)
		}
		return s
	}
	value := func(vr string, v any) map[string]any { return map[string]any{"vr": vr, "Value": []any{v}} }
	return map[string]any{
		"00080020": value("DA", "20260131"), "00080060": value("CS", o.Modality), "00080061": value("CS", o.Modality), "0008103E": value("LO", o.Description),
		"00100010": value("PN", map[string]string{"Alphabetic": o.Patient}), "00100020": value("LO", o.PatientID),
		"0020000D": value("UI", uid(o.StudyUID)), "0020000E": value("UI", uid(o.SeriesUID)), "00080018": value("UI", uid(o.UID)),
		"00200013": value("IS", number+1), "00201208": value("IS", n), "00201209": value("IS", n),
	}
}

func (w *Web) send(rw http.ResponseWriter, objects []dicom.Object) {
	var files [][]byte
	for _, o := range objects {
		b, err := os.ReadFile(filepath.Join(w.dir, o.Name))
		if err != nil {
			rw.WriteHeader(http.StatusInternalServerError)
			return
		}
		files = append(files, b)
	}
	if w.Sent != nil {
		files = w.Sent(files)
	}
	m := multipart.NewWriter(rw)
	rw.Header().Set("Content-Type", `multipart/related; type="application/dicom"; boundary=`+m.Boundary())
	for _, b := range files {
		part, err := m.CreatePart(map[string][]string{"Content-Type": {"application/dicom"}})
		if err == nil {
			_, err = part.Write(b)
		}
		if err != nil {
			return // the client is gone
		}
	}
	_ = m.Close()
}

func (w *Web) store(rw http.ResponseWriter, r *http.Request) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	m := multipart.NewReader(r.Body, params["boundary"])
	for err == nil {
		var part *multipart.Part
		if part, err = m.NextRawPart(); err != nil {
			break
		}
		var b []byte
		if b, err = io.ReadAll(part); err == nil && !w.Forgets {
			err = w.keep(b)
		}
	}
	if err != io.EOF { //nolint:errorlint // the end of the parts
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", "application/dicom+json")
	_, _ = io.WriteString(rw, "{}")
}
