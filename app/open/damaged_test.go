package open_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/app/open"
	"quell/io/dicom/dicomtest"
	"quell/series"
)

// damagedFolder is a series of n slices; one is cut in half.
func damagedFolder(t *testing.T, n int) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	for name, f := range dicomtest.FilesOf(dicomtest.Stack(n)) {
		if err := os.WriteFile(filepath.Join(folder, name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(folder, dicomtest.Names(t, folder)[n/2])
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, data[:len(data)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// A damaged file of a series is an error that says how to open the others, which then open with a
// finding.
func TestSkipDamaged(t *testing.T) {
	folder, file := damagedFolder(t, 9)
	var input *job.InputError
	for name, open := range map[string]func(in job.Input) error{
		"Open": func(in job.Input) error { _, err := open.Open(t.Context(), in, job.Events{}); return err },
		"OpenVolumes": func(in job.Input) error {
			_, err := open.Select(t.Context(), in, job.Events{})
			return err
		},
	} {
		if err := open(job.Input{Path: folder}); !errors.As(err, &input) || input.Path != file || !strings.Contains(input.Advice.String(), "--skip-damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in, err := open.Open(t.Context(), job.Input{Path: folder, SkipDamaged: true}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Catalog.Close()
	if in.Series.Volume.Dims[2] != 8 || !slices.ContainsFunc(in.Series.Findings, func(f series.Finding) bool { return f.Kind == series.Damaged }) {
		t.Errorf("%v, findings %+v", in.Series.Volume.Dims, in.Series.Findings)
	}
	c, err := open.Scan(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rest, entry := c.Rest(c.Default)
	if rest == nil || rest.Entries[entry].Slices != 8 || c.Only() != c.Default {
		t.Fatalf("rest %+v, only %d", rest, c.Only())
	}
	if again, _ := rest.Rest(entry); again != nil {
		t.Error("a sound entry has a rest")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	sound, err := open.Open(t.Context(), job.Input{Path: folder, SkipDamaged: true}, job.Events{})
	if err != nil || sound.Series.Volume.Dims[2] != 8 {
		t.Fatalf("a sound series with SkipDamaged: %v", err)
	}
	sound.Catalog.Close()
}
