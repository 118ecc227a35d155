package workbench_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/workbench"
	"quell/denoise"
)

func TestSettingsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "settings.json")
	s := workbench.LoadSettings(path)
	if want := (workbench.Settings{Engine: "auto", Appearance: workbench.Dark, WorkbenchSize: [2]float32{1400, 900}, KeepRecent: true}); !reflect.DeepEqual(s, want) {
		t.Errorf("without a file: %+v", s)
	}
	s.Engine, s.InvertLevel = "cpu", true
	s.Remember(apptest.MustRecipe("nlm", 3).With("h", denoise.Number(12)), "nlm")
	s.Opened("/a")
	s.Opened("/b")
	s.Opened("/a")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	got := workbench.LoadSettings(path)
	if !reflect.DeepEqual(got, s) {
		t.Errorf("got  %+v\nwant %+v", got, s)
	}
	if len(got.RecentPaths) != 2 || filepath.Base(got.RecentPaths[0]) != "a" {
		t.Errorf("recent %v, want a then b", got.RecentPaths)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600: recent paths may name patients", info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".quell-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSettingsThatCannotBeSaved(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "settings.json"), dir} {
		if err := workbench.DefaultSettings().Save(path); err == nil || !strings.HasPrefix(err.Error(), "settings cannot be kept: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(dir, "quell", "settings.json")
	if err := workbench.DefaultSettings().Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder's mode is %v, want 0700", info.Mode())
	}
	if data, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(data), "}\n") {
		t.Errorf("the file ends with %q", data[len(data)-3:])
	}
}

func TestRememberNamesTheLastFilter(t *testing.T) {
	var s workbench.Settings
	s.Remember(apptest.MustRecipe("nlm", 3), "nlm")
	s.Remember(apptest.MustRecipe("median", 2), "median")
	if s.LastFilter != "median" || len(s.Recipes) != 2 || s.Recipes["nlm"].Dims != 3 {
		t.Errorf("last filter %q, recipes %v", s.LastFilter, s.Recipes)
	}
	if s.Remember(apptest.MustRecipe("odct", 2), ""); s.LastFilter != "" || len(s.Recipes) != 3 {
		t.Errorf("last filter %q, recipes %v; want the proposed filter next", s.LastFilter, s.Recipes)
	}
}

func TestASizeOfTheInterfaceThatCannotBeIsThatOfTheDesktop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for scale, want := range map[float64]float64{0.49: 0, 0.5: 0.5, 4: 4, 4.01: 0, -1: 0} {
		s := workbench.DefaultSettings()
		s.Scale = scale
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if got := workbench.LoadSettings(path).Scale; got != want {
			t.Errorf("%g is read as %g; want %g", scale, got, want)
		}
	}
}

// A preset is kept once and taken away again; one that is not valid is not read.
func TestPresetsOfTheUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := workbench.DefaultSettings()
	a, b := apptest.MustRecipe("nlm", 3).With("h", denoise.Number(12)), apptest.MustRecipe("median", 2)
	s.KeepPreset(a)
	s.KeepPreset(b)
	if !s.KeepsPreset(a) || !s.KeepsPreset(b) || s.KeepsPreset(a.With("h", denoise.Number(13))) {
		t.Errorf("kept %v", s.Presets)
	}
	broken := s
	broken.Presets = append([]denoise.Recipe{{Filter: "none"}}, s.Presets...)
	if err := broken.Save(path); err != nil {
		t.Fatal(err)
	}
	if got := workbench.LoadSettings(path); len(got.Presets) != 2 || !got.Presets[0].Equal(a) || !got.Presets[1].Equal(b) {
		t.Errorf("read %v", got.Presets)
	}
	before := s.Presets
	s.KeepPreset(a)
	if s.KeepsPreset(a) || len(s.Presets) != 1 || !before[0].Equal(a) {
		t.Errorf("left %v, before %v", s.Presets, before)
	}
}

// The notice is due at the first start, after 90 days, and if the clock went wrong.
func TestNoticeDue(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for days, want := range map[int]bool{0: false, -89: false, -90: true, -400: true, 1: false, 2: true} {
		s := workbench.DefaultSettings()
		if s.Noticed = now.AddDate(0, 0, days); s.NoticeDue(now) != want {
			t.Errorf("shown %d days from now: due %v; want %v", days, !want, want)
		}
	}
	if !workbench.DefaultSettings().NoticeDue(now) {
		t.Error("the first start has no notice")
	}
}

func TestAppearance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for saved, want := range map[string]string{
		workbench.Dark: workbench.Dark, workbench.Light: workbench.Light, workbench.System: workbench.System, "": workbench.Dark, "purple": workbench.Dark,
	} {
		s := workbench.DefaultSettings()
		s.Appearance = saved
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if got := workbench.LoadSettings(path).Appearance; got != want {
			t.Errorf("%q is read as %q; want %q", saved, got, want)
		}
	}
}
