package app_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/assets"
	"quell/internal/message"
	"quell/internal/shareddata"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/volume"
)

// attachJob filters a folder of DICOM into a folder and attaches objects.
func attachJob(in, out string, attach ...string) job.Job {
	r := apptest.MustRecipe("bilateral", 2)
	return job.Job{Input: job.Input{Path: in}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: out, Options: job.Options{Attach: attach}}}
}

func do(t *testing.T, j job.Job) executor.Outcome {
	t.Helper()
	j = j.Judged()
	r, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noisyDICOM writes a noisy series as a folder of DICOM.
func noisyDICOM(t *testing.T) (dir string) {
	dir = filepath.Join(t.TempDir(), "in")
	apptest.SaveDICOM(t, dir, apptest.Grainy(t, 15))
	return dir
}

// parametricMap returns a map of a folder: its values, and the elements of its header.
func parametricMap(t *testing.T, path string, n int) (values []float32, elements map[part10.Tag][]byte) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for b := file[len(file)-4*n:]; len(b) > 0; b = b[4:] {
		values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return values, dicomtest.ElementBytes(t, file)
}

// TestMaps: what was removed is input less result, the noise is about what was added, and both belong to the patient,
// study and frame of reference of the images. The same result gives the same files, also slab by slab but for the
// noise, which is then not known everywhere.
func TestMaps(t *testing.T) {
	in, out := noisyDICOM(t), filepath.Join(t.TempDir(), "out")
	r := do(t, attachJob(in, out, job.AttachMaps))
	before, after := opentest.Reopen(t, in).Volume, r.Run.Result
	if want := after.Dims[2] + 2; r.Files != want || len(dicomtest.Names(t, out)) != want {
		t.Fatalf("%d files, %q", r.Files, dicomtest.Names(t, out))
	}
	removed, header := parametricMap(t, filepath.Join(out, "PM00001.dcm"), len(after.Data))
	for i, got := range removed {
		if before.Valid(i) && got != before.Data[i]-after.Data[i] {
			t.Fatalf("voxel %d: %g removed of %g, which left %g", i, got, before.Data[i], after.Data[i])
		}
	}
	sigma, _ := parametricMap(t, filepath.Join(out, "PM00002.dcm"), len(after.Data))
	known := slices.DeleteFunc(slices.Clone(sigma), func(x float32) bool { return x == -math.MaxFloat32 })
	slices.Sort(known)
	if middle := known[len(known)/2]; len(known) < len(sigma)/10 || middle < 10 || middle > 20 {
		t.Errorf("noise %g in %d of %d voxels, and 15 was added", middle, len(known), len(sigma))
	}
	image := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	for _, tag := range []part10.Tag{part10.TagPatientName, part10.TagPatientID, part10.TagStudyInstanceUID, part10.TagFrameOfReferenceUID} {
		if !bytes.Equal(header[tag], image[tag]) {
			t.Errorf("%v is %q, of the images %q", tag, header[tag], image[tag])
		}
	}
	if bytes.Equal(header[part10.TagSeriesInstanceUID], image[part10.TagSeriesInstanceUID]) {
		t.Error("the map is in the series of the images")
	}
	if s := opentest.Reopen(t, out); s.Volume.Dims != after.Dims {
		t.Errorf("the folder is read as %v", s.Volume.Dims)
	}

	again := filepath.Join(t.TempDir(), "again")
	do(t, attachJob(in, again, job.AttachMaps))
	for _, name := range []string{"PM00001.dcm", "PM00002.dcm"} {
		a, ah := parametricMap(t, filepath.Join(out, name), len(after.Data))
		b, bh := parametricMap(t, filepath.Join(again, name), len(after.Data))
		if !slices.Equal(a, b) || !bytes.Equal(ah[part10.TagSOPInstanceUID], bh[part10.TagSOPInstanceUID]) {
			t.Errorf("%s is another one the second time", name)
		}
	}
}

// TestMapsOfSlabs: what was removed from a volume that is too large is the same to the bit; the noise is given, or there
// is no map of it and a warning says why.
func TestMapsOfSlabs(t *testing.T) {
	in, whole, slabs := noisyDICOM(t), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "slabs")
	j := attachJob(in, whole, job.AttachMaps)
	made := do(t, j)
	j.Recipe, j.Output.Path = made.Recipe, slabs
	j.Memory = int64(len(made.Run.Result.Data)) * 4
	r := do(t, j)
	if r.Slabs == nil || r.Slabs.Count < 2 {
		t.Fatalf("in slabs: %+v", r.Slabs)
	}
	if names := dicomtest.Names(t, slabs); slices.Contains(names, "PM00002.dcm") || !strings.Contains(message.Join(" ", r.Warnings...).String(), "No map of the noise is attached") {
		t.Errorf("%q, %q", names, r.Warnings)
	}
	a, _ := parametricMap(t, filepath.Join(whole, "PM00001.dcm"), r.Voxels)
	b, _ := parametricMap(t, filepath.Join(slabs, "PM00001.dcm"), r.Voxels)
	if !slices.Equal(a, b) {
		t.Error("another map, slab by slab")
	}
}

