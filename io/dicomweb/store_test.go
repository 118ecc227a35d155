package dicomweb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/io/dicomweb"
)

// archive stores what it is sent: bodies "UID" and filling. Its fields are how it errs.
type archive struct {
	t        *testing.T
	requests []int // instances of each request that stores
	there    map[string]bool
	searches int

	status  int
	lose    int            // of the instances of a request, the first are not kept
	refuse  map[string]int // reasons by UID
	late    int            // searches that find nothing yet
	answer  string         // in place of the report
	before  func(w http.ResponseWriter, request int) bool
	missing int // status of a search that finds nothing
}

func (a *archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		a.search(w, r)
		return
	}
	if a.before != nil && a.before(w, len(a.requests)) {
		a.requests = append(a.requests, -1)
		_, _ = io.Copy(io.Discard, r.Body)
		return
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" || params["type"] != "application/dicom" || r.ContentLength <= 0 || r.URL.Path != "/dicom-web/studies" {
		a.t.Errorf("%v: %q of %d bytes to %s", err, r.Header.Get("Content-Type"), r.ContentLength, r.URL)
	}
	var stored, failed []string
	parts, n := multipart.NewReader(r.Body, params["boundary"]), 0
	for ; ; n++ {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return // the client gave up
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return
		}
		uid, _, _ := strings.Cut(string(b), " ")
		if reason := a.refuse[uid]; reason != 0 {
			failed = append(failed, fmt.Sprintf(`{"00081155":{"vr":"UI","Value":[%q]},"00081197":{"vr":"US","Value":[%d]}}`, uid, reason))
			continue
		}
		if n >= a.lose {
			a.there[uid] = true
		}
		stored = append(stored, fmt.Sprintf(`{"00081155":{"vr":"UI","Value":[%q]}}`, uid))
	}
	a.requests = append(a.requests, n)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.answer != "" {
		_, _ = io.WriteString(w, a.answer)
		return
	}
	fmt.Fprintf(w, `{"00081199":{"vr":"SQ","Value":[%s]},"00081198":{"vr":"SQ","Value":[%s]}}`, strings.Join(stored, ","), strings.Join(failed, ","))
}

func (a *archive) search(w http.ResponseWriter, r *http.Request) {
	if a.searches++; a.searches <= a.late || len(a.there) == 0 && a.missing != 0 {
		w.WriteHeader(max(a.missing, http.StatusNoContent))
		return
	}
	var all []string
	for uid := range a.there {
		all = append(all, fmt.Sprintf(`{"00080018":{"vr":"UI","Value":[%q]}}`, uid))
	}
	slices.Sort(all)
	from := min(number(a.t, r, "offset"), len(all))
	fmt.Fprintf(w, "[%s]", strings.Join(all[from:min(len(all), from+number(a.t, r, "limit"))], ","))
}

// files are instances of 100 bytes each.
func files(n int) []dicomweb.Instance {
	var all []dicomweb.Instance
	for i := range n {
		uid := fmt.Sprintf("1.9.%d", i)
		body := uid + " " + strings.Repeat("x", 99-len(uid))
		all = append(all, dicomweb.Instance{Study: study, Series: serie, UID: uid, Size: 100, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(body)), nil
		}})
	}
	return all
}

