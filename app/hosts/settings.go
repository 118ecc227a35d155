package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"quell/app/job"
	"quell/denoise"
	"quell/io/dicom"
)

// Settings are passed by a host to a module, as JSON. Without a recipe, a preset, a filter or parameters the filter is
// the one that is expected to gain most.
type Settings struct {
	job.Asked
	// Series is the number of a series of IN, from 1, or "all"; missing: the largest, with all volumes of a 4-D series.
	Series     any    `json:"series,omitempty"`
	Engine     string `json:"engine,omitempty"`     // "auto" if missing
	NoiseMap   string `json:"noise_map,omitempty"`  // "auto" or "none"; missing: if the noise differs from place to place
	Compress   string `json:"compress,omitempty"`   // of DICOM, see quell denoise
	Uneven     string `json:"uneven,omitempty"`     // see job.Job
	Verdict    *bool  `json:"verdict,omitempty"`    // judge the results; true if missing
	Deidentify bool   `json:"deidentify,omitempty"` // remove the patient's identity from DICOM output
	// Attach are DICOM objects about the result, see job.Attachments.
	Attach []string `json:"attach,omitempty"`
	// Replaces marks the results as those of more images of a series than an earlier one had, see job.Options.
	Replaces bool `json:"-"`
}

// taskName is the file in which mercure passes settings, in IN.
const taskName = "task.json"

// ReadTask returns the settings in the task.json of IN; ok is false if it has none. Errors are *job.InputError.
func (p Place) ReadTask() (s Settings, ok bool, err error) {
	path := filepath.Join(p.In, taskName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, job.Unreadable(err, path, nil)
	}
	settings, err := taskSettings(data)
	if err == nil && settings != nil {
		err = ParseSettings(settings, &s)
	}
	if err != nil {
		return s, false, job.Usagef("%s: %w", taskName, err)
	}
	return s, settings != nil, nil
}

// taskSettings finds the settings in a task: those of its process, of which a module is passed one, or of the task itself.
func taskSettings(data []byte) (json.RawMessage, error) {
	type process struct {
		Settings json.RawMessage `json:"settings"`
	}
	var task struct {
		process
		Process json.RawMessage `json:"process"`
	}
	if err := json.Unmarshal(data, &task); err != nil {
		return nil, err
	}
	found := task.process
	if list := []process{}; bytes.HasPrefix(task.Process, []byte("[")) {
		if err := json.Unmarshal(task.Process, &list); err != nil {
			return nil, err
		}
		if len(list) > 1 {
			return nil, errors.New("the task names several processes; a module is passed its own")
		}
		if len(list) == 1 {
			found = list[0]
		}
	} else if len(task.Process) > 0 {
		if err := json.Unmarshal(task.Process, &found); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(found.Settings, []byte("null")) || bytes.Equal(found.Settings, []byte("{}")) {
		return nil, nil
	}
	return found.Settings, nil
}

// ParseSettings reads settings into s and refuses names that are none: a mistyped one would have no effect.
func ParseSettings(data []byte, s any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(s)
	if err != nil && strings.HasPrefix(err.Error(), "json: unknown field ") {
		return fmt.Errorf("there is no setting %s", strings.TrimPrefix(err.Error(), "json: unknown field "))
	}
	return err
}

// Check refuses settings that no series could be filtered by. Errors are *job.UsageError.
func (s Settings) Check() error {
	j, err := s.job()
	if err != nil {
		return err
	}
	return j.ValidateSteps()
}

// job returns the work on one series, without its input and output. Errors are *job.UsageError.
func (s Settings) job() (j job.Job, err error) {
	asked, open := s.Asked, !s.Named() && len(s.Parameters) == 0
	if open { // the filter that stays if no gain is known
		asked.Filter = denoise.Filters()[0].Name
	}
	recipe, autoDims, err := asked.Answer()
	if err != nil {
		return j, err
	}
	j = job.Job{
		Recipe: &recipe, AutoFilter: open, AutoDims: autoDims || open && s.Dims == nil, NoiseMap: job.GivenMap(s.NoiseMap), Uneven: s.Uneven, Measure: s.Verdict == nil || *s.Verdict,
		Engine: job.EnginePolicy{Name: s.Engine},
	}
	if j.Engine.Name == "" {
		j.Engine.Name = "auto"
	}
	if j.MapFile() != "" {
		return j, job.Usagef("noise_map is %q; give auto or none", s.NoiseMap)
	}
	j.Output.Deidentify, j.Output.Compress, j.Output.Attach, j.Output.Replaces = s.Deidentify, dicom.Compression(s.Compress), s.Attach, s.Replaces
	return j.Judged(), nil
}
