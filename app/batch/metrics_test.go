package batch

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quell/app/job"
)

func TestMetrics(t *testing.T) {
	m := NewMetrics()
	results, statuses := 0, 0
	events := m.Events(Events{Result: func(SeriesResult) { results++ }, Progress: func(Progress) { statuses++ }})
	done := SeriesResult{Unit: "name", State: Done, Dims: [3]int{2, 3, 4}, Seconds: job.Seconds{Load: 1, Filter: 2, Measure: 3, Write: 4}}
	group := done
	group.Volumes = 10
	reused := done
	reused.Reused = true
	for _, r := range []SeriesResult{done, group, reused, {State: Failed, Dims: [3]int{9, 9, 9}}, {State: Duplicate, Dims: [3]int{9, 9, 9}}} {
		events.Result(r)
	}
	events.Progress(Progress{Share: 0.25, Left: 90 * time.Second})
	m.Events(Events{}).Progress(Progress{Share: 0.5, Left: time.Minute, Queued: 7, InWork: 3, Redelivered: 2})
	m.Events(Events{}).Result(reused)
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	for _, line := range []string{
		`quell_series_total{state="done"} 2`, `quell_series_total{state="failed"} 1`, `quell_series_total{state="duplicate"} 1`, "quell_series_reused_total 2",
		"quell_voxels_total 264", `quell_seconds_total{stage="load"} 2`, `quell_seconds_total{stage="write"} 8`, "quell_finished_ratio 0.5", "quell_left_seconds 60",
		"# TYPE quell_series_total counter", `quell_units{state="queued"} 7`, `quell_units{state="in_work"} 3`, "quell_units_redelivered 2",
		fmt.Sprintf("quell_build_info{version=%q} 1", job.Version()), "# TYPE go_goroutines gauge", "# TYPE process_resident_memory_bytes gauge",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	if strings.Contains(text, "name") || results != 5 || statuses != 1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%d results, %d statuses, %s\n%s", results, statuses, w.Header(), text)
	}
}
