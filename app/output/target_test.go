package output_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/io/dicom"
	"quell/volume"
)

// TestForeignTargets checks which existing files and folders an export replaces
// without being asked to.
func TestForeignTargets(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	put := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	export := func(name string, o job.Options) error {
		_, err := roomtest.ExportRun(t.Context(), run, at(name), o, nil)
		return err
	}
	apptest.PutNii(t, at("truth.nii"), 2, 2, 2)
	apptest.PutNii(t, at("pair.hdr"), 2, 2, 2)
	put("text.nii.gz", "not an image")
	put("voxels.img", "voxels without a header")
	put("record.nii.recipe.json", `{"recipe": "goulash"}`)
	apptest.PutForeignDICOM(t, at("folder"))
	for name, file := range map[string]string{
		"truth.nii": "truth.nii", "pair.hdr": "pair.hdr", "text.nii.gz": "text.nii.gz", "voxels.hdr": "voxels.img",
		"record.nii": "record.nii.recipe.json", "folder": "folder",
	} {
		before := apptest.FilesBelow(t, dir)
		for what, err := range map[string]error{
			"check":  output.Check(run.Source, at(name), job.Options{}),
			"export": export(name, job.Options{}),
		} {
			if !errors.Is(err, files.ErrForeignTarget) || job.ExitCode(err) != job.ExitUsage ||
				!strings.HasPrefix(err.Error(), at(file)+" exists") || !strings.Contains(err.Error(), "--overwrite") {
				t.Errorf("%s: %s: error %v", name, what, err)
			}
		}
		if after := apptest.FilesBelow(t, dir); !slices.Equal(after, before) {
			t.Errorf("%s: %q became %q", name, before, after)
		}
		if err := export(name, job.Options{Overwrite: true}); err != nil {
			t.Errorf("%s: overwriting: %v", name, err)
		}
		opentest.Reopen(t, at(name))
		// Now it is Quell's.
		if err := export(name, job.Options{}); err != nil {
			t.Errorf("%s: a second export: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"a conversion": func() error {
			_, err := roomtest.Convert(t.Context(), opentest.Reopen(t, in), at("converted.nii"), job.Options{})
			return errors.Join(err, export("converted.nii", job.Options{}))
		}(),
		"a folder shown by a file manager": func() error {
			put("folder/.DS_Store", "x")
			return export("folder", job.Options{})
		}(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOverwriteReplacesDICOMAlone: of a folder that Quell did not write, files of DICOM and
// the volumes of an earlier export go, and nothing else, which is named.
func TestOverwriteReplacesDICOMAlone(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 4, 4, 2)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	for name, c := range map[string]struct {
		add  func(out string)
		lost string // "" if it may be replaced
	}{
		"DICOM alone": {func(string) {}, ""},
		"DICOM by gzip": {func(out string) {
			data, err := os.ReadFile(filepath.Join(out, "scan1.dcm"))
			if err != nil {
				t.Fatal(err)
			}
			apptest.WriteTestFile(t, filepath.Join(out, "scan.gz"), apptest.Gzipped(t, data))
		}, ""},
		"a file manager's": {func(out string) { apptest.WriteTestFile(t, filepath.Join(out, "Thumbs.db"), nil) }, ""},
		"volumes of Quell": {func(out string) {
			if _, err := roomtest.ExportRun(t.Context(), run, filepath.Join(out, "002-time-1-s"), job.Options{}, nil); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(out, "002-time-1-s"+files.RecordSuffix)); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"a letter":            {func(out string) { apptest.WriteTestFile(t, filepath.Join(out, "letter.txt"), []byte("x")) }, "letter.txt"},
		"an empty file":       {func(out string) { apptest.WriteTestFile(t, filepath.Join(out, "notes"), nil) }, "notes"},
		"a folder":            {func(out string) { apptest.PutForeignDICOM(t, filepath.Join(out, "other")) }, "other"},
		"another's volumes":   {func(out string) { apptest.PutForeignDICOM(t, filepath.Join(out, "002")) }, "002/scan1.dcm"},
		"a batch":             {func(out string) { os.Mkdir(filepath.Join(out, ".quell-batch"), 0o755) }, ".quell-batch"},
		"a file like records": {func(out string) { apptest.WriteTestFile(t, filepath.Join(out, files.InsideRecord), []byte("{}")) }, files.InsideRecord},
	} {
		out := filepath.Join(dir, strings.ReplaceAll(name, " ", "_"))
		apptest.PutForeignDICOM(t, out)
		c.add(out)
		before := apptest.FilesBelow(t, out)
		if err := output.Check(run.Source, out, job.Options{}); job.ExitCode(err) != job.ExitUsage || errors.Is(err, files.ErrForeignTarget) != (c.lost == "") {
			t.Errorf("%s: unasked: %v", name, err)
		}
		_, err := roomtest.ExportRun(t.Context(), run, out, job.Options{Overwrite: true}, nil)
		if c.lost == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), out+" contains "+c.lost+", which") {
			t.Errorf("%s: %v", name, err)
		}
		if after := apptest.FilesBelow(t, out); !slices.Equal(after, before) {
			t.Errorf("%s: the folder changed", name)
		}
	}
}

func TestCurrentFolderIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 4, 4, 4)
	s := opentest.Reopen(t, in)
	work := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	t.Setenv("HOME", filepath.Join(dir, "home"))
	if err := os.MkdirAll(filepath.Join(dir, "home", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{".", "..", filepath.Join(dir, "home")} {
		for _, o := range []job.Options{{}, {Overwrite: true}} {
			if err := output.Check(s, out, o); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "never replaced") {
				t.Errorf("%s: error %v", out, err)
			}
		}
	}
	if err := output.Check(s, filepath.Join(dir, "home", "x"), job.Options{Overwrite: true}); err != nil {
		t.Error(err)
	}
}

// TestFailedExportKeepsTheEarlierOutput makes the record impossible to write.
func TestFailedExportKeepsTheEarlierOutput(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	for _, name := range []string{"out.nii", "out.hdr", "out"} {
		out := filepath.Join(dir, name)
		if _, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil); err != nil {
			t.Fatal(err)
		}
		record := out + files.RecordSuffix
		if err := os.Remove(record); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(record, "folder"), 0o755); err != nil {
			t.Fatal(err)
		}
		before := apptest.FilesBelow(t, dir)
		for _, o := range []job.Options{{}, {Overwrite: true}} {
			if err := output.Check(run.Source, out, o); job.ExitCode(err) != job.ExitUsage {
				t.Errorf("%s: check: %v", name, err)
			}
			if _, err := roomtest.ExportRun(t.Context(), run, out, o, nil); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if after := apptest.FilesBelow(t, dir); !slices.Equal(after, before) {
			t.Errorf("%s: the files changed", name)
		}
	}
}

