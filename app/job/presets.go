package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"quell/assets"
	"quell/denoise"
)

// Preset is a recipe of the program for a modality and an anatomy. Its strengths count
// in sigmas of the noise, so that it suits series of any scale.
type Preset struct {
	Name     string         `json:"name"`
	Title    string         `json:"title"`
	Modality string         `json:"modality"` // DICOM: CT, MR
	Anatomy  string         `json:"anatomy"`
	TunedOn  string         `json:"tuned_on"` // the data, and what was reached there
	Recipe   denoise.Recipe `json:"recipe"`
}

// Presets returns the presets by name. The result is shared and must not be changed.
func Presets() []Preset { return presets() }

var presets = sync.OnceValue(func() []Preset {
	all, err := readPresets(assets.Presets)
	if err != nil {
		panic(err) // a test reads every file
	}
	return all
})

// readPresets reads every preset of a folder; a file is called NAME.json.
func readPresets(files fs.FS) ([]Preset, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	var all []Preset
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var p Preset
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
		if err := p.Recipe.Validate(); err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
		p.Name = strings.TrimSuffix(path.Base(name), ".json")
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// PresetByName returns the preset of that name; the error lists the presets that
// exist.
func PresetByName(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, Usagef("no preset is called %q; there are %s", name, strings.Join(names, ", "))
}
