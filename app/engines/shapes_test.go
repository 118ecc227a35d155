package engines

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"quell/app/files"
	"quell/gpu"
	"quell/kernels"
)

func TestShapesOfDevicesAreKeptApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "shapes.json")
	of := func(device string, driver, value int) gpu.TunedShapes {
		return gpu.TunedShapes{Device: device, Driver: driver, Kernels: "k", Shapes: kernels.Shapes{"x": value}}
	}
	for i, c := range []struct {
		add  gpu.TunedShapes
		want []gpu.TunedShapes
	}{
		{of("A", 1, 1), []gpu.TunedShapes{of("A", 1, 1)}},
		{of("B", 1, 2), []gpu.TunedShapes{of("A", 1, 1), of("B", 1, 2)}},
		{of("A", 2, 3), []gpu.TunedShapes{of("A", 1, 1), of("B", 1, 2), of("A", 2, 3)}},
		{of("A", 1, 4), []gpu.TunedShapes{of("B", 1, 2), of("A", 2, 3), of("A", 1, 4)}},
	} {
		if err := SaveShapes(path, c.add); err != nil {
			t.Fatal(err)
		}
		if got, ignored := readShapes(path); ignored != "" || !reflect.DeepEqual(got, c.want) {
			t.Errorf("after %d: %+v, %q", i, got, ignored)
		}
	}
	if err := SaveShapes(filepath.Join(path, "below", "a.file"), of("A", 1, 1)); err == nil {
		t.Error("no error for a folder that cannot be made")
	}
}

// A file that cannot be used is ignored with a line in the log, and replaced.
func TestShapesThatAreIgnored(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "damaged",
		"{":                           "damaged",
		`{"version":2,"tuned":[]}`:    "of another version",
		`{"version":1,"tuned":"all"}`: "damaged",
		`{"version":1,"tuned":[]}`:    "",
	} {
		dir := t.TempDir()
		path, log := filepath.Join(dir, "shapes.json"), filepath.Join(dir, "log")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		closer, err := files.LogTo(log)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := startGPU(gpu.Options{Worker: filepath.Join(dir, "no worker")}, path); err == nil {
			e.Close()
			t.Error("a worker that does not exist is started")
		}
		closer.Close()
		lines, err := os.ReadFile(log)
		if err != nil || bytes.Contains(lines, []byte("launch shapes are ignored")) != (want != "") || !bytes.Contains(lines, []byte(want)) || bytes.Contains(lines, []byte(dir)) {
			t.Errorf("%q: log %q, %v", text, lines, err)
		}
		if err := SaveShapes(path, gpu.TunedShapes{Device: "A"}); err != nil {
			t.Fatal(err)
		}
		if got, ignored := readShapes(path); len(got) != 1 || ignored != "" {
			t.Errorf("%q is not replaced: %+v, %q", text, got, ignored)
		}
	}
	if got, ignored := readShapes(filepath.Join(t.TempDir(), "none")); got != nil || ignored != "" {
		t.Errorf("a missing file: %+v, %q", got, ignored)
	}
	if _, ignored := readShapes(t.TempDir()); ignored != "unreadable" {
		t.Errorf("a folder is %q", ignored)
	}
}
