package workbench

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"quell/app/pacs"
)

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
		s.SentTo(pacs.Place{To: fmt.Sprintf("A@h:%d", i+1)})
	}
	s.SentTo(pacs.Place{To: "A@h:45", TLS: true})
	if len(s.Nodes) != maxRecent || s.Nodes[0] != (pacs.Place{To: "A@h:45", TLS: true}) || s.Nodes[1].To != "A@h:50" || s.Nodes[9].To != "A@h:41" {
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
