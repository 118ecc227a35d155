package dicomweb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"quell/io/attributes"
	"quell/io/dicomweb"
)

func number(t *testing.T, r *http.Request, name string) int {
	t.Helper()
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		t.Errorf("%s is %v", name, err)
	}
	return n
}

// TestPages searches archives of sizes around a page and around the bound, whose server may give
// fewer results than asked for.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		there, page, most, serverCap int
		want                         int
		more                         bool
		requests                     int
	}{
		{there: 0, page: 3, most: 100, want: 0, requests: 1},
		{there: 2, page: 3, most: 100, want: 2, requests: 1},
		{there: 3, page: 3, most: 100, want: 3, requests: 2},
		{there: 7, page: 3, most: 100, want: 7, requests: 3},
		{there: 7, page: 3, most: 8, want: 7, requests: 3},
		{there: 7, page: 3, most: 7, want: 7, requests: 3},
		{there: 7, page: 3, most: 6, want: 6, more: true, requests: 3},
		{there: 7, page: 3, most: 1, want: 1, more: true, requests: 1},
		{there: 7, page: 5, most: 100, serverCap: 2, want: 7, requests: 4},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			requests := 0
			serve := func(w http.ResponseWriter, r *http.Request) {
				requests++
				if r.Header.Get("Accept") != "application/dicom+json" || r.URL.Query().Get("PatientName") != "A^B*" {
					t.Errorf("a request for %v of %q", r.URL, r.Header.Get("Accept"))
				}
				from := number(t, r, "offset")
				to := min(c.there, from+number(t, r, "limit"))
				if c.serverCap > 0 && to > from+c.serverCap {
					to = from + c.serverCap
					w.Header().Set("Warning", `299 pacs: "There are 9 additional results that can be requested"`)
				}
				if from >= to {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				instancesJSON(w, from, to)
			}
			inBubble(t, dicomweb.Config{PageSize: c.page}, serve, func(t *testing.T, client *dicomweb.Client) {
				r, err := client.Instances(context.Background(), study, serie, dicomweb.Query{Match: map[string]string{"PatientName": "A^B*"}, Most: c.most})
				if err != nil || len(r.Found) != c.want || r.More != c.more || requests != c.requests {
					t.Fatalf("%d results, more %v, %d requests, %v", len(r.Found), r.More, requests, err)
				}
				for i, d := range r.Found {
					if want := fmt.Sprintf("1.9.%d", i); d.Text(attributes.SOPInstanceUID) != want {
						t.Fatalf("result %d is %s", i, d.Text(attributes.SOPInstanceUID))
					}
				}
			})
		})
	}
}

// Servers without paging: one sends all at once, one the first results for ever.
func TestServersWithoutPages(t *testing.T) {
	all := func(w http.ResponseWriter, _ *http.Request) { instancesJSON(w, 0, 9) }
	inBubble(t, dicomweb.Config{PageSize: 4}, all, func(t *testing.T, c *dicomweb.Client) {
		r, err := c.Instances(context.Background(), study, serie, dicomweb.Query{Most: 50})
		if err != nil || len(r.Found) != 9 || r.More {
			t.Fatalf("%d results, more %v, %v", len(r.Found), r.More, err)
		}
	})
	same := func(w http.ResponseWriter, _ *http.Request) { instancesJSON(w, 0, 4) }
	inBubble(t, dicomweb.Config{PageSize: 4}, same, func(t *testing.T, c *dicomweb.Client) {
		_, err := c.Instances(context.Background(), study, serie, dicomweb.Query{Most: 50})
		wantError(t, err, "pacs.example: it sends the same results")
	})
}

func TestSearchesThatAreRefused(t *testing.T) {
	serve := func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }
	inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
		for want, q := range map[string]dicomweb.Query{
			"no attribute":       {Match: map[string]string{"limit": "1"}, Most: 1},
			"control characters": {Match: map[string]string{"PatientID": "a\nb"}, Most: 1},
			"at least one":       {},
			"be returned is no":  {Include: []string{"x y"}, Most: 1},
		} {
			_, err := c.Studies(context.Background(), q)
			wantError(t, err, want)
		}
		for _, uid := range []string{"", "1..2", "1.2/../3", "1." + strings.Repeat("2", 63)} {
			_, err := c.Instances(context.Background(), study, uid, dicomweb.Query{Most: 1})
			wantError(t, err, "a UID consists of digits")
		}
	})
}

