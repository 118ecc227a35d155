package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom"
	"quell/series"
	"quell/volume"
)

// TestForeignTargets checks which existing files and folders an export replaces
// without being asked to.
func TestForeignTargets(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	run := filtered(t, reopen(t, in), volume.Region{})
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
	export := func(name string, o ExportOptions) error {
		_, err := exportRun(t.Context(), run, at(name), o, nil)
		return err
	}
	putNii(t, at("truth.nii"), 2, 2, 2)
	putNii(t, at("pair.hdr"), 2, 2, 2)
	put("text.nii.gz", "not an image")
	put("voxels.img", "voxels without a header")
	put("record.nii.recipe.json", `{"recipe": "goulash"}`)
	putForeignDICOM(t, at("folder"))
	for name, file := range map[string]string{
		"truth.nii": "truth.nii", "pair.hdr": "pair.hdr", "text.nii.gz": "text.nii.gz", "voxels.hdr": "voxels.img",
		"record.nii": "record.nii.recipe.json", "folder": "folder",
	} {
		before := filesBelow(t, dir)
		for what, err := range map[string]error{
			"check":  CheckOutput(run.Source, at(name), ExportOptions{}),
			"export": export(name, ExportOptions{}),
		} {
			if !errors.Is(err, ErrForeignTarget) || ExitCode(err) != ExitUsage ||
				!strings.HasPrefix(err.Error(), at(file)+" exists") || !strings.Contains(err.Error(), "--overwrite") {
				t.Errorf("%s: %s: error %v", name, what, err)
			}
		}
		if after := filesBelow(t, dir); !slices.Equal(after, before) {
			t.Errorf("%s: %q became %q", name, before, after)
		}
		if err := export(name, ExportOptions{Overwrite: true}); err != nil {
			t.Errorf("%s: overwriting: %v", name, err)
		}
		reopen(t, at(name))
		// Now it is Quell's.
		if err := export(name, ExportOptions{}); err != nil {
			t.Errorf("%s: a second export: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"a conversion": func() error {
			_, err := convert(t.Context(), reopen(t, in), at("converted.nii"), ExportOptions{})
			return errors.Join(err, export("converted.nii", ExportOptions{}))
		}(),
		"a folder shown by a file manager": func() error {
			put("folder/.DS_Store", "x")
			return export("folder", ExportOptions{})
		}(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// putForeignDICOM writes a series whose files have names that Quell does not give.
func putForeignDICOM(t *testing.T, dir string) {
	t.Helper()
	putDICOM(t, dir, 4, 4, 2)
	for _, z := range []string{"1", "2"} {
		if err := os.Rename(filepath.Join(dir, "IM0000"+z+".dcm"), filepath.Join(dir, "scan"+z+".dcm")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOverwriteReplacesDICOMAlone: of a folder that Quell did not write, files of DICOM and
// the volumes of an earlier export go, and nothing else, which is named.
func TestOverwriteReplacesDICOMAlone(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 2)
	run := filtered(t, reopen(t, in), volume.Region{})
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
			writeTestFile(t, filepath.Join(out, "scan.gz"), gzipped(t, data))
		}, ""},
		"a file manager's": {func(out string) { writeTestFile(t, filepath.Join(out, "Thumbs.db"), nil) }, ""},
		"volumes of Quell": {func(out string) {
			if _, err := exportRun(t.Context(), run, filepath.Join(out, "002-time-1-s"), ExportOptions{}, nil); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(out, "002-time-1-s"+recordSuffix)); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"a letter":            {func(out string) { writeTestFile(t, filepath.Join(out, "letter.txt"), []byte("x")) }, "letter.txt"},
		"an empty file":       {func(out string) { writeTestFile(t, filepath.Join(out, "notes"), nil) }, "notes"},
		"a folder":            {func(out string) { putForeignDICOM(t, filepath.Join(out, "other")) }, "other"},
		"another's volumes":   {func(out string) { putForeignDICOM(t, filepath.Join(out, "002")) }, "002/scan1.dcm"},
		"a batch":             {func(out string) { os.Mkdir(filepath.Join(out, batchState), 0o755) }, batchState},
		"a file like records": {func(out string) { writeTestFile(t, filepath.Join(out, insideRecord), []byte("{}")) }, insideRecord},
	} {
		out := filepath.Join(dir, strings.ReplaceAll(name, " ", "_"))
		putForeignDICOM(t, out)
		c.add(out)
		before := filesBelow(t, out)
		if err := CheckOutput(run.Source, out, ExportOptions{}); ExitCode(err) != ExitUsage || errors.Is(err, ErrForeignTarget) != (c.lost == "") {
			t.Errorf("%s: unasked: %v", name, err)
		}
		_, err := exportRun(t.Context(), run, out, ExportOptions{Overwrite: true}, nil)
		if c.lost == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), out+" holds "+c.lost+", which") {
			t.Errorf("%s: %v", name, err)
		}
		if after := filesBelow(t, out); !slices.Equal(after, before) {
			t.Errorf("%s: the folder changed", name)
		}
	}
}

func TestCurrentFolderIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 4)
	s := reopen(t, in)
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
		for _, o := range []ExportOptions{{}, {Overwrite: true}} {
			if err := CheckOutput(s, out, o); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "never replaced") {
				t.Errorf("%s: error %v", out, err)
			}
		}
	}
	if err := CheckOutput(s, filepath.Join(dir, "home", "x"), ExportOptions{Overwrite: true}); err != nil {
		t.Error(err)
	}
}