// TestMapsOfUnknownNoise: there is none of noise that the program calls unknown, as of a few voxels.
func TestMapsOfUnknownNoise(t *testing.T) {
	dir := t.TempDir()
	s := apptest.Grainy(t, 6)
	s.Volume = s.Volume.Crop(volume.Region{Min: [3]int{30, 40, 2}, Max: [3]int{35, 45, 3}})
	apptest.SaveDICOM(t, filepath.Join(dir, "in"), s)
	j := attachJob(filepath.Join(dir, "in"), filepath.Join(dir, "out"), job.AttachMaps)
	r := apptest.MustRecipe("median", 2)
	j.Recipe = &r
	if got := do(t, j); slices.Contains(dicomtest.Names(t, j.Output.Path), "PM00002.dcm") || !strings.Contains(message.Join(" ", got.Warnings...).String(), "No map of the noise") {
		t.Errorf("%q, %q", dicomtest.Names(t, j.Output.Path), got.Warnings)
	}
}

// report returns the measurement groups of a result: of its input, and of the result itself.
func report(t *testing.T, dir string) (source, result dicomtest.ContentItem) {
	t.Helper()
	all := dicomtest.Content(t, dicomtest.ReadSourceFile(t, dir, "SR00001.dcm")).Only(t, "Imaging Measurements").In
	if len(all) != 2 {
		t.Fatalf("%d measurement groups", len(all))
	}
	return all[0], all[1]
}

