package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"quell/denoise"
	"quell/series"
)

func TestHistory(t *testing.T) {
	recipe := func(i int) denoise.Recipe { return mustRecipe("nlm", 3).With("h", denoise.Number(float64(i))) }
	step := func(r denoise.Recipe, ok bool) int {
		if !ok {
			return -1
		}
		return int(r.Get("h").Float())
	}
	var h History
	if step(h.Undo()) != -1 || step(h.Redo()) != -1 || h.CanUndo() || h.CanRedo() || step(h.Present()) != -1 {
		t.Error("an empty history has recipes")
	}
	for i := range 4 {
		h.Push(recipe(i))
	}
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s gives %d; want %d", what, got, want)
		}
	}
	expect("undo", step(h.Undo()), 2)
	expect("undo", step(h.Undo()), 1)
	expect("redo", step(h.Redo()), 2)
	h.Push(recipe(9))
	if h.CanRedo() {
		t.Error("a new recipe leaves a redo behind")
	}
	expect("undo", step(h.Undo()), 2)
	expect("undo", step(h.Undo()), 1)
	expect("undo", step(h.Undo()), 0)
	expect("undo of the first", step(h.Undo()), -1)

	for i := range 10 + maxUndo {
		h.Push(recipe(i))
	}
	undone := 0
	for h.CanUndo() {
		h.Undo()
		undone++
	}
	expect("the oldest step", step(h.Present()), 9)
	expect("the number of steps", undone, maxUndo)
}

func TestSettingsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "settings.json")
	s := LoadSettings(path)
	if !reflect.DeepEqual(s, DefaultSettings()) {
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

func TestSettingsSurviveNonsense(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, text := range []string{"", "{", "[]", `{"engine": 7}`, `{"window_size":"big"}`, "\x00\xff"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := LoadSettings(path); !reflect.DeepEqual(got, DefaultSettings()) {
			t.Errorf("%q gives %+v", text, got)
		}
	}
	text := `{"engine":"warp","window_size":[1,1e9],"keep_recent":false,"recent_paths":["/x"],"later":1,
		"last_filter":"magic","recipes":{"nlm":{"version":99,"filter":"nlm","dims":3,"parameters":{}}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, d := LoadSettings(path), DefaultSettings()
	if got.Engine != d.Engine || got.WindowSize != d.WindowSize || got.RecentPaths != nil || got.LastFilter != "" || len(got.Recipes) != 0 {
		t.Errorf("senseless values were kept: %+v", got)
	}
	s := DefaultSettings()
	for i := range 50 {
		s.Opened(fmt.Sprint("/", i))
	}
	if len(s.RecentPaths) != maxRecent {
		t.Errorf("%d recent paths", len(s.RecentPaths))
	}
	s.KeepRecent = false
	s.ForgetPaths()
	s.Opened("/y")
	if len(s.RecentPaths) != 0 {
		t.Error("a path was kept against the user's wish")
	}
}

func TestDocument(t *testing.T) {
	s := wavy(6, 5, 4)
	d := NewDocument(s)
	facts := denoise.FactsOf(s.Volume)
	d.SetFacts(s.Volume, facts)
	if got, ok := d.Facts(); !ok || got != facts {
		t.Errorf("facts %v, %v", got, ok)
	}
	n := Noise{Model: denoise.GaussianNoise, Sigma: 5, Seed: 1}
	noisy, err := AddNoise(t.Context(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisy, n)
	if d.Series() != noisy || d.Reference() != s || d.Clean() != s {
		t.Error("the clean original is not the reference")
	}
	if _, ok := d.Facts(); ok {
		t.Error("the facts of the clean volume are taken for the noisy one's")
	}
	d.SetFacts(s.Volume, facts) // finished late
	if _, ok := d.Facts(); ok {
		t.Error("late facts of another volume were taken")
	}
	if err := d.SetReference(wavy(6, 5, 4)); err == nil {
		t.Error("the clean original was replaced as reference")
	}
	again := Noise{Model: denoise.RicianNoise, Sigma: 9, Seed: 2}
	noisier, err := AddNoise(t.Context(), d.Clean(), again)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisier, again)
	if d.Reference() != s {
		t.Error("noise on noise: the reference is no longer clean")
	}
	if d.SetRun(&Run{Source: noisy}) {
		t.Error("a run of another series was shown")
	}
	r := mustRecipe("median", 2)
	if !d.SetRun(&Run{Source: noisier, Recipe: r}) || d.Stale(r) || !d.Stale(r.With("radius", denoise.Number(2))) {
		t.Error("a run is stale exactly when the recipe has changed")
	}
	d.RemoveNoise()
	if d.Series() != s || d.Reference() != nil || d.Run() != nil {
		t.Error("removing the noise does not bring the original back")
	}

	if err := d.SetReference(wavy(6, 5, 3)); err == nil || !strings.Contains(err.Error(), "6 x 5 x 4") {
		t.Errorf("a reference of other dims: %v", err)
	}
	shifted := wavy(6, 5, 4)
	shifted.Volume.Affine[0][3] += 1
	if err := d.SetReference(shifted); err == nil {
		t.Error("a reference at another place was taken")
	}
	if err := d.SetReference(wavy(6, 5, 4)); err != nil {
		t.Error(err)
	}
	if _, err := AddNoise(t.Context(), s, Noise{Model: "pink", Sigma: 1}); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown noise model: %v", err)
	}
}

func TestProposeRecipe(t *testing.T) {
	deep, flat := wavy(4, 4, 5), wavy(4, 4, 1)
	for _, c := range []struct {
		s      *series.Series
		filter string
		dims   int
	}{{deep, "", 3}, {flat, "", 2}, {deep, "lpa", 2}, {deep, "median", 3}} {
		r, err := ProposeRecipe(c.s, nil, c.filter)
		if err != nil || r.Dims != c.dims {
			t.Errorf("%q on %d slices: %d-D, %v; want %d-D", c.filter, c.s.Volume.Dims[2], r.Dims, err, c.dims)
		}
	}
	last := mustRecipe("median", 2).With("radius", denoise.Number(3))
	if r, _ := ProposeRecipe(deep, map[string]denoise.Recipe{"median": last}, "median"); !r.Equal(last) {
		t.Error("the last recipe of the filter is not proposed")
	}
	// Slices that are no neighbours are filtered one by one, whatever was last used.
	uneven := *deep
	uneven.Findings = []series.Finding{{Severity: series.Warning, Kind: series.Gap, Slicewise: true}}
	last.Dims = 3
	for filter, remembered := range map[string]map[string]denoise.Recipe{"nlm": nil, "median": {"median": last}} {
		if r, err := ProposeRecipe(&uneven, remembered, filter); err != nil || r.Dims != 2 {
			t.Errorf("%s on an uneven grid: %d-D, %v", filter, r.Dims, err)
		}
	}
	if _, err := ProposeRecipe(deep, nil, "magic"); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown filter: %v", err)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{Usagef("no filter is called %q", "x"), 2},
		{&InputError{Path: "a", Problem: "is torn"}, 3},
		{fmt.Errorf("export: %w", context.Canceled), 130},
		{&InputError{Path: "a", Err: context.Canceled}, 130},
		{fmt.Errorf("while loading: %w", &InputError{}), 3},
		{&engineError{name: "cuda", why: errors.New("no device")}, 1},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
	if got := (&InputError{Path: "a.dcm", Problem: "is torn", Advice: "copy it again"}).Error(); got != "a.dcm: is torn; copy it again" {
		t.Errorf("sentence %q", got)
	}
}

func TestEngines(t *testing.T) {
	usable := map[string]bool{}
	for _, e := range Engines() {
		usable[e.Name] = e.Why == ""
		if e.Why == "" && e.Info.Name != e.Name {
			t.Errorf("%s is %+v", e.Name, e.Info)
		}
	}
	if !usable["cpu"] {
		t.Fatal("the cpu engine is missing")
	}
	for _, name := range []string{"", "auto", "cpu"} {
		if e, err := PickEngine(name); err != nil || e == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := PickEngine("warp"); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown engine: %v", err)
	}
	if !usable["cuda"] {
		if _, err := PickEngine("cuda"); !errors.Is(err, denoise.ErrUnsupported) || ExitCode(err) != ExitFailed {
			t.Errorf("a missing engine: %v", err)
		}
	}
}

func TestVersion(t *testing.T) {
	set := func(kv ...string) (out []debug.BuildSetting) {
		for i := 0; i < len(kv); i += 2 {
			out = append(out, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "1.2.3"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, release},
		{debug.BuildInfo{
			Main:     debug.Module{Version: "v0.0.0-20260101000000-0123456789ab"},
			Settings: set("vcs.revision", "0123456789abcdef", "vcs.modified", "true"),
		}, release + "+01234567.modified"},
	} {
		if got := versionOf(&c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if Version() == "" || len(Version()) > 64 { // DICOM's LO holds 64
		t.Errorf("version %q", Version())
	}
}

// TestVersionIsThatOfThePackage compares the two places that hold the version.
func TestVersionIsThatOfThePackage(t *testing.T) {
	manifest, err := os.ReadFile("../FyneApp.toml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(manifest), fmt.Sprintf("Version = %q\n", release)) {
		t.Errorf("FyneApp.toml does not have the version %s of app/version.go:\n%s", release, manifest)
	}
}

func TestLogHoldsNoNames(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	closer, err := LogTo(log)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "DOE_JANE")
	if _, err := Scan(context.Background(), secret); ExitCode(err) != ExitInput {
		t.Errorf("a missing path: %v", err)
	}
	if err := os.WriteFile(secret, []byte("DOE^JANE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openPath(context.Background(), secret); ExitCode(err) != ExitInput {
		t.Errorf("a text file: %v", err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	Scan(context.Background(), secret) // no longer logged
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 2 {
		t.Errorf("%d lines, want 2:\n%s", lines, text)
	}
	if strings.Contains(string(text), "DOE") || strings.Contains(string(text), dir) {
		t.Errorf("the log names a patient or a path:\n%s", text)
	}
	if _, err := LogTo(dir); err == nil {
		t.Error("a folder was opened as a log")
	}
}