func TestOutputFolderMayEndInASlash(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 4, 4, 2)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	out := filepath.Join(dir, "out")
	for range 2 {
		report, err := roomtest.ExportRun(t.Context(), run, out+"/", job.Options{}, nil)
		if err != nil || report.Output != out || report.Recipe != files.RecordPath(out) {
			t.Fatalf("report %+v, error %v", report, err)
		}
	}
}

// TestOptionsThatDoNotGoTogether are refused before any work.
func TestOptionsThatDoNotGoTogether(t *testing.T) {
	dir := t.TempDir()
	for what, c := range map[string]struct {
		out  string
		o    job.Options
		want string // "" for an accepted target
	}{
		"no name":                 {"", job.Options{}, "the output has no name"},
		"the voxels of a pair":    {"a.IMG", job.Options{}, "name the header"},
		"a data type of DICOM":    {"out", job.Options{Dtype: "int16"}, "a data type is for files"},
		"an unknown data type":    {"a.nii", job.Options{Dtype: "int12"}, "no data type is called"},
		"a data type":             {"a.nii", job.Options{Dtype: "int16"}, ""},
		"an unknown compression":  {"out", job.Options{Compress: "magic"}, "no compression is called"},
		"a compression":           {"out", job.Options{Compress: job.DefaultCompression}, ""},
		"a compression of NIfTI":  {"a.nii", job.Options{Compress: job.DefaultCompression}, "compression is for DICOM"},
		"no compression of NIfTI": {"a.nii", job.Options{Compress: dicom.Uncompressed}, ""},
	} {
		out := c.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		err := output.Check(apptest.Wavy(4, 4, 4), out, c.o)
		if (err == nil) != (c.want == "") || err != nil && (job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}

// TestNamesThatCannotBe are refused as such, other than places that cannot be written to.
func TestNamesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	s := apptest.Wavy(4, 4, 2)
	apptest.WriteTestFile(t, filepath.Join(dir, "file"), nil)
	for out, want := range map[string]string{
		filepath.Join(dir, strings.Repeat("n", 300)+".nii"): "too long",
		filepath.Join(dir, "file", "a.nii"):                 "a part of its path is a file",
	} {
		if err := output.Check(s, out, job.Options{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", filepath.Base(out), err)
		}
	}
	if runtime.GOOS == "linux" {
		if err := output.Check(s, "/proc/quell-test.nii", job.Options{}); job.ExitCode(err) != job.ExitFailed {
			t.Errorf("a file where none can be: %v", err)
		}
	}
}

// TestTheInputIsNoOutput: one file of a series as the name of a folder is the input itself.
func TestTheInputIsNoOutput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "src")
	apptest.PutDICOM(t, dir, 4, 4, 3)
	file := filepath.Join(dir, "IM00002")
	if err := os.Rename(file+".dcm", file); err != nil {
		t.Fatal(err)
	}
	if err := output.Check(opentest.Reopen(t, file), file, job.Options{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "is the input itself") {
		t.Errorf("a file to itself: %v", err)
	}
	bundled, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if inputs := files.SourcesOf(bundled); len(inputs) != 0 {
		t.Errorf("a series that lies in no folder has the inputs %q", inputs)
	}
	if !files.IsInside("/", "/") || files.IsInside(dir, file) || !files.IsInside(filepath.Join(dir, "new", "deep"), dir) || files.IsInside(dir, filepath.Join(dir, "gone")) {
		t.Error("what lies inside a folder is wrong")
	}
}