// TestPaths asks at each level, with the longest UID.
func TestPaths(t *testing.T) {
	long := "1." + strings.Repeat("2", 62)
	var paths []string
	serve := func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		fmt.Fprint(w, "[]")
	}
	inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
		ctx, q := context.Background(), dicomweb.Query{Most: 1, Include: []string{"all", "0020000E"}}
		for _, search := range []func() (dicomweb.Results, error){
			func() (dicomweb.Results, error) { return c.Studies(ctx, q) },
			func() (dicomweb.Results, error) { return c.Series(ctx, "", q) },
			func() (dicomweb.Results, error) { return c.Series(ctx, long, q) },
			func() (dicomweb.Results, error) { return c.Instances(ctx, study, long, q) },
		} {
			if _, err := search(); err != nil {
				t.Fatal(err)
			}
		}
	})
	want := "/dicom-web/studies /dicom-web/series /dicom-web/studies/" + long + "/series /dicom-web/studies/1.2.3/series/" + long + "/instances"
	if got := strings.Join(paths, " "); got != want {
		t.Fatalf("asked for %s", got)
	}
}

// TestRetry repeats requests to a busy server, by the clock of the test.
func TestRetry(t *testing.T) {
	date := func(d time.Duration) func() string {
		return func() string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	}
	text := func(s string) func() string { return func() string { return s } }
	for name, c := range map[string]struct {
		status   int
		after    func() string
		failures int
		waited   time.Duration
		error    string
		requests int
	}{
		"seconds":            {503, text("7"), 1, 7 * time.Second, "", 2},
		"date":               {429, date(9 * time.Second), 1, 9 * time.Second, "", 2},
		"past date":          {503, date(-time.Hour), 1, 0, "", 2},
		"zero":               {503, text("0"), 2, 0, "", 3},
		"longest":            {503, text("60"), 1, time.Minute, "", 2},
		"too long":           {503, text("61"), 1, 0, "pacs.example: it is too busy (HTTP 503); it asks to try again in 1m1s", 1},
		"huge":               {503, text("99999999999999999999"), 1, 0, "it asks to try again in", 1},
		"distant date":       {503, date(24 * time.Hour), 1, 0, "it asks to try again in 24h0m0s", 1},
		"neither":            {503, text("soon"), 1, 500 * time.Millisecond, "", 2},
		"doubles":            {502, text(""), 3, 3500 * time.Millisecond, "", 4},
		"one attempt more":   {504, text(""), 4, 3500 * time.Millisecond, "it failed (HTTP 504)", 4},
		"not for this":       {500, text("1"), 1, 0, "it failed (HTTP 500)", 1},
		"nor for a bad name": {404, text(""), 1, 0, "nothing at this address (HTTP 404)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			serve := func(w http.ResponseWriter, _ *http.Request) {
				if requests++; requests > c.failures {
					fmt.Fprint(w, "[]")
					return
				}
				w.Header().Set("Retry-After", c.after())
				w.WriteHeader(c.status)
				fmt.Fprint(w, "DOE^JOHN")
			}
			inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, client *dicomweb.Client) {
				begin := time.Now()
				_, err := client.Studies(context.Background(), dicomweb.Query{Most: 1, Match: map[string]string{"PatientName": "DOE^JANE"}})
				if c.error == "" && err != nil || c.error != "" && err == nil {
					t.Fatal(err)
				}
				if c.error != "" {
					wantError(t, err, c.error)
					if strings.Contains(err.Error(), "DOE") {
						t.Fatalf("a name in %q", err)
					}
				}
				if waited := time.Since(begin); waited > c.waited || waited < c.waited-time.Second { // dates have whole seconds
					t.Fatalf("waited %v, want %v", waited, c.waited)
				}
				if requests != c.requests {
					t.Fatalf("%d requests, want %d", requests, c.requests)
				}
			})
		})
	}
}

// A context ends a wait for the next attempt and a wait for an answer.
func TestCancel(t *testing.T) {
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	halting := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "[")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, serve := range map[string]http.HandlerFunc{"busy": busy, "silent": silent, "halting": halting} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				begin := time.Now()
				_, err := c.Studies(ctx, dicomweb.Query{Most: 1})
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 20*time.Second {
					t.Fatalf("%v after %v", err, time.Since(begin))
				}
			})
		})
	}
}

// TestLate asks servers that answer just in time, and just too late.
func TestLate(t *testing.T) {
	for wait, want := range map[time.Duration]string{29 * time.Second: "", 31 * time.Second: "pacs.example: no answer within 30s"} {
		serve := func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(wait):
				fmt.Fprint(w, "[]")
			case <-r.Context().Done():
			}
		}
		inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
			begin := time.Now()
			_, err := c.Studies(context.Background(), dicomweb.Query{Most: 1})
			if want == "" && err != nil {
				t.Fatal(err)
			}
			if want != "" {
				wantError(t, err, want)
			}
			if took := time.Since(begin); took != min(wait, 30*time.Second) {
				t.Fatalf("took %v", took) // a silence is not asked again
			}
		})
	}
}

