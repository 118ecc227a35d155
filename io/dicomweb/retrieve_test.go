package dicomweb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"quell/io/attributes"
	"quell/io/dicomweb"
)

const related = `multipart/related; type="application/dicom"; boundary=b`

var series = dicomweb.Retrieval{Study: study, Series: serie}

// collect retrieves and returns what came.
func collect(c *dicomweb.Client, r dicomweb.Retrieval) (all []string, n int, err error) {
	n, err = c.Retrieve(context.Background(), r, func(instance io.Reader) error {
		b, err := io.ReadAll(instance)
		if err == nil {
			all = append(all, string(b))
		}
		return err
	})
	return all, n, err
}

// part is an instance in an answer.
func part(body string) string {
	return "--b\r\nContent-Type: application/dicom; transfer-syntax=1.2.840.10008.1.2.1\r\n\r\n" + body + "\r\n"
}

// TestRetrieve reads answers of servers that write the envelope in their ways, whole and damaged.
func TestRetrieve(t *testing.T) {
	two := part("first") + part("second\r\n--c") + "--b--\r\n"
	limits := func(parts int, one, all int64) dicomweb.Retrieval {
		r := series
		r.MostParts, r.MostPartBytes, r.MostBytes = parts, one, all
		return r
	}
	wanted := func(n int) dicomweb.Retrieval { r := series; r.Want = n; return r }
	one := dicomweb.Retrieval{Study: study, Series: serie, Instance: "1.9.1"}
	for name, c := range map[string]struct {
		status int
		kind   string
		body   string
		r      dicomweb.Retrieval
		want   int
		error  string
	}{
		"two":                    {200, related, two, series, 2, ""},
		"no quotes":              {200, `multipart/related; type=application/dicom; boundary=b`, two, series, 2, ""},
		"quoted boundary":        {200, `Multipart/Related; start=<a/b>; boundary="b"; type=application/dicom`, two, series, 2, ""},
		"preamble":               {200, related, "text\r\n" + two + "text", series, 2, ""},
		"long epilogue":          {200, related, two + strings.Repeat("text\r\n", 5000), series, 2, ""},
		"large":                  {200, related, part(strings.Repeat("0123456789", 5000)) + two, series, 3, ""},
		"none":                   {200, related, "--b--\r\n", series, 0, ""},
		"wrong length of a part": {200, related, strings.ReplaceAll(two, "\r\n\r\n", "\r\nContent-Length: 4294967295\r\n\r\n"), series, 2, ""},
		"no type of a part":      {200, related, "--b\r\n\r\nx\r\n--b--", series, 1, ""},
		"one alone":              {200, "application/dicom", "first", one, 1, ""},

		"another type":         {200, "text/html", two, series, 0, "pacs.example: it sends no DICOM instances"},
		"no type":              {200, "", two, series, 0, "it sends no DICOM instances"},
		"no boundary":          {200, "multipart/related", two, series, 0, "it sends no DICOM instances"},
		"long boundary":        {200, "multipart/related; boundary=" + strings.Repeat("b", 71), two, series, 0, "it sends no DICOM instances"},
		"another type of part": {200, related, strings.Replace(two, "application/dicom", "text/html", 1), series, 0, "it sends a part that is no DICOM instance"},
		"not found":            {404, related, two, series, 0, "nothing at this address (HTTP 404)"},
		"part of it":           {206, related, two, series, 2, "it sent 2 instances and says that there are more"},

		"cut in an instance":  {200, related, two[:len(two)-14], series, 1, "its answer ends within an instance"},
		"cut before the end":  {200, related, part("first"), series, 0, "its answer ends within an instance"},
		"cut in the head":     {200, related, two[:20], series, 0, "its answer ends within an instance"},
		"empty":               {200, related, "", series, 0, "its answer ends within an instance"},
		"wanted":              {200, related, two, wanted(2), 2, ""},
		"too few":             {200, related, two, wanted(3), 2, "it sent 2 instances of 3; retrieve them again"},
		"too many":            {200, related, two, wanted(1), 2, "it sent 2 instances of 1"},
		"two for one":         {200, related, two, one, 2, "it sent 2 instances of 1"},
		"most parts":          {200, related, two, limits(2, 0, 0), 2, ""},
		"more parts":          {200, related, two, limits(1, 0, 0), 1, "it sends more than 1 instances; retrieve less"},
		"most bytes":          {200, related, two, limits(0, 11, int64(len(two))), 2, ""},
		"more bytes of one":   {200, related, two, limits(0, 10, 0), 1, "it sends an instance of more than 10 bytes"},
		"more bytes":          {200, related, two, limits(0, 0, int64(len(two))-13), 1, "its answer has more bytes than were allowed"},
		"more bytes of alone": {200, "application/dicom", "first", func() dicomweb.Retrieval { r := one; r.MostPartBytes = 4; return r }(), 0, "more than 4 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept"); got != `multipart/related; type="application/dicom"; transfer-syntax=*` {
					t.Errorf("accepts %s", got)
				}
				w.Header()["Content-Type"] = []string{c.kind}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}
			inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, client *dicomweb.Client) {
				all, n, err := collect(client, c.r)
				if n != c.want || c.error == "" && err != nil {
					t.Fatalf("%d instances, %v", n, err)
				}
				if c.error != "" {
					wantError(t, err, c.error)
				}
				if len(all) != n {
					t.Fatalf("%d whole instances, %d counted", len(all), n)
				}
				// Nobody reads: the same instances are counted.
				skipped, again := client.Retrieve(context.Background(), c.r, func(io.Reader) error { return nil })
				if skipped != n || (again == nil) != (err == nil) {
					t.Fatalf("%d instances if nobody reads, %v", skipped, again)
				}
			})
		})
	}
}

