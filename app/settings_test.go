package app

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"quell/denoise"
)

func TestSettingsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "settings.json")
	s := LoadSettings(path)
	if want := (Settings{Engine: "auto", WorkbenchSize: [2]float32{1400, 900}, KeepRecent: true}); !reflect.DeepEqual(s, want) {
		t.Errorf("without a file: %+v", s)
	}
	s.Engine, s.InvertLevel = "cpu", true
	s.Remember(mustRecipe("nlm", 3).With("h", denoise.Number(12)))
	s.Opened("/a")
	s.Opened("/b")
	s.Opened("/a")
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	got := LoadSettings(path)
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
		if err := DefaultSettings().Save(path); err == nil || !strings.HasPrefix(err.Error(), "settings cannot be kept: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(dir, "quell", "settings.json")
	if err := DefaultSettings().Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder's mode is %v, want 0700", info.Mode())
	}
	if data, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(data), "}\n") {
		t.Errorf("the file ends with %q", data[len(data)-3:])
	}
}

func TestSettingsIgnoreUnusableValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, text := range []string{"", "{", "[]", `{"engine": 7}`, `{"window_size":"big"}`, "\x00\xff"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := LoadSettings(path); !reflect.DeepEqual(got, DefaultSettings()) {
			t.Errorf("%q gives %+v", text, got)
		}
	}
	text := `{"engine":"warp","window_size":[700,1e9],"keep_recent":false,"recent_paths":["/x"],"later":1,
		"last_filter":"magic","recipes":{"nlm":{"version":99,"filter":"nlm","dims":3,"parameters":{}}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, d := LoadSettings(path), DefaultSettings()
	if got.Engine != d.Engine || got.WorkbenchSize != [2]float32{700, d.WorkbenchSize[1]} || got.RecentPaths != nil || got.LastFilter != "" || len(got.Recipes) != 0 {
		t.Errorf("unusable values were kept: %+v", got)
	}
	for size, kept := range map[float32]bool{199: false, 200: true, 20000: true, 20001: false} {
		s := DefaultSettings()
		s.WorkbenchSize[1] = size
		if got := s.usable().WorkbenchSize[1]; (got == size) != kept {
			t.Errorf("a workbench %g high becomes %g; want it kept: %v", size, got, kept)
		}
	}
	s := DefaultSettings()
	for i := range 50 {
		s.Opened(fmt.Sprint("/", i))
	}
	if len(s.RecentPaths) != maxRecent {
		t.Errorf("%d recent paths", len(s.RecentPaths))
	}
	for i := range 50 {
		s.SentTo(SendTarget{To: fmt.Sprintf("A@h:%d", i+1)})
	}
	s.SentTo(SendTarget{To: "A@h:45", TLS: true})
	if len(s.Nodes) != maxRecent || s.Nodes[0] != (SendTarget{To: "A@h:45", TLS: true}) || s.Nodes[1].To != "A@h:50" || s.Nodes[9].To != "A@h:41" {
		t.Errorf("nodes %+v", s.Nodes)
	}
	s.Nodes[3].To = "no node"
	if got := s.usable(); len(got.Nodes) != maxRecent-1 {
		t.Errorf("nodes %+v", got.Nodes)
	}
	s.KeepRecent = false
	s.ForgetPaths()
	s.Opened("/y")
	if len(s.RecentPaths) != 0 {
		t.Error("a path was kept although KeepRecent is off")
	}
}

func TestRememberNamesTheLastFilter(t *testing.T) {
	var s Settings
	s.Remember(mustRecipe("nlm", 3))
	s.Remember(mustRecipe("median", 2))
	if s.LastFilter != "median" || len(s.Recipes) != 2 || s.Recipes["nlm"].Dims != 3 {
		t.Errorf("last filter %q, recipes %v", s.LastFilter, s.Recipes)
	}
}

func TestASizeOfTheInterfaceThatCannotBeIsThatOfTheDesktop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for scale, want := range map[float64]float64{0.49: 0, 0.5: 0.5, 4: 4, 4.01: 0, -1: 0} {
		s := DefaultSettings()
		s.Scale = scale
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if got := LoadSettings(path).Scale; got != want {
			t.Errorf("%g is read as %g; want %g", scale, got, want)
		}
	}
}

// A preset is kept once and taken away again; one that is not valid is not read.
func TestPresetsOfTheUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := DefaultSettings()
	a, b := mustRecipe("nlm", 3).With("h", denoise.Number(12)), mustRecipe("median", 2)
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
	if got := LoadSettings(path); len(got.Presets) != 2 || !got.Presets[0].Equal(a) || !got.Presets[1].Equal(b) {
		t.Errorf("read %v", got.Presets)
	}
	before := s.Presets
	s.KeepPreset(a)
	if s.KeepsPreset(a) || len(s.Presets) != 1 || !before[0].Equal(a) {
		t.Errorf("left %v, before %v", s.Presets, before)
	}
}

// The notice is due at the first start, after 90 days, and where the clock went wrong.
func TestNoticeDue(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for days, want := range map[int]bool{0: false, -89: false, -90: true, -400: true, 1: false, 2: true} {
		s := DefaultSettings()
		if s.Noticed = now.AddDate(0, 0, days); s.NoticeDue(now) != want {
			t.Errorf("shown %d days from now: due %v; want %v", days, !want, want)
		}
	}
	if !DefaultSettings().NoticeDue(now) {
		t.Error("the first start has no notice")
	}
}