// TestMeasurements: the report has the figures of the outcome, with virtual lesions among them, and belongs to the study of
// the images. The same result gives the same report.
func TestMeasurements(t *testing.T) {
	in, out := noisyDICOM(t), filepath.Join(t.TempDir(), "out")
	r := do(t, attachJob(in, out, job.AttachMeasurements))
	m := r.Measures
	if names := dicomtest.Names(t, out); r.Files != r.Dims[2]+1 || !slices.Contains(names, "SR00001.dcm") || m == nil || !m.Noise().Known() {
		t.Fatalf("%d files, %q, measures %+v", r.Files, names, m)
	}
	source, result := report(t, out)
	noise := source.All("Image noise")[0]
	if got, _ := strconv.ParseFloat(noise.Value, 64); math.Abs(got-m.Sigma) > 1e-4*m.Sigma || m.Sigma < 13 || m.Sigma > 17 {
		t.Errorf("noise %q, estimated %g, and 15 was added", noise.Value, m.Sigma)
	}
	if got := result.Only(t, "Verdict on the result"); !strings.EqualFold(got.Value, string(m.Judgement)) || got.Only(t, "Comment").Value == "" {
		t.Errorf("the verdict is %+v, not %q", got, m.Judgement)
	}
	for name, want := range map[string]float64{"Noise removed": m.Noise().Value, "Contrast kept": m.Contrast().Value, "Texture kept": m.Texture().Value} {
		if got, err := strconv.ParseFloat(result.Only(t, name).Value, 64); err != nil || math.Abs(got-100*want) > 1e-3 {
			t.Errorf("%s is %g, not %g %%", name, got, 100*want)
		}
	}
	if got := result.Only(t, "Algorithm Parameters").Value; got != r.Recipe.String() {
		t.Errorf("by %q, not %q", got, r.Recipe)
	}
	a, b := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, "SR00001.dcm")), dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	for _, tag := range []part10.Tag{part10.TagPatientName, part10.TagPatientID, part10.TagStudyInstanceUID, part10.TagAccessionNumber} {
		if len(a[tag]) == 0 || !bytes.Equal(a[tag], b[tag]) {
			t.Errorf("%v is %q, of the images %q", tag, a[tag], b[tag])
		}
	}
	if got := result.Only(t, "Series Instance UID").Value; !bytes.Contains(b[part10.TagSeriesInstanceUID], []byte(got)) || got == "" {
		t.Errorf("the result is series %q", got)
	}
	if s := opentest.Reopen(t, out); s.Volume.Dims != r.Dims {
		t.Errorf("the folder is read as %v", s.Volume.Dims)
	}
	again := filepath.Join(t.TempDir(), "again")
	do(t, attachJob(in, again, job.AttachMeasurements))
	if c := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, again, "SR00001.dcm")); !bytes.Equal(a[part10.TagSOPInstanceUID], c[part10.TagSOPInstanceUID]) {
		t.Error("the report is another one the second time")
	}
}

// TestMeasurementsThatAreUnknown: where there is no noise, or no verdict, the report has reasons and no numbers; slab by
// slab the even squares are those of all.
func TestMeasurementsThatAreUnknown(t *testing.T) {
	dir := t.TempDir()
	apptest.SaveDICOM(t, filepath.Join(dir, "in"), apptest.Grainy(t, 0))
	j := attachJob(filepath.Join(dir, "in"), filepath.Join(dir, "out"), job.AttachMeasurements)
	median := apptest.MustRecipe("median", 2)
	j.Recipe = &median
	do(t, j)
	_, result := report(t, j.Output.Path)
	if got := result.Only(t, "Verdict on the result"); got.Value == "GOOD" || got.Only(t, "Comment").Value == "" {
		t.Errorf("of no noise: %+v", got)
	}

	in := noisyDICOM(t)
	unjudged := attachJob(in, filepath.Join(dir, "unjudged"), job.AttachMeasurements)
	if _, err := app.Do(t.Context(), unjudged, job.Events{}); err != nil {
		t.Fatal(err)
	}
	if _, result = report(t, unjudged.Output.Path); result.Only(t, "Verdict on the result").Value != "UNKNOWN" {
		t.Errorf("a result that was not judged: %+v", result.Only(t, "Verdict on the result"))
	}
	slabs := attachJob(in, filepath.Join(dir, "slabs"), job.AttachMeasurements)
	slabs.Memory = 200000
	if r := do(t, slabs); r.Slabs == nil || r.Slabs.Count < 2 {
		t.Fatalf("in slabs: %+v", r.Slabs)
	}
	source, _ := report(t, slabs.Output.Path)
	if got, _ := strconv.ParseFloat(source.All("Image noise")[0].Value, 64); got < 13 || got > 17 {
		t.Errorf("slab by slab the noise is %+v", source.All("Image noise")[0])
	}
}