// A connection that breaks within an answer is not asked again: parts were handed over. An error
// of the caller ends the retrieval.
func TestRetrievalsThatEndEarly(t *testing.T) {
	requests := 0
	serve := func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Content-Type", related)
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, part("first")+part("second"))
	}
	inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
		_, n, err := collect(c, series)
		wantError(t, err, "pacs.example: it closed the connection too early")
		if n != 1 || requests != 1 {
			t.Fatalf("%d instances by %d requests", n, requests)
		}
		own := errors.New("the disk is full")
		n, err = c.Retrieve(context.Background(), series, func(io.Reader) error { return own })
		if n != 0 || err != own {
			t.Fatalf("%d instances, %v", n, err)
		}
	})
}

// A server that halts within an instance is given up after a minute, whatever the caller took before.
func TestRetrievalHalts(t *testing.T) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", related)
		_, _ = io.WriteString(w, part(strings.Repeat("first", 3000))+part("second"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
		var begin time.Time
		_, err := c.Retrieve(context.Background(), series, func(r io.Reader) error {
			_, err := io.ReadFull(r, make([]byte, 100))
			if begin.IsZero() {
				time.Sleep(time.Hour) // a slow caller is no fault of the server
				begin = time.Now()
			}
			return err
		})
		wantError(t, err, "no answer within 1m0s")
		if took := time.Since(begin); took != time.Minute {
			t.Fatalf("took %v", took)
		}
	})
}

func ExampleClient_Retrieve() {
	client, err := dicomweb.New(dicomweb.Config{Base: "https://pacs.example/dicom-web"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ctx := context.Background()
	found, err := client.Series(ctx, "", dicomweb.Query{
		Match: map[string]string{"PatientID": "123", "Modality": "CT"}, Include: []string{"NumberOfSeriesRelatedInstances"}, Most: 20,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range found.Found {
		want, _ := d.Count(attributes.SeriesInstances)
		r := dicomweb.Retrieval{Study: d.Text(attributes.StudyInstanceUID), Series: d.Text(attributes.SeriesInstanceUID), Want: want}
		n, err := client.Retrieve(ctx, r, func(instance io.Reader) error {
			_, err := io.Copy(io.Discard, instance) // a file in a new folder
			return err
		})
		fmt.Println(n, err)
	}
}

// FuzzMultipart reads answers. No instance lies outside of them, and limits hold.
func FuzzMultipart(f *testing.F) {
	f.Add(related, []byte(part("first")+part("second")+"--b--\r\n"))
	f.Add("multipart/related; type=application/dicom; boundary=b", []byte(part("first")))
	f.Add("application/dicom", []byte("first"))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		answer := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader(body))}
		total := 0
		n, err := dicomweb.ReadParts(answer, 3, 10, func(r io.Reader) error {
			b, err := io.ReadAll(r)
			total += len(b)
			if len(b) > 10 || !bytes.Contains(body, b) {
				t.Fatalf("an instance %q", b)
			}
			return err
		})
		if n > 3 || total > len(body) || err != nil && err.Error() == "" {
			t.Fatalf("%d instances, %d bytes, %v", n, total, err)
		}
	})
}
