package app

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/volume"
)

func TestRecordReproducesTheRun(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	s := reopen(t, in)
	run := filtered(t, s, volume.Region{})
	report, err := exportRun(t.Context(), run, filepath.Join(dir, "out.nii"), ExportOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := LoadRecipe(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Equal(run.Resolved) || !r.Resolved() {
		t.Errorf("the record holds %v, the run was %v", r, run.Resolved)
	}
	eng, _ := PickEngine("cpu")
	again, err := Denoise(t.Context(), eng, RunRequest{Series: s, Recipe: r}, nil)
	if err != nil || !slices.Equal(again.Result.Data, run.Result.Data) {
		t.Errorf("the record does not give the same bits again (%v)", err)
	}

	data, err := os.ReadFile(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	var record Record
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	if record.Quell != Version() || record.Engine.Name != "cpu" || !record.Asked.Get("sigma-range").IsPercent() ||
		record.Source.SHA256 != voxelHash(s.Volume) || record.Source.Dims != s.Volume.Dims || record.Time.IsZero() {
		t.Errorf("record %s", data)
	}
	if strings.Contains(string(data), dir) || strings.Contains(string(data), "in.nii") {
		t.Errorf("the record names a path: %s", data)
	}
}

func TestVoxelHashIsOfLittleEndianFloats(t *testing.T) {
	// printf '\x00\x00\x80\x3f\x00\x00\x20\xc1' | sha256sum: 1.0 and -10.0
	const want = "db8f24d4dbf13252630b47c91802b9524a84177fa9bd359388ac6d33a8883f9f"
	v := volume.New(volume.NewGeometry([3]int{2, 1, 1}, [3]float64{1, 1, 1}))
	v.Data[0], v.Data[1] = 1, -10
	if got := voxelHash(v); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestLoadRecipe(t *testing.T) {
	dir := t.TempDir()
	put := func(text string) string {
		path := filepath.Join(dir, "r.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := mustRecipe("nlm", 3).With("h", denoise.Number(10))
	bare, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := LoadRecipe(put(string(bare))); err != nil || !got.Equal(want) {
		t.Errorf("a bare recipe: %v, %v", got, err)
	}
	if got, err := LoadRecipe(put(`{"quell":"9","recipe":` + string(bare) + `}`)); err != nil || !got.Equal(want) {
		t.Errorf("a record: %v, %v", got, err)
	}
	for _, text := range []string{
		"", "[]", "no json", `{"quell":"9"}`, `{"quell":"9","recipe":7}`, `{"version":7,"filter":"nlm","dims":2}`,
		`{"version":1,"filter":"magic","dims":2}`, `{"version":1,"filter":"nlm","dims":2,"parameters":{"H":3}}`,
		`{"version":1,"filter":"nlm","dims":2,"parameters":{"h":-3}}`,
	} {
		if _, err := LoadRecipe(put(text)); ExitCode(err) != ExitInput {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := LoadRecipe(put(`{"quell":"9"}`)); err == nil || !strings.Contains(err.Error(), "is a record without a recipe") {
		t.Errorf("a record without a recipe: %v", err)
	}
	padded := func(size int) string { return string(bare) + strings.Repeat(" ", size-len(bare)) }
	if _, err := LoadRecipe(put(padded(maxRecipe))); err != nil {
		t.Errorf("a file of %d bytes: %v", maxRecipe, err)
	}
	if _, err := LoadRecipe(put(padded(maxRecipe + 1))); ExitCode(err) != ExitInput {
		t.Errorf("a file of one byte more: %v", err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing.json")} {
		if _, err := LoadRecipe(path); ExitCode(err) != ExitInput {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestRecordFiles: what counts as a record when an export would replace it.
func TestRecordFiles(t *testing.T) {
	dir := t.TempDir()
	const record = `{"quell":"9"}`
	for what, c := range map[string]struct {
		text string
		want bool
	}{
		"a record":           {record, true},
		"another object":     {`{"recipe":{}}`, false},
		"no JSON":            {"quell", false},
		"the largest":        {record + strings.Repeat(" ", maxRecipe-len(record)), true},
		"larger than any is": {record + strings.Repeat(" ", maxRecipe-len(record)+1), false},
	} {
		path := filepath.Join(dir, "r.json")
		writeTestFile(t, path, []byte(c.text))
		if got := isRecord(path); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	if isRecord(dir) || isRecord(filepath.Join(dir, "missing")) {
		t.Error("a folder or nothing is a record")
	}
}

func TestRecordTime(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 999, time.UTC)
	if got := newRecord(wavy(2, 2, 2), now).Time; !got.Equal(now.Truncate(time.Second)) {
		t.Errorf("time %v", got)
	}
	if got := newRecord(wavy(2, 2, 2), time.Time{}).Time; got.IsZero() {
		t.Error("no time")
	}
}

// TestVoxelHashOfManyVoxels hashes more voxels than its buffer holds, and as many.
func TestVoxelHashOfManyVoxels(t *testing.T) {
	for _, n := range []int{1<<14 - 1, 1 << 14, 1<<14 + 1} {
		v := volume.New(volume.NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1}))
		h := sha256.New()
		for i := range v.Data {
			v.Data[i] = float32(i)
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(i))))
		}
		if got := voxelHash(v); got != hex.EncodeToString(h.Sum(nil)) {
			t.Errorf("%d voxels: hash %s", n, got)
		}
	}
}

// TestIdentity takes a hash that is looked for already, and none of another volume.
func TestIdentity(t *testing.T) {
	s, other := wavy(2, 2, 2), wavy(3, 2, 2)
	for what, found := range map[string]*identity{
		"none": nil, "of the source": {of: s.Volume, hash: func() string { return "known" }}, "of another": newIdentity(other.Volume),
	} {
		want := voxelHash(s.Volume)
		if what == "of the source" {
			want = "known"
		}
		r := newRecord(s, time.Time{})
		r.found = found
		if r.identify()(); r.Source.SHA256 != want || r.found != nil {
			t.Errorf("%s: hash %s, want %s", what, r.Source.SHA256, want)
		}
	}
	id := newIdentity(s.Volume)
	for range 2 {
		if got := id.hash(); got != voxelHash(s.Volume) {
			t.Errorf("hash %s", got)
		}
	}
	(*Record)(nil).identify()()
	(&Record{}).identify()()
}
