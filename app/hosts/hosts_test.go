package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	_ "quell/app/output" // registers the outputs of a job
	"quell/assets"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// form is how these tests word an error.
func form(err error) any { return map[string]string{"text": err.Error()} }

// place returns an IN with the given files, by name; "ct" stands for the bundled series.
func place(t *testing.T, in map[string]string) Place {
	t.Helper()
	p := Place{In: filepath.Join(t.TempDir(), "in"), Out: filepath.Join(t.TempDir(), "out")}
	if err := os.MkdirAll(p.In, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range in {
		var err error
		switch {
		case name == "ct":
			err = os.CopyFS(p.In, assets.Series)
		case strings.HasSuffix(name, ".nii"):
			v := volume.New(volume.NewGeometry([3]int{12, 10, 4}, [3]float64{1, 1, 2}))
			for i := range v.Data {
				v.Data[i] = float32((i * 7) % 31)
			}
			err = niftitest.Write(t.Context(), filepath.Join(p.In, name), v, "")
		default:
			err = os.WriteFile(filepath.Join(p.In, name), []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// serve does what quell module does without flags.
func serve(ctx context.Context, p Place) error {
	s, _, err := p.ReadTask()
	if err != nil {
		return Refuse(p, err, form)
	}
	_, err = Run(ctx, p, s, form, job.Events{})
	return err
}

// left returns what OUT holds.
func left(t *testing.T, p Place) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(p.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// read returns result.json.
func read(t *testing.T, p Place) (r struct {
	Status string
	Error  struct{ Text string }
	Series []struct {
		Files     []string
		Judgement string
		Recipe    struct{ Filter string }
	}
	Notification Notification `json:"__mercure_notification"`
}) {
	t.Helper()
	data, err := os.ReadFile(p.result())
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlaces: arguments come before the environment, and mercure before MONAI Deploy; it sets its variables too.
func TestPlaces(t *testing.T) {
	mercure := map[string]string{"MERCURE_IN_DIR": "a", "MERCURE_OUT_DIR": "b", "MONAI_INPUTPATH": "c", "MONAI_OUTPUTPATH": "d"}
	for _, c := range []struct {
		args []string
		env  map[string]string
		want Place
		ok   bool
	}{
		{nil, mercure, Place{"a", "b", "mercure"}, true},
		{[]string{"x", "y"}, mercure, Place{"x", "y", ""}, true},
		{nil, map[string]string{"MONAI_INPUTPATH": "c", "MONAI_OUTPUTPATH": "d"}, Place{"c", "d", "MONAI Deploy"}, true},
		{nil, map[string]string{"HOLOSCAN_INPUT_PATH": "e", "HOLOSCAN_OUTPUT_PATH": "f"}, Place{"e", "f", "MONAI Deploy"}, true},
		{nil, map[string]string{"MERCURE_IN_DIR": "a"}, Place{}, false},
		{nil, nil, Place{}, false},
		{[]string{"x"}, mercure, Place{}, false},
	} {
		got, err := Find(c.args, func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != c.ok || err != nil && job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%q %v: %v, %v", c.args, c.env, got, err)
		}
	}
}

// TestMercure: DICOM files lie in OUT itself, result.json beside them, and IN is as it was.
func TestMercure(t *testing.T) {
	p := place(t, map[string]string{"ct": "", "task.json": `{"id": "1", "process": {"module_name": "quell", "settings": {"filter": "gaussian", "verdict": false}}}`})
	before, err := os.ReadDir(p.In)
	if err != nil {
		t.Fatal(err)
	}
	if err := serve(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r := read(t, p)
	names := left(t, p)
	if r.Status != Done || len(r.Series) != 1 || r.Series[0].Recipe.Filter != "gaussian" || r.Notification.Requested || r.Error.Text != "" {
		t.Errorf("%+v", r)
	}
	if slices.Sort(r.Series[0].Files); len(names) != 11 || !slices.Equal(append(r.Series[0].Files, ResultName), names) {
		t.Errorf("OUT holds %q, result.json names %q", names, r.Series[0].Files)
	}
	if after, _ := os.ReadDir(p.In); len(after) != len(before) {
		t.Errorf("IN held %d files, and now %d", len(before), len(after))
	}
	if err := serve(t.Context(), p); job.ExitCode(err) != job.ExitUsage || read(t, p).Status != Done {
		t.Errorf("again into the same folder: %v", err)
	}
}

// TestFiles: other formats keep names and endings; several series have a prefix each, and a verdict.
func TestFiles(t *testing.T) {
	p := place(t, map[string]string{"a.nii": "", "b.nii": "", "task.json": `{"settings": {"preset": "mr-brain-3d-fast", "series": "all"}}`})
	if err := serve(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	want := []string{"result.json", "s1-a.nii", "s1-a.nii.recipe.json", "s2-b.nii", "s2-b.nii.recipe.json"}
	if names := left(t, p); !slices.Equal(names, want) {
		t.Errorf("OUT holds %q", names)
	}
	if r := read(t, p); len(r.Series) != 2 || r.Series[0].Judgement == "" || !strings.Contains(r.Notification.Text, "Verdict") {
		t.Errorf("%+v", r)
	}
	p = place(t, map[string]string{"a.nii": "", "b.nii": "", "task.json": `{"process": [{"settings": {"filter": "median", "series": 2, "verdict": false}}]}`})
	if err := serve(t.Context(), p); err != nil || !slices.Contains(left(t, p), "b.nii") || slices.Contains(left(t, p), "a.nii") {
		t.Errorf("series 2: %v, %q", err, left(t, p))
	}
}

// TestFailures: leave result.json alone, which says why, and the next module replaces it.
func TestFailures(t *testing.T) {
	for task, want := range map[string]string{
		`{"settings": {"fliter": "nlm"}}`:                             `there is no setting "fliter"`,
		`{"settings": {"filter": "nml"}}`:                             "nml",
		`{"settings": {"filter": "nlm", "parameters": {"h": -1}}}`:    "outside",
		`{"settings": {"filter": "nlm", "parameters": {"gamma": 1}}}`: "no parameter gamma",
		`{"settings": {"filter": "median", "series": 3}}`:             "no series 3",
		`{"settings": {"filter": "median", "series": 0}}`:             "no series 0",
		`{"settings": {"filter": "median", "series": 1.5}}`:           "give its number",
		`{"settings": {"filter": "median", "noise_map": "f"}}`:        "auto or none",
		`{"settings": {"filter": "median", "engine": "abacus"}}`:      "abacus",
		`{"settings": {"filter": "median", "dims": 4}}`:               "2, 3 or auto",
		`{"process": [{"settings": {}}, {"settings": {}}]}`:           "several processes",
		`{"settings": `:                          "unexpected end",
		`{"settings": {"parameters": {"h": 1}}}`: "which filter",
		`{"settings": {"filter": "median", "preset": "mr-brain-3d", "x": 1}}`: "no setting",
		`{"settings": {"filter": "median", "preset": "mr-brain-3d"}}`:         "leave the filter",
	} {
		p := place(t, map[string]string{"a.nii": "", "task.json": task})
		err := serve(t.Context(), p)
		if err == nil || !strings.Contains(err.Error(), want) || !slices.Equal(left(t, p), []string{ResultName}) {
			t.Errorf("%s: %v; OUT holds %q", task, err, left(t, p))
			continue
		}
		if r := read(t, p); r.Status != Failed || !strings.Contains(r.Error.Text, want) || !r.Notification.Requested {
			t.Errorf("%s: %+v", task, r)
		}
	}
	p := place(t, map[string]string{"task.json": `{"settings": {"filter": "median", "verdict": false}}`})
	if err := serve(t.Context(), p); job.ExitCode(err) != job.ExitInput || read(t, p).Status != Failed {
		t.Errorf("without images: %v", err)
	}
	if err := os.Mkdir(p.work(), 0o777); err != nil { // of a module that was killed
		t.Fatal(err)
	}
	p.In = place(t, map[string]string{"a.nii": "", "task.json": `{"settings": {"filter": "median", "verdict": false}}`}).In
	if err := serve(t.Context(), p); err != nil || read(t, p).Status != Done || slices.Contains(left(t, p), workName) {
		t.Errorf("after a failure: %v, %q", err, left(t, p))
	}
}

func TestCancel(t *testing.T) {
	p := place(t, map[string]string{"a.nii": "", "task.json": `{"settings": {"filter": "median"}}`})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(ctx, p); !errors.Is(err, context.Canceled) || !slices.Equal(left(t, p), []string{ResultName}) || read(t, p).Status != Failed {
		t.Errorf("%v, %q", err, left(t, p))
	}
}

// TestOthersFolders: an OUT that holds anything, or lies in IN, is not touched.
func TestOthersFolders(t *testing.T) {
	const task = `{"settings": {"filter": "median", "verdict": false}}`
	for name, text := range map[string]string{"notes.txt": "", ResultName: `{"status": "failed"}`} {
		p := place(t, map[string]string{"a.nii": "", "task.json": task})
		if err := os.Mkdir(p.Out, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Out, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := serve(t.Context(), p)
		if data, _ := os.ReadFile(filepath.Join(p.Out, name)); job.ExitCode(err) != job.ExitUsage || string(data) != text || len(left(t, p)) != 1 {
			t.Errorf("%s: %v, %q", name, err, left(t, p))
		}
	}
	for out, ok := range map[string]bool{"": false, "sub": false, "..out": false, "../in2": true} {
		p := place(t, map[string]string{"a.nii": "", "task.json": task})
		p.Out = filepath.Join(p.In, out)
		if err := serve(t.Context(), p); (err == nil) != ok {
			t.Errorf("OUT at %q of IN: %v", out, err)
		}
	}
}

// TestPublish: a file that is there already stays, and none of the others comes.
func TestPublish(t *testing.T) {
	p := Place{Out: t.TempDir()}
	at := func(name string) string { return filepath.Join(p.Out, name) }
	for _, name := range []string{"1", "2", "taken"} {
		if err := os.WriteFile(at(name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err := p.publish([]moved{{at("1"), at("a")}, {at("2"), at("taken")}})
	if data, _ := os.ReadFile(at("taken")); err == nil || string(data) != "taken" || slices.Contains(left(t, p), "a") {
		t.Errorf("%v, %q", err, left(t, p))
	}
}