// TestFailedExportKeepsTheEarlierOutput makes the record impossible to write.
func TestFailedExportKeepsTheEarlierOutput(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	run := filtered(t, reopen(t, in), volume.Region{})
	for _, name := range []string{"out.nii", "out.hdr", "out"} {
		out := filepath.Join(dir, name)
		if _, err := exportRun(t.Context(), run, out, ExportOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		record := out + recordSuffix
		if err := os.Remove(record); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(record, "folder"), 0o755); err != nil {
			t.Fatal(err)
		}
		before := filesBelow(t, dir)
		for _, o := range []ExportOptions{{}, {Overwrite: true}} {
			if err := CheckOutput(run.Source, out, o); ExitCode(err) != ExitUsage {
				t.Errorf("%s: check: %v", name, err)
			}
			if _, err := exportRun(t.Context(), run, out, o, nil); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if after := filesBelow(t, dir); !slices.Equal(after, before) {
			t.Errorf("%s: the files changed", name)
		}
	}
}

// TestTargetWrittenMeanwhileIsKept writes a file where an export is about to end.
func TestTargetWrittenMeanwhileIsKept(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 2)
	run := filtered(t, reopen(t, in), volume.Region{})
	out := filepath.Join(dir, "out.nii")
	_, err := exportRun(t.Context(), run, out, ExportOptions{}, func(int, int) {
		if err := os.WriteFile(out, []byte("theirs"), 0o644); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, ErrForeignTarget) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "theirs" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

func TestLostSourceIsNamed(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	putDICOM(t, src, 8, 7, 6)
	run := filtered(t, reopen(t, src), volume.Region{})
	if err := os.Remove(filepath.Join(src, "IM00003.dcm")); err != nil {
		t.Fatal(err)
	}
	_, err := exportRun(t.Context(), run, filepath.Join(dir, "out"), ExportOptions{}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "IM00003.dcm: the source file cannot be opened") {
		t.Errorf("error %v", err)
	}
}

func TestOutputFolderMayEndInASlash(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 2)
	run := filtered(t, reopen(t, in), volume.Region{})
	out := filepath.Join(dir, "out")
	for range 2 {
		report, err := exportRun(t.Context(), run, out+"/", ExportOptions{}, nil)
		if err != nil || report.Output != out || report.Recipe != out+recordSuffix {
			t.Fatalf("report %+v, error %v", report, err)
		}
	}
}

func TestOutputNamesMayBeAnyBytes(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	run := filtered(t, reopen(t, in), volume.Region{})
	for _, name := range []string{"K\xf6pf.nii", "K\xf6pf.hdr", "K\xf6pf"} {
		out := filepath.Join(dir, name)
		if err := os.WriteFile(out, nil, 0o644); err != nil {
			t.Skip("the file system takes UTF-8 alone:", err)
		}
		os.Remove(out)
		for range 2 { // the second replaces the first
			if _, err := exportRun(t.Context(), run, out, ExportOptions{}, nil); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		if back := reopen(t, out).Volume; back.Dims != run.Result.Dims {
			t.Errorf("%q: dims %v", name, back.Dims)
		}
	}
}

func TestOutputSize(t *testing.T) {
	dir := t.TempDir()
	nii, src := filepath.Join(dir, "in.nii"), filepath.Join(dir, "src")
	putNii(t, nii, 8, 7, 6)
	putDICOM(t, src, 8, 7, 6)
	image, slices := reopen(t, nii), reopen(t, src)
	file, err := os.Stat(filepath.Join(src, "IM00001.dcm"))
	if err != nil {
		t.Fatal(err)
	}
	frames := *slices // of one file
	frames.Sources = append([]series.Source{}, slices.Sources...)
	for z := range frames.Sources {
		frames.Sources[z].Name, frames.Sources[z].Frame = "IM00001.dcm", z
	}
	whole, part := image.Volume.Bounds(), volume.Slices(image.Volume.Geometry, 2, 4)
	for _, c := range []struct {
		s      *series.Series
		region volume.Region
		out    string
		o      ExportOptions
		want   int64
	}{
		{image, whole, "out.nii", ExportOptions{}, 8 * 7 * 6 * 4},
		{image, part, "out.hdr", ExportOptions{Dtype: "int16"}, 8 * 7 * 2 * 2},
		{image, whole, "out.nii.gz", ExportOptions{}, 0},
		{image, whole, "out", ExportOptions{}, 8 * 7 * 6 * 2},
		{slices, part, "out", ExportOptions{}, 2 * file.Size()},
		{&frames, whole, "out", ExportOptions{}, file.Size()},
		{slices, whole, "out", ExportOptions{Compress: DefaultCompression}, 0},
	} {
		if got := outputSize(c.s, c.region, c.out, c.o); got != c.want {
			t.Errorf("%s to %s %+v: %d bytes, want %d", c.s.Format, c.out, c.o, got, c.want)
		}
	}
}

// filesBelow returns the paths and contents of all files below dir.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files = append(files, path)
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, path+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestOptionsThatDoNotGoTogether are refused before any work.
func TestOptionsThatDoNotGoTogether(t *testing.T) {
	dir := t.TempDir()
	for what, c := range map[string]struct {
		out  string
		o    ExportOptions
		want string // "" for what is accepted
	}{
		"no name":                 {"", ExportOptions{}, "the output has no name"},
		"the voxels of a pair":    {"a.IMG", ExportOptions{}, "name the header"},
		"a data type of DICOM":    {"out", ExportOptions{Dtype: "int16"}, "a data type is for files"},
		"an unknown data type":    {"a.nii", ExportOptions{Dtype: "int12"}, "no data type is called"},
		"a data type":             {"a.nii", ExportOptions{Dtype: "int16"}, ""},
		"an unknown compression":  {"out", ExportOptions{Compress: "magic"}, "no compression is called"},
		"a compression":           {"out", ExportOptions{Compress: DefaultCompression}, ""},
		"a compression of NIfTI":  {"a.nii", ExportOptions{Compress: DefaultCompression}, "compression is for DICOM"},
		"no compression of NIfTI": {"a.nii", ExportOptions{Compress: dicom.Uncompressed}, ""},
	} {
		out := c.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		err := CheckOutput(wavy(4, 4, 4), out, c.o)
		if (err == nil) != (c.want == "") || err != nil && (ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}

// TestSectionKeepsItsSources: a part of a series has the sources of its slices; those of
// a series with one file for all slices are kept.
func TestSectionKeepsItsSources(t *testing.T) {
	s := wavy(4, 3, 5)
	r := volume.Slices(s.Volume.Geometry, 1, 3)
	if section(s, s.Volume.Bounds()) != s {
		t.Error("the whole series was copied")
	}
	if part := section(s, r); part.Volume.Dims != [3]int{4, 3, 2} || len(part.Sources) != 1 {
		t.Errorf("one file: dims %v, %d sources", part.Volume.Dims, len(part.Sources))
	}
	s.Sources = make([]series.Source, 5)
	for z := range s.Sources {
		s.Sources[z].Frame = z
	}
	if part := section(s, r); len(part.Sources) != 2 || part.Sources[0].Frame != 1 || part.Sources[1].Frame != 2 || len(s.Sources) != 5 {
		t.Errorf("a file for each slice: sources %v", part.Sources)
	}
}

// TestNamesThatCannotBe are refused as such, other than places that cannot be written to.
func TestNamesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	s := wavy(4, 4, 2)
	writeTestFile(t, filepath.Join(dir, "file"), nil)
	for out, want := range map[string]string{
		filepath.Join(dir, strings.Repeat("n", 300)+".nii"): "too long",
		filepath.Join(dir, "file", "a.nii"):                 "a part of its path is a file",
	} {
		if err := CheckOutput(s, out, ExportOptions{}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", filepath.Base(out), err)
		}
	}
	if runtime.GOOS == "linux" {
		if err := CheckOutput(s, "/proc/quell-test.nii", ExportOptions{}); ExitCode(err) != ExitFailed {
			t.Errorf("a file where none can be: %v", err)
		}
	}
}

// TestTheInputIsNoOutput: one file of a series as the name of a folder is the input itself.
func TestTheInputIsNoOutput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "src")
	putDICOM(t, dir, 4, 4, 3)
	file := filepath.Join(dir, "IM00002")
	if err := os.Rename(file+".dcm", file); err != nil {
		t.Fatal(err)
	}
	if err := CheckOutput(reopen(t, file), file, ExportOptions{}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "is the input itself") {
		t.Errorf("a file to itself: %v", err)
	}
	bundled, err := OpenBundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if inputs := sourcesOf(bundled); len(inputs) != 0 {
		t.Errorf("a series that lies in no folder has the inputs %q", inputs)
	}
	if !isInside("/", "/") || isInside(dir, file) || !isInside(filepath.Join(dir, "new", "deep"), dir) || isInside(dir, filepath.Join(dir, "gone")) {
		t.Error("what lies inside a folder is wrong")
	}
}
