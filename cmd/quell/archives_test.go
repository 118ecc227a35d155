package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/pacs"
	"quell/app/pacs/pacstest"
)

// archiveOf starts an archive with the bundled series, which is kept as the place home. Temporary files lie in temp.
func archiveOf(t *testing.T) (w *pacstest.Web, series, temp string) {
	t.Helper()
	temp = t.TempDir()
	for name, value := range map[string]string{"TMPDIR": temp, "TMP": temp, "XDG_CONFIG_HOME": t.TempDir(), "QUELL_TEST_SECRET": "user:opensesame"} {
		t.Setenv(name, value)
	}
	plan, err := pacs.PlanSend(t.Context(), "../../assets/series")
	if err != nil {
		t.Fatal(err)
	}
	w = pacstest.Start(t, "../../assets/series")
	w.Refuses = func(r *http.Request) int {
		if _, password, _ := r.BasicAuth(); password != "opensesame" {
			return http.StatusUnauthorized
		}
		return 0
	}
	if code, _, stderr := quell(t, "pacs", "nodes", "add", "home", w.URL, "--sign-in", "basic", "--secret", "env:QUELL_TEST_SECRET"); code != 0 {
		t.Fatal(stderr)
	}
	return w, plan.Objects[0].SeriesUID, temp
}

func left(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFromAnArchiveAndBack: a reference is a path for a command, nothing of it stays, and no log or record holds the
// series, its patient or the secret.
func TestFromAnArchiveAndBack(t *testing.T) {
	_, series, temp := archiveOf(t)
	log, page := filepath.Join(t.TempDir(), "quell.log"), filepath.Join(t.TempDir(), "page.html")
	code, stdout, stderr := quell(t, "denoise", "pacs:home/"+series, "pacs:home", "--filter", "gaussian", "--dims", "2", "--log", log, "--report", page)
	if code != 0 || !strings.Contains(stdout, "written to pacs:home\n") || !strings.Contains(stdout, "stored on home, where a search finds 9") {
		t.Fatalf("code %d, %s%s", code, stdout, stderr)
	}
	if all := left(t, temp); len(all) != 0 {
		t.Errorf("left are %v", all)
	}
	code, stdout, stderr = quell(t, "denoise", "pacs:home/"+series, "pacs:home", "--filter", "median", "--dims", "2", "--json")
	var report struct {
		Output string
		Sent   pacs.Report
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || report.Sent.Verified != 9 || report.Output != "pacs:home" {
		t.Errorf("code %d, %v, %+v, %s", code, err, report, stderr)
	}
	if code, stdout, _ = quell(t, "pacs", "search", "home", "--series", "--csv"); code != 0 || strings.Count(stdout, "\n") != 4 {
		t.Errorf("code %d, %s", code, stdout)
	}
	places, err := pacs.PlacesPath()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{log, places} {
		b, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(b), series) || strings.Contains(string(b), "opensesame") || strings.Contains(string(b), "REMOVED") {
			t.Errorf("%v, in %s is\n%s", err, path, b)
		}
	}
	if b, err := os.ReadFile(page); err != nil || strings.Contains(string(b), "opensesame") {
		t.Errorf("%v, or the page has the secret", err)
	}
}

// TestArchivesThatFail: nothing is left behind, and the command reports the failure.
func TestArchivesThatFail(t *testing.T) {
	w, series, temp := archiveOf(t)
	filter := []string{"--filter", "gaussian", "--dims", "2"}
	w.Sent = func(files [][]byte) [][]byte { return files[1:] }
	code, _, stderr := quell(t, append([]string{"denoise", "pacs:home/" + series, "pacs:home"}, filter...)...)
	if code != 1 || !strings.Contains(stderr, "it sent 8 instances of 9") || len(left(t, temp)) != 0 {
		t.Errorf("code %d, %s, left are %v", code, stderr, left(t, temp))
	}
	out := filepath.Join(t.TempDir(), "ct")
	if code, _, _ := quell(t, "pacs", "get", "home/"+series, out); code != 1 || len(left(t, filepath.Dir(out))) != 0 {
		t.Errorf("code %d, left are %v", code, left(t, filepath.Dir(out)))
	}
	w.Sent = nil
	if code, _, stderr := quell(t, "pacs", "get", "home/"+series, out); code != 0 || len(left(t, out)) != 9 {
		t.Errorf("code %d, %s", code, stderr)
	}
	t.Setenv("QUELL_TEST_SECRET", "user:wrong")
	code, stdout, stderr := quell(t, append([]string{"denoise", "pacs:home/" + series, "pacs:home", "--json"}, filter...)...)
	if code != 1 || !strings.Contains(stdout, `"kind": "network"`) || strings.Contains(stdout+stderr, "wrong") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// TestBatchOfAQuery: a query is the list of a batch, and the same query does only what is missing.
func TestBatchOfAQuery(t *testing.T) {
	_, _, temp := archiveOf(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, want := range []string{"1 series done in", "1 series done (1 before)"} {
		code, stdout, stderr := quell(t, "batch", "pacs:home?Modality=CT", out, "--filter", "gaussian", "--dims", "2", "--no-verdict")
		if code != 0 || !strings.Contains(stdout, want) || len(left(t, temp)) != 0 {
			t.Errorf("code %d, %s%s, left are %v", code, stdout, stderr, left(t, temp))
		}
	}
	if code, _, stderr := quell(t, "batch", "pacs:home?Modality=MR", out, "--filter", "gaussian"); code != 2 || !strings.Contains(stderr, "finds no series") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
