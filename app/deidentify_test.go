package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/volume"
)

// ownConfig gives the test a configuration folder of its own.
func ownConfig(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, dir)
	}
}

// TestExportDeidentified checks that pseudonyms depend on the key beside the settings,
// and that the record holds neither a date nor the hash of the source's voxels.
func TestExportDeidentified(t *testing.T) {
	config := t.TempDir()
	ownConfig(t, config)
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	putDICOM(t, src, 8, 7, 6)
	run := filtered(t, reopen(t, src), volume.Region{})
	export := func(name string) (uid string) {
		out := filepath.Join(dir, name)
		report, err := exportRun(t.Context(), run, out, ExportOptions{Deidentify: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Warnings) != 2 || !strings.Contains(report.Warnings[0].String(), "burned into") || !strings.Contains(report.Warnings[1].String(), "which part of the body") {
			t.Errorf("warnings %q", report.Warnings)
		}
		data, err := os.ReadFile(report.Recipe)
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]any
		if err := json.Unmarshal(data, &record); err != nil || record["time"] != nil || record["recipe"] == nil ||
			strings.Contains(string(data), "sha256") || strings.Contains(string(data), voxelHash(run.Source.Volume)) {
			t.Errorf("record %s: %v", data, err)
		}
		file, err := os.ReadFile(filepath.Join(out, "IM00001.dcm"))
		if err != nil || !bytes.Contains(file, []byte("113100")) || bytes.Contains(file, []byte(run.Source.UID)) {
			t.Errorf("the file names the source's series, or is not marked as de-identified (%v)", err)
		}
		return reopen(t, out).UID
	}
	first := export("a")
	key, err := pseudonymKeyPath()
	if err != nil || !strings.HasPrefix(key, config) {
		t.Fatalf("key at %s, %v", key, err)
	}
	if info, err := os.Stat(key); err != nil || info.Size() != pseudonymKeySize {
		t.Fatalf("%v, %v", info, err)
	}
	if again := export("b"); again != first {
		t.Error("the same account gives two pseudonyms to one series")
	}
	ownConfig(t, t.TempDir())
	if other := export("c"); other == first {
		t.Error("two accounts give the same pseudonym")
	}
}

// TestKeyThatCannotBeStored: an export without a stored key has a warning.
func TestKeyThatCannotBeStored(t *testing.T) {
	config := t.TempDir()
	ownConfig(t, config)
	path, err := pseudonymKeyPath()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	putDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	run := filtered(t, reopen(t, filepath.Join(dir, "src")), volume.Region{})
	report, err := exportRun(t.Context(), run, filepath.Join(dir, "out"), ExportOptions{Deidentify: true}, nil)
	if err != nil || len(report.Warnings) != 3 || !strings.Contains(report.Warnings[2].String(), "pseudonyms.key is damaged") {
		t.Errorf("%v, warnings %q", err, report.Warnings)
	}
}

// TestPseudonymKey: a key is made once and kept; where that cannot be, each export has
// one of its own and says why.
func TestPseudonymKey(t *testing.T) {
	config := t.TempDir()
	ownConfig(t, config)
	first, err := pseudonymKey()
	if err != nil || len(first) != 32 || bytes.Equal(first, make([]byte, 32)) {
		t.Fatalf("key of %d bytes, %v", len(first), err)
	}
	if again, err := pseudonymKey(); err != nil || !bytes.Equal(again, first) {
		t.Errorf("another key the second time, %v", err)
	}
	path, err := pseudonymKeyPath()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v; want the key for this user alone", info.Mode(), err)
	}
	for what, spoil := range map[string]func() error{
		"damaged":           func() error { return os.WriteFile(path, first[:31], 0o600) },
		"a folder":          func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link to nothing": func() error { return errors.Join(os.Remove(path), os.Symlink(filepath.Join(config, "gone"), path)) },
		"below a file": func() error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		},
	} {
		if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, first, 0o600), spoil()); err != nil {
			t.Fatal(err)
		}
		one, err := pseudonymKey()
		two, err2 := pseudonymKey()
		if err == nil || err2 == nil || len(one) != 32 || len(two) != 32 || bytes.Equal(one, two) || bytes.Equal(one, first) {
			t.Errorf("%s: keys of %d and %d bytes, the same: %v, %v", what, len(one), len(two), bytes.Equal(one, two), err)
		}
	}
	ownConfig(t, "")
	if key, err := pseudonymKey(); err == nil || len(key) != 32 {
		t.Errorf("without a configuration folder: a key of %d bytes, %v", len(key), err)
	}
	if _, err := SettingsPath(); err == nil || !strings.Contains(err.Error(), "settings cannot be kept") {
		t.Errorf("without a configuration folder: %v", err)
	}
}

func TestDeidentifyIsForDICOM(t *testing.T) {
	dir := t.TempDir()
	nii := filepath.Join(dir, "in.nii")
	putNii(t, nii, 4, 4, 3)
	putDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	for in, out := range map[string]string{nii: "out", filepath.Join(dir, "src"): "out.nii.gz"} {
		err := CheckOutput(reopen(t, in), filepath.Join(dir, out), ExportOptions{Deidentify: true})
		if ExitCode(err) != ExitUsage {
			t.Errorf("%s to %s: %v", in, out, err)
		}
	}
}

// TestSourceWithoutUIDs exports slices without instance UIDs: the output is a new
// series, and a warning says so.
func TestSourceWithoutUIDs(t *testing.T) {
	dir := t.TempDir()
	putDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	s := reopen(t, filepath.Join(dir, "src"))
	for i := range s.Sources {
		s.Sources[i].UID = ""
	}
	out := filepath.Join(dir, "out")
	if err := CheckOutput(s, out, ExportOptions{Deidentify: true}); err == nil || !strings.Contains(err.Error(), "have no instance UIDs") {
		t.Error(err)
	}
	report, err := exportRun(t.Context(), filtered(t, s, volume.Region{}), out, ExportOptions{}, nil)
	if err != nil || !strings.Contains(message.Join("\n", report.Warnings...).String(), "is a new series") {
		t.Errorf("%v, warnings %q", err, report.Warnings)
	}
}