func TestStore(t *testing.T) {
	busy := func(status, times int) func(http.ResponseWriter, int) bool {
		return func(w http.ResponseWriter, request int) bool {
			if request >= times {
				return false
			}
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(status)
			return true
		}
	}
	const named = `{"00081199":{"vr":"SQ","Value":[{"00081155":{"vr":"UI","Value":["%s"]}}%s]}}`
	for name, c := range map[string]struct {
		archive  archive
		n        int
		requests string
		report   string // sent, stored, failed, verified, missing
		waited   time.Duration
		error    string
	}{
		"none":          {archive{}, 0, "[]", "0 0 0 0 0", 0, ""},
		"one":           {archive{}, 1, "[1]", "1 1 0 1 0", 0, ""},
		"full request":  {archive{}, 3, "[3]", "3 3 0 3 0", 0, ""},
		"two requests":  {archive{}, 4, "[3 1]", "4 4 0 4 0", 0, ""},
		"busy":          {archive{before: busy(503, 2)}, 2, "[-1 -1 2]", "2 2 0 2 0", 6 * time.Second, ""},
		"too many":      {archive{before: busy(429, 1)}, 2, "[-1]", "0 0 0 0 0", 0, "it is too busy (HTTP 429)"},
		"bad gateway":   {archive{before: busy(502, 1)}, 2, "[-1]", "0 0 0 0 0", 0, "it failed (HTTP 502)"},
		"redirect":      {archive{before: busy(307, 1)}, 2, "[-1]", "0 0 0 0 0", 0, "it is at another address (HTTP 307)"},
		"too large":     {archive{before: busy(413, 1)}, 2, "[-1]", "0 0 0 0 0", 0, "too large for it (HTTP 413)"},
		"lost all":      {archive{lose: 9}, 2, "[2]", "2 2 0 0 2", 3500 * time.Millisecond, "pacs.example: it has 0 of 2 instances that were sent; send them again"},
		"not found":     {archive{lose: 9, missing: 404}, 2, "[2]", "2 2 0 0 2", 3500 * time.Millisecond, "it has 0 of 2 instances"},
		"lost one":      {archive{lose: 1}, 3, "[3]", "3 3 0 2 1", 3500 * time.Millisecond, "it has 2 of 3 instances"},
		"late":          {archive{late: 2}, 3, "[3]", "3 3 0 3 0", 1500 * time.Millisecond, ""},
		"latest":        {archive{late: 3}, 3, "[3]", "3 3 0 3 0", 3500 * time.Millisecond, ""},
		"too late":      {archive{late: 4}, 3, "[3]", "3 3 0 0 3", 3500 * time.Millisecond, "it has 0 of 3 instances"},
		"refused":       {archive{status: 202, refuse: map[string]int{"1.9.1": 0x0122}}, 3, "[3]", "3 2 1 2 1", 3500 * time.Millisecond, "it has 2 of 3 instances that were sent; it says of one: the SOP class is not supported (status 0122)"},
		"all refused":   {archive{status: 409, refuse: map[string]int{"1.9.0": 0xA700}}, 1, "[1]", "1 0 1 0 1", 3500 * time.Millisecond, "out of resources; try again later (status A700)"},
		"duplicate":     {archive{there: map[string]bool{"1.9.0": true}, refuse: map[string]int{"1.9.0": 0x0111}}, 1, "[1]", "1 0 1 1 0", 0, ""},
		"no report":     {archive{answer: "stored"}, 2, "[2]", "2 0 0 2 0", 0, ""},
		"conflict":      {archive{status: 409, answer: "Doe^John"}, 2, "[2]", "0 0 0 0 0", 0, "it refuses the request (HTTP 409)"},
		"fewer counted": {archive{answer: fmt.Sprintf(named, "1.9.0", "")}, 2, "[2]", "2 1 0 2 0", 0, ""},
		"others":        {archive{answer: fmt.Sprintf(named, "1.9.7", "")}, 2, "[2]", "0 0 0 0 0", 0, "instances that were not sent"},
		"one twice":     {archive{answer: fmt.Sprintf(named, "1.9.0", `,{"00081155":{"vr":"UI","Value":["1.9.0"]}}`)}, 2, "[2]", "0 0 0 0 0", 0, "or twice on one"},
		"warned":        {archive{answer: fmt.Sprintf(named, "1.9.0", `,{"00081155":{"vr":"UI","Value":["1.9.1"]},"00081196":{"vr":"US","Value":[45056]}}`)}, 2, "[2]", "2 2 0 2 0", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.archive
			a.t = t
			if a.there == nil {
				a.there = map[string]bool{}
			}
			inBubble(t, dicomweb.Config{StoreBytes: 300}, a.ServeHTTP, func(t *testing.T, client *dicomweb.Client) {
				begin := time.Now()
				r, err := client.Store(context.Background(), files(c.n))
				if c.error == "" && err != nil {
					t.Fatal(err)
				}
				if c.error != "" {
					wantError(t, err, c.error)
				}
				if got := fmt.Sprint(r.Sent, r.Stored, len(r.Failed), r.Verified, len(r.Missing)); got != c.report {
					t.Errorf("report %s, want %s", got, c.report)
				}
				if waited := time.Since(begin); waited != c.waited {
					t.Errorf("waited %v, want %v", waited, c.waited)
				}
				if name == "warned" && (len(r.Warned) != 1 || r.Warned[0] != dicomweb.Remark{UID: "1.9.1", Status: 0xB000}) {
					t.Errorf("warnings %v", r.Warned)
				}
			})
			if got := fmt.Sprint(a.requests); got != c.requests {
				t.Errorf("requests of %s instances, want %s", got, c.requests)
			}
		})
	}
}

