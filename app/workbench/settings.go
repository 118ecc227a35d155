package workbench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quell/app/pacs"
	"quell/denoise"
	"quell/internal/message"
	"quell/io/atomic"
)

// The appearances of the workbench.
const (
	Dark   = "dark"
	Light  = "light"
	System = "system" // that of the desktop
)

// maxRecent bounds the list of recent paths.
const maxRecent = 10

// Settings are what the workbench keeps between runs. The command line does not
// read them.
type Settings struct {
	Engine           string                    `json:"engine"`                  // "auto", "cpu", "cuda"
	GPUWorker        string                    `json:"gpu_worker"`              // path of the GPU worker; empty finds it
	WorkbenchSize    [2]float32                `json:"window_size"`             // of the workbench, in Fyne units; the key is as in existing files
	Language         string                    `json:"language,omitempty"`      // of the workbench, "en" or "de"; empty for the desktop's
	Appearance       string                    `json:"appearance"`              // Dark, Light or System
	Layout           string                    `json:"layout"`                  // of the panes; empty for one that suits the size
	Column           string                    `json:"column"`                  // filter, measures and plots: "shown", "hidden"; empty for what suits the size
	Parameters       bool                      `json:"parameters,omitempty"`    // the filter's own, below the dial, are unfolded
	HideIdentity     bool                      `json:"hide_identity"`           // the patient's name, dates and files are not shown
	WithoutLines     []string                  `json:"without_lines,omitempty"` // of the corners of a picture, by name
	Scale            float64                   `json:"scale"`                   // of the interface; 0 for the desktop's
	CineRate         int                       `json:"cine_rate"`               // slices per second; 0 for the usual rate
	HideInset        bool                      `json:"hide_inset"`              // the small picture of the residual
	CineBack         bool                      `json:"cine_back"`               // the cine turns back at the last slice
	InvertLevel      bool                      `json:"invert_level"`            // dragging down makes darker instead of brighter
	LeaveSlices      bool                      `json:"leave_slices"`            // the slices that are not shown are not judged in the background
	KeepRecent       bool                      `json:"keep_recent"`             // paths may name patients, so this can be off
	RecentPaths      []string                  `json:"recent_paths"`            // newest first
	Recipes          map[string]denoise.Recipe `json:"recipes"`                 // the last of every filter
	Keys             map[string]string         `json:"keys,omitempty"`          // of commands by ID, in place of the usual ones; "" for none
	LastFilter       string                    `json:"last_filter"`             // that the user chose; empty for the one that is proposed
	Presets          []denoise.Recipe          `json:"presets"`                 // that the user keeps, the oldest first
	ExportFolder     string                    `json:"export_folder"`           // the folder of the last export, under the rule of KeepRecent
	Nodes            []pacs.Place              `json:"nodes"`                   // PACS that series were sent to, the last first
	ExportCompressed bool                      `json:"export_compressed"`       // whether the last export of DICOM was compressed
	ExportAttached   []string                  `json:"export_attached"`         // what was attached to it, see job.Attachments
	Noticed          time.Time                 `json:"noticed,omitzero"`        // when the notice on clinical use was shown last
}

// DefaultSettings returns the settings of a first start.
func DefaultSettings() Settings {
	return Settings{Engine: "auto", Appearance: Dark, WorkbenchSize: [2]float32{1400, 900}, KeepRecent: true}
}

// LoadSettings reads the settings. A missing or damaged file gives
// DefaultSettings, and so does a value that is not usable.
func LoadSettings(path string) Settings {
	s := DefaultSettings()
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return DefaultSettings()
	}
	return s.usable()
}

// usable replaces values that the workbench cannot start with.
func (s Settings) usable() Settings {
	d := DefaultSettings()
	if s.Engine != "auto" && s.Engine != "cpu" && s.Engine != "cuda" {
		s.Engine = d.Engine
	}
	if s.Appearance != Light && s.Appearance != System {
		s.Appearance = d.Appearance
	}
	for i, x := range s.WorkbenchSize {
		if !(x >= 200 && x <= 20000) {
			s.WorkbenchSize[i] = d.WorkbenchSize[i]
		}
	}
	if !(s.Scale >= 0.5 && s.Scale <= 4) {
		s.Scale = 0
	}
	for name, r := range s.Recipes {
		if r.Filter != name || r.Validate() != nil {
			delete(s.Recipes, name)
		}
	}
	s.Presets = slices.DeleteFunc(s.Presets, func(r denoise.Recipe) bool { return r.Validate() != nil })
	if _, err := denoise.FilterByName(s.LastFilter); err != nil {
		s.LastFilter = ""
	}
	s.RecentPaths = s.RecentPaths[:min(len(s.RecentPaths), maxRecent)]
	s.Nodes = slices.DeleteFunc(s.Nodes, func(t pacs.Place) bool { return t.Check() != nil })
	s.Nodes = s.Nodes[:min(len(s.Nodes), maxRecent)]
	if !s.KeepRecent {
		s.ForgetPaths()
	}
	return s
}

// noticeDays is how many days the notice on clinical use is not shown again.
const noticeDays = 90

// NoticeDue says whether the notice on clinical use is to be shown: at the first start, and
// every 90 days. A date in the future, of a clock that was wrong, does not count.
func (s Settings) NoticeDue(now time.Time) bool {
	return !now.Before(s.Noticed.AddDate(0, 0, noticeDays)) || s.Noticed.After(now.AddDate(0, 0, 1))
}

// Save writes the settings for this user alone, in one step.
func (s Settings) Save(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return message.Errorf(message.NotSaved, "settings cannot be kept: %w", err)
	}
	if err := atomic.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return message.Errorf(message.NotSaved, "settings cannot be kept: %w", err)
	}
	return nil
}

// Opened adds an absolute form of path to the recent paths, as the first, unless
// KeepRecent is off.
func (s *Settings) Opened(path string) {
	if !s.KeepRecent {
		return
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	rest := slices.DeleteFunc(slices.Clone(s.RecentPaths), func(p string) bool { return p == path })
	s.RecentPaths = append([]string{path}, rest...)
	s.RecentPaths = s.RecentPaths[:min(len(s.RecentPaths), maxRecent)]
}

// SentTo puts a node before the others.
func (s *Settings) SentTo(t pacs.Place) {
	rest := slices.DeleteFunc(slices.Clone(s.Nodes), func(n pacs.Place) bool { return n.To == t.To })
	s.Nodes = append([]pacs.Place{t}, rest...)
	s.Nodes = s.Nodes[:min(len(s.Nodes), maxRecent)]
}

// ForgetPaths clears every path.
func (s *Settings) ForgetPaths() { s.RecentPaths, s.ExportFolder = nil, "" }

// KeepPreset stores a recipe among the user's presets, or takes it away if it is there.
func (s *Settings) KeepPreset(r denoise.Recipe) {
	rest := slices.DeleteFunc(slices.Clone(s.Presets), r.Equal)
	if len(rest) == len(s.Presets) {
		rest = append(rest, r)
	}
	s.Presets = rest
}

// KeepsPreset says whether a recipe is among the user's presets.
func (s *Settings) KeepsPreset(r denoise.Recipe) bool { return slices.ContainsFunc(s.Presets, r.Equal) }

// Remember stores a recipe as the last one of its filter, and the filter of the next series, "" for the one that is
// proposed.
func (s *Settings) Remember(r denoise.Recipe, filter string) {
	if s.Recipes == nil {
		s.Recipes = map[string]denoise.Recipe{}
	}
	s.Recipes[r.Filter] = r
	s.LastFilter = filter
}
