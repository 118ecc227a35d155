package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/assets"
	"quell/internal/clean"
)

// Names of files that would set the title of a terminal, its clipboard and colours, forge a line,
// or reverse the reading order.
var hostileNames = []string{"a\x1b]0;PWN\x07b.dcm", "c\u009b31m.dcm", "d\x1b]52;c;cHdu\x1b\\.dcm", "e\nquell: done\u202emcd.f", "g\u200b\x7f.dcm"}

// hostile makes a folder and a zip of slices; next to them, files of such names are not whole in
// the folder, and are copies of a slice in the zip.
func hostile(t *testing.T) (folder, archive string) {
	t.Helper()
	dir := t.TempDir()
	folder, archive = filepath.Join(dir, "x\x1b[2Jy"), filepath.Join(dir, "z\u202epiz.zip")
	if err := os.CopyFS(folder, assets.Series); err != nil {
		t.Fatal(err)
	}
	slice, err := os.ReadFile(filepath.Join(folder, "15.dcm"))
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	add := func(name string, content []byte) {
		t.Helper()
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("15.dcm", slice)
	for _, name := range hostileNames {
		add(name, slice)
		if err := os.WriteFile(filepath.Join(folder, name), slice[:len(slice)/2], 0o666); err != nil {
			t.Skipf("the file system takes no such name: %v", err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, data.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder, archive
}

// TestTheTerminalGetsNoSequenceOfAName runs commands over hostile names: what they print holds
// no character that a terminal acts on, no line of a name's own, and the JSON still has the names.
func TestTheTerminalGetsNoSequenceOfAName(t *testing.T) {
	folder, archive := hostile(t)
	out := t.TempDir()
	seen := ""
	for _, args := range [][]string{
		{"info", folder}, {"info", archive}, {"info", archive, "--json"}, {"info", filepath.Join(folder, hostileNames[0])},
		{"info", filepath.Join(out, hostileNames[3])}, {"info", folder, "--" + hostileNames[0]}, {hostileNames[1]},
		{"denoise", folder, filepath.Join(out, hostileNames[3]), "--filter", "gaussian"},
		{"denoise", archive, filepath.Join(out, "b"), "--filter", "gaussian", "--json"},
		{"convert", filepath.Join(folder, "15.dcm"), filepath.Join(out, "o\x1b[31m.nii")},
		{"batch", folder, filepath.Join(out, "batch\x1b[31m"), "--filter", "gaussian", "--no-verdict"},
	} {
		var stdout, stderr bytes.Buffer
		execute(t.Context(), args, &stdout, &stderr)
		both := stdout.String() + stderr.String()
		for _, r := range both {
			if r != '\n' && r != '\t' && !clean.Safe(r) {
				t.Errorf("%q printed %q: %q", args, r, both)
				break
			}
		}
		if strings.Contains(stderr.String(), "\nquell: done") {
			t.Errorf("%q printed a line of a name: %q", args, both)
		}
		if slices.Contains(args, "--json") && !json.Valid(stdout.Bytes()) {
			t.Errorf("%q printed no JSON: %q", args, both)
		}
		seen += both
	}
	if want := `a\u001b]0;PWN\u0007b.dcm`; strings.Count(seen, want) < 3 {
		t.Errorf("the name is not shown as %s: %q", want, seen)
	}
}
