package workbench_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/measure"
	"quell/volume"
)

// saved returns the open series with sources at paths.
func saved(t *testing.T, paths ...string) (w workbench.Workspace) {
	t.Helper()
	recipe, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		w.Open = append(w.Open, workbench.SavedSeries{
			Path: path, Name: "DOE JOHN", Picture: []byte("DOE"), Files: "0a", Voxels: "0b", Images: "0c", Dims: [3]int{4, 5, 6}, Recipe: recipe,
			Marks: []workbench.Mark{{ID: 1, Plane: volume.Axial, Index: 2, Outline: measure.Outline{Shape: measure.Box, Points: [][2]float64{{1, 1}, {3, 3}}}}},
			Runs:  []workbench.SavedRun{{File: "run-1.f32", Source: "0d", Recipe: recipe, Resolved: recipe, Started: time.Now(), Exports: []*workbench.Exported{{}}}},
			View:  []byte(`{"index": 3}`),
		})
	}
	return w
}

// write makes files with their folders.
func write(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// A project that is moved along with the files below it finds them there, and others where they were; it holds no text of
// the sources but their paths.
func TestAProjectIsOpenedElsewhere(t *testing.T) {
	here, there, away := t.TempDir(), t.TempDir(), t.TempDir()
	below, outside := filepath.Join("data", "a.nii"), filepath.Join(away, "b.nii")
	write(t, filepath.Join(here, below), outside)
	w := saved(t, filepath.Join(here, below), outside, "")
	w.Open[1].Reference = filepath.Join(here, below)
	w.Open[0].Beside = workbench.SavedBeside{Path: outside, Entry: 2, Voxels: "0d", Compared: true}
	w.Open[1].Beside = workbench.SavedBeside{Path: filepath.Join(here, below)}
	path := filepath.Join(here, "p.quell")
	if err := w.WriteProject(path, false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"DOE", "RE9F", "run-1.f32", here} {
		if strings.Contains(string(data), not) {
			t.Errorf("the project holds %q", not)
		}
	}
	again, err := workbench.ReadProject(path)
	if err != nil || !workbench.SameWork(w, again) || again.Open[0].Voxels != "0b" || again.Open[0].Images != "0c" || again.Open[0].Beside != w.Open[0].Beside || again.Open[2].Beside.Path != "" || !strings.Contains(string(again.Open[0].View), "3") {
		t.Fatalf("%v: it is read as %+v", err, again)
	}
	if len(again.Open[0].Unmade()) != 1 || again.Unexported() != 0 {
		t.Errorf("its runs are %+v", again.Open[0].Runs)
	}
	write(t, filepath.Join(there, below))
	if err := os.Rename(path, filepath.Join(there, "p.quell")); err != nil {
		t.Fatal(err)
	}
	moved, err := workbench.ReadProject(filepath.Join(there, "p.quell"))
	if err != nil || moved.Open[0].Path != filepath.Join(there, below) || moved.Open[1].Path != outside || moved.Open[1].Reference != filepath.Join(there, below) || moved.Open[2].Path != "" ||
		moved.Open[0].Beside.Path != outside || moved.Open[1].Beside.Path != filepath.Join(there, below) {
		t.Errorf("%v: the moved project has the sources %+v", err, moved.Open)
	}
	if len(moved.Missing()) != 0 || workbench.SameWork(moved, again) {
		t.Errorf("%v are missing", moved.Missing())
	}
}

// A missing source is named; where one is found, others that moved along are found too.
func TestMissingSourcesAreLocated(t *testing.T) {
	old, now := filepath.Join(t.TempDir(), "study"), filepath.Join(t.TempDir(), "study")
	w := saved(t, filepath.Join(old, "1", "a.nii"), filepath.Join(old, "2", "b.nii"), filepath.Join(old, "3", "c.nii"))
	write(t, filepath.Join(now, "1", "a.nii"), filepath.Join(now, "2", "b.nii"))
	w.Open[1].Beside.Path = filepath.Join(old, "4", "d.nii")
	write(t, filepath.Join(now, "4", "d.nii"))
	missing := w.Missing()
	if len(missing) != 4 || missing[0].Path != w.Open[0].Path {
		t.Fatalf("missing are %+v", missing)
	}
	w.Locate(missing[0], filepath.Join(now, "1", "a.nii"))
	if left := w.Missing(); len(left) != 1 || left[0].Path != filepath.Join(old, "3", "c.nii") || w.Open[1].Path != filepath.Join(now, "2", "b.nii") || w.Open[1].Beside.Path != filepath.Join(now, "4", "d.nii") {
		t.Errorf("left are %+v of %+v", left, w.Open)
	}
}

// A file that is no project is refused in a sentence, and replaced only with overwrite.
func TestDamagedProjectsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.quell")
	for content, want := range map[string]string{
		"":            "no project",
		"{}":          "no project",
		`{"open":[]}`: "no project",
		`{"quell": "project", "schema": 2, "open": []}`:                     "later version",
		`{"quell": "project", "schema": 1, "open": []}`:                     "damaged",
		`{"quell": "project", "schema": 1, "open": [{"dims": [1, 1, -1]}]}`: "damaged",
		`{"quell": "project", "schema": 1, "open": 1}`:                      "damaged",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var input *job.InputError
		if _, err := workbench.ReadProject(path); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", content, err, want)
		}
	}
	if err := os.WriteFile(path, []byte("a letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := saved(t, "")
	if err := w.WriteProject(path, false); !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("a foreign file: %v", err)
	}
	for _, overwrite := range []bool{true, false} {
		if err := w.WriteProject(path, overwrite); err != nil {
			t.Error(err)
		}
	}
	if _, err := workbench.ReadProject(filepath.Join(t.TempDir(), "none.quell")); err == nil {
		t.Error("a project that is not there is read")
	}
	if again, err := workbench.ReadProject(path); err != nil || !reflect.DeepEqual(again.Open[0].Marks, w.Open[0].Marks) {
		t.Errorf("%v: marks %+v", err, again.Open)
	}
}