// TestIdle reads an answer that comes in pieces, the last in time or too late.
func TestIdle(t *testing.T) {
	for wait, want := range map[time.Duration]string{59 * time.Second: "", 61 * time.Second: "no answer within 1m0s"} {
		serve := func(w http.ResponseWriter, r *http.Request) {
			for _, piece := range []string{"[{}", "", "]"} {
				_, _ = io.WriteString(w, strings.ReplaceAll(piece, "{}", `{"0020000D":{"vr":"UI","Value":["1.2"]}}`))
				w.(http.Flusher).Flush()
				select {
				case <-time.After(wait / 3):
				case <-r.Context().Done():
					return
				}
			}
		}
		inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
			_, err := c.Studies(context.Background(), dicomweb.Query{Most: 1})
			if want == "" && err != nil {
				t.Fatal(err)
			}
			if want != "" {
				wantError(t, err, want)
			}
		})
	}
}

// TestDrip: an answer of a byte at a time, in which no silence is too long, ends; one of the least rate is read to its end.
func TestDrip(t *testing.T) {
	for name, c := range map[string]struct {
		piece string
		every time.Duration
		late  bool
	}{
		"a byte a second":         {" ", time.Second, true},
		"less than the least":     {strings.Repeat(" ", 128<<10), 31 * time.Second, true},
		"more than the least":     {strings.Repeat(" ", 128<<10), 29 * time.Second, false},
		"a byte of an instance":   {"x", 10 * time.Second, true},
		"many bytes of instances": {strings.Repeat("x", 256<<10), 59 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(w http.ResponseWriter, r *http.Request) {
				instance := c.piece[0] == 'x'
				if instance {
					w.Header().Set("Content-Type", related)
					_, _ = io.WriteString(w, strings.TrimSuffix(part(""), "\r\n"))
				} else {
					_, _ = io.WriteString(w, "[")
				}
				for range 10 * time.Minute / c.every {
					_, _ = io.WriteString(w, c.piece)
					w.(http.Flusher).Flush()
					select {
					case <-time.After(c.every):
					case <-r.Context().Done():
						return
					}
				}
				if instance {
					_, _ = io.WriteString(w, "\r\n--b--\r\n")
				} else {
					_, _ = io.WriteString(w, "]")
				}
			}
			inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, client *dicomweb.Client) {
				begin := time.Now()
				var err error
				if c.piece[0] == 'x' {
					_, err = client.Retrieve(context.Background(), series, func(r io.Reader) error {
						_, err := io.Copy(io.Discard, r)
						return err
					})
				} else {
					_, err = client.Studies(context.Background(), dicomweb.Query{Most: 1})
				}
				if !c.late && err != nil {
					t.Fatal(err)
				}
				if c.late {
					wantError(t, err, "no answer within 1m0s")
					if took := time.Since(begin); took > 5*time.Minute { // of all attempts
						t.Errorf("took %v", took)
					}
				}
			})
		})
	}
}

// A connection that breaks is asked again, also within an answer.
func TestBrokenConnections(t *testing.T) {
	for name, head := range map[string]string{"at once": "", "within the answer": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n["} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			serve := func(w http.ResponseWriter, _ *http.Request) {
				if requests++; requests == 3 {
					fmt.Fprint(w, "[]")
					return
				}
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, head)
				_ = conn.Close()
			}
			inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
				if _, err := c.Studies(context.Background(), dicomweb.Query{Most: 1}); err != nil || requests != 3 {
					t.Fatalf("%v after %d requests", err, requests)
				}
			})
			requests = 10
			inBubble(t, dicomweb.Config{Attempts: 2}, serve, func(t *testing.T, c *dicomweb.Client) {
				_, err := c.Studies(context.Background(), dicomweb.Query{Most: 1})
				wantError(t, err, "pacs.example: it closed the connection too early")
				if requests != 12 {
					t.Fatalf("%d requests", requests-10)
				}
			})
		})
	}
}

// TestResultsThatAreTooLarge: all pages of a search share a budget of bytes and of values.
func TestResultsThatAreTooLarge(t *testing.T) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		from := 1000 + number(t, r, "offset")
		instancesJSON(w, from, from+number(t, r, "limit"))
	}
	var page strings.Builder
	instancesJSON(&page, 1000, 1002)
	bytes := int64(page.Len())
	const nodes = 2 + 2*11 // [ { name { name [ value ] name value } } ] of two results, for each one of 11
	for _, c := range []struct {
		bytes int64
		nodes int
		error string
	}{
		{5 * bytes, 5 * nodes, ""},
		{5*bytes - 1, 5 * nodes, "pacs.example: it sends more results than are held at a time; narrow the search"},
		{5 * bytes, 5*nodes - 1, "pacs.example: it sends more results than are held at a time; narrow the search"},
	} {
		inBubble(t, dicomweb.Config{PageSize: 2}, serve, func(t *testing.T, client *dicomweb.Client) {
			dicomweb.SetHeld(client, c.bytes, c.nodes)
			r, err := client.Instances(context.Background(), study, serie, dicomweb.Query{Most: 9})
			if c.error != "" {
				wantError(t, err, c.error)
			} else if err != nil || len(r.Found) != 9 || !r.More {
				t.Errorf("%d results, more %v, %v", len(r.Found), r.More, err)
			}
		})
	}
}