// TestObjectsAlone: a folder of maps and reports without images says what it holds, and so does one of them alone.
func TestObjectsAlone(t *testing.T) {
	out, alone := filepath.Join(t.TempDir(), "out"), t.TempDir()
	do(t, attachJob(noisyDICOM(t), out, job.Attachments()...))
	for _, name := range []string{"PM00001.dcm", "PM00002.dcm", "SR00001.dcm"} {
		if err := os.Rename(filepath.Join(out, name), filepath.Join(alone, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		alone:                               alone + ": it contains 2 Parametric Maps, 1 structured report, which Quell does not open; choose a file or folder with CT or MR images",
		filepath.Join(alone, "PM00001.dcm"): filepath.Join(alone, "PM00001.dcm") + ": it contains 1 Parametric Map, which Quell does not open",
	} {
		if _, err := open.Scan(t.Context(), path); job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// TestAttachRefuses what cannot be attached, and to what.
func TestAttachRefuses(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	apptest.PutDICOM(t, in, 8, 8, 3)
	nothing, nifti, conversion := attachJob(in, filepath.Join(dir, "out"), "pictures"), attachJob(in, filepath.Join(dir, "out.nii"), job.AttachMaps), attachJob(in, filepath.Join(dir, "out"), job.AttachMaps)
	conversion.Recipe = nil
	for _, j := range []job.Job{nothing, nifti, conversion} {
		if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%+v: %v", j.Output, err)
		}
	}
}

// TestAttachedForValidators asks dciodvfy and pydicom about the objects of a CT, an MR, a mosaic and an enhanced MR.
func TestAttachedForValidators(t *testing.T) {
	const interpreter = "/usr/bin/python3" // that of the system, which has the packages of Debian
	const python = `import sys, pydicom
for name in sys.argv[1:]:
    d = pydicom.dcmread(name)
    assert len(d.FloatPixelData) == 4 * d.Rows * d.Columns * int(d.NumberOfFrames), name
    assert len(d.PerFrameFunctionalGroupsSequence) == int(d.NumberOfFrames), name
    m = d.SharedFunctionalGroupsSequence[0].RealWorldValueMappingSequence[0]
    assert m.RealWorldValueSlope == 1 and m.MeasurementUnitsCodeSequence[0].CodingSchemeDesignator == "UCUM", name
`
	for _, name := range []string{"ct", "mr/ge-temporal", "mr/siemens-mosaic/ep2d_Asc_2", "mr/siemens-enhanced-xa10"} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(t.TempDir(), "in")
			if name != "ct" {
				in = shareddata.Path(t, name)
			} else if err := os.CopyFS(in, assets.Series); err != nil {
				t.Fatal(err)
			}
			j := attachJob(in, filepath.Join(t.TempDir(), "out"), job.Attachments()...)
			r := apptest.MustRecipe("gaussian", 2)
			j.Recipe, j.Output.Deidentify, j.Input.All = &r, name == "ct", name == "mr/siemens-mosaic/ep2d_Asc_2"
			apptest.OwnConfig(t, t.TempDir())
			do(t, j)
			var maps, reports []string
			for _, file := range dicomtest.Names(t, j.Output.Path) {
				if strings.HasPrefix(file, "IM") || strings.HasPrefix(file, "PM") && len(maps) == 2 {
					continue
				}
				path := filepath.Join(j.Output.Path, file)
				for _, e := range dicomtest.Complaints(t, path) {
					t.Errorf("%s: %s", file, e)
				}
				if strings.HasPrefix(file, "PM") {
					maps = append(maps, path)
				} else {
					reports = append(reports, path)
				}
			}
			if len(maps) == 0 || len(reports) != 1 {
				t.Errorf("maps %q, reports %q", maps, reports)
			}
			if _, err := exec.LookPath("dsrdump"); err == nil {
				if text, err := exec.Command("dsrdump", reports...).CombinedOutput(); err != nil || !strings.Contains(string(text), "Verdict on the result") {
					t.Errorf("dsrdump: %v: %s", err, text)
				}
			}
			if exec.Command(interpreter, "-c", "import pydicom").Run() != nil {
				t.Skip("pydicom is not installed")
			}
			if text, err := exec.Command(interpreter, append([]string{"-c", python}, maps...)...).CombinedOutput(); err != nil {
				t.Errorf("pydicom: %v: %s", err, text)
			}
		})
	}
}
