package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/files"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
)

// A report is on the result with the state of the screen: slice, window and marks.
func TestReportOnAResult(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "report.html")
	b.Exports.SaveReport(path, false, false)
	if b.Tasks.Busy() {
		t.Fatal("a report without a result")
	}
	b.applied(3)
	b.draw(marks.EllipseTool, [2]float64{2, 2}, [2]float64{9, 9})
	b.draw(marks.LineTool, [2]float64{2, 2}, [2]float64{12, 2})
	b.settle()
	b.State().Cut().SetIndex(1)
	b.settle()
	b.Exports.SaveReport(path, false, false)
	if !b.Tasks.Busy() || b.Tasks.Loss() != desk.LosesExport {
		t.Error("a report in progress is not a task that is lost when another takes its place")
	}
	b.settle()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, want := range []string{"slice 2 of", "ROI 1", "Line 2", "SNR", "Noise σ of the input"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "not judged") || strings.Contains(page, "identity hidden") || b.Tasks.Message() != "The report is saved." {
		t.Errorf("the report is not judged or hides the identity; %q", b.Tasks.Message())
	}
	if kindOf(b.Documents.Loss()) != desk.LosesResult {
		t.Error("a report counts as an export of the result")
	}
	b.Exports.SaveReport(path, true, false) // replaces the first
	b.settle()
	if data, _ = os.ReadFile(path); !strings.Contains(string(data), "identity hidden") {
		t.Error("the report without identity did not replace the first, or names the patient")
	}
}

func TestReportNeverReplacesWhatItShouldNot(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	path := filepath.Join(t.TempDir(), "mine.html")
	if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	b.Exports.SaveReport(path, false, false)
	b.settle()
	if data, _ := os.ReadFile(path); string(data) != "mine" || b.Tasks.Message() == "The report is saved." {
		t.Error("a foreign file is replaced")
	}
	gone := filepath.Join(t.TempDir(), "gone.html")
	b.Exports.SaveReport(gone, false, false)
	b.Tasks.Cancel()
	b.settle()
	if _, err := os.Stat(gone); err == nil || b.Tasks.Busy() {
		t.Error("a cancelled report is written")
	}
	b.Exports.SaveReport(path, false, true)
	b.settle()
	if err := files.Check(files.ReportOutput, path, false); err != nil {
		t.Errorf("with leave to overwrite: %v", err)
	}
}
