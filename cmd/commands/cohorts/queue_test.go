package cohorts

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"quell/app/batch"
	"quell/app/job"
)

// TestMetricsAreServed until they are stopped, if an address is given.
func TestMetricsAreServed(t *testing.T) {
	if _, stop, err := withMetrics("", batch.Events{}); err != nil {
		t.Error(err)
	} else {
		stop()
	}
	for _, address := range []string{"nowhere", "256.0.0.1:1"} {
		if _, _, err := withMetrics(address, batch.Events{}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: %v", address, err)
		}
	}
	const address = "127.0.0.1:0"
	events, served, err := serveMetrics(address, batch.Events{})
	if err != nil {
		t.Fatal(err)
	}
	events.Result(batch.SeriesResult{State: batch.Done})
	get := func(path string) (int, string) {
		answer, err := http.Get("http://" + served.address + path)
		if err != nil {
			return 0, ""
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		return answer.StatusCode, string(body)
	}
	if code, body := get("/metrics"); code != http.StatusOK || !strings.Contains(body, `quell_series_total{state="done"} 1`) {
		t.Errorf("%d, %s", code, body)
	}
	if code, _ := get("/other"); code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
	served.stop()
	if code, _ := get("/metrics"); code != 0 {
		t.Errorf("after the end: %d", code)
	}
}

func TestProgressText(t *testing.T) {
	for want, s := range map[string]batch.Progress{
		`^3 done, 50 %$`:                      {Done: 2, Duplicates: 1, Share: 0.5},
		`^2 done, 1 failed, 25 %, 1m2s left$`: {Done: 2, Failed: 1, Share: 0.25, Left: 62_000_000_400},
	} {
		if got := progressText(s); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

func TestShards(t *testing.T) {
	for text, want := range map[string][2]int{"": {0, 0}, "1/1": {0, 1}, "3/16": {2, 16}, "16/16": {15, 16}, "0/16": {15, 16}, "0/1": {0, 1}} {
		var f shardFlag
		if err := f.Set(text); err != nil || f.part != want[0] || f.of != want[1] {
			t.Errorf("%q: %+v, %v", text, f, err)
		}
	}
	for _, text := range []string{"0/0", "1/0", "5/4", "1", "1/", "/4", "a/b", "1/4/2", "-1/4"} {
		if err := new(shardFlag).Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