// A request on a connection that breaks before an answer is sent again; one that breaks within the
// answer is not, and the search tells what was stored.
func TestStoreOverBrokenConnections(t *testing.T) {
	for head, want := range map[string]int{"": 2, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{": 1} {
		requests := 0
		a := &archive{t: t, there: map[string]bool{}}
		serve := func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				a.ServeHTTP(w, r)
				return
			}
			if requests++; requests > 1 {
				a.ServeHTTP(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			a.there["1.9.0"] = true
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, head)
			_ = conn.Close()
		}
		inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
			r, err := c.Store(context.Background(), files(1))
			if err != nil || r.Verified != 1 || requests != want {
				t.Fatalf("%+v by %d requests, %v", r, requests, err)
			}
		})
	}
}

// TestFilesThatChange sends files with other lengths than declared, and files that cannot be read.
func TestFilesThatChange(t *testing.T) {
	for want, open := range map[string]func() (io.ReadCloser, error){
		"pacs.example: file 2 of a request changed while it was sent; send": func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(strings.Repeat("x", 99))), nil },
		"file 2 of a request changed":                                       func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(strings.Repeat("x", 101))), nil },
		"file 2 of a request could not be read while it was sent (file does not exist); check the disk": func() (io.ReadCloser, error) {
			return nil, &fs.PathError{Op: "open", Path: "DOE^JOHN.dcm", Err: fs.ErrNotExist}
		},
	} {
		a := &archive{t: t, there: map[string]bool{}}
		inBubble(t, dicomweb.Config{}, a.ServeHTTP, func(t *testing.T, c *dicomweb.Client) {
			all := files(3)
			all[1].Open = open
			_, err := c.Store(context.Background(), all)
			wantError(t, err, want)
			if strings.Contains(err.Error(), "DOE") {
				t.Errorf("a name in %q", err)
			}
		})
	}
}

func TestInstancesThatAreRefused(t *testing.T) {
	inBubble(t, dicomweb.Config{}, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }, func(t *testing.T, c *dicomweb.Client) {
		twice, empty, unnamed := append(files(1), files(1)...), files(1), files(1)
		empty[0].Size, unnamed[0].UID = 0, "x"
		for _, all := range [][]dicomweb.Instance{twice, empty, unnamed} {
			if _, err := c.Store(context.Background(), all); err == nil {
				t.Error("no error")
			}
		}
	})
}

// A server that takes a request and is silent is waited for five minutes, not thirty seconds.
func TestSlowStores(t *testing.T) {
	for wait, want := range map[time.Duration]string{299 * time.Second: "", 301 * time.Second: "no answer within 5m0s"} {
		a := &archive{t: t, there: map[string]bool{}}
		serve := func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				time.Sleep(wait)
			}
			a.ServeHTTP(w, r)
		}
		inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
			_, err := c.Store(context.Background(), files(2))
			if want == "" && err != nil {
				t.Fatal(err)
			}
			if want != "" {
				wantError(t, err, want)
			}
		})
	}
}

func ExampleClient_Store() {
	sign, err := dicomweb.NewClientCredentials(dicomweb.ClientCredentials{TokenURL: "https://login.example/token", ID: "quell", Secret: "from a file"})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := dicomweb.New(dicomweb.Config{Base: "https://pacs.example/dicom-web", Authorization: sign})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	var slices []dicomweb.Instance
	for _, name := range []string{"IM00001.dcm", "IM00002.dcm"} {
		info, err := os.Stat(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		slices = append(slices, dicomweb.Instance{
			Study: "1.2.3", Series: "1.2.3.4", UID: "1.2.3.4.1", // of the file
			Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(name) },
		})
	}
	report, err := client.Store(context.Background(), slices)
	fmt.Println(report.Verified, "of", report.Sent, err)
}
