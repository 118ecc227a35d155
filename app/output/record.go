package output

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/tune"
	"quell/internal/regular"
	"quell/series"
	"quell/volume"
)

// RecipeBeside returns the recipe in the record next to or in an output if that output, or
// a volume of it, was made from the voxels of before as a whole, under the noise map of
// maps; nil without such a record.
func RecipeBeside(out string, before *volume.Volume, maps run.Maps) (*denoise.Recipe, error) {
	path := files.RecordPath(out)
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, job.Unreadable(err, path, nil)
	}
	// Anything but the record of a run over the whole of before is no ground: the
	// result is then judged without a recipe.
	var r Record
	if json.Unmarshal(data, &r) != nil {
		r = Record{}
	}
	sum := run.HashOf(before)
	for _, v := range append(r.Volumes, &r) {
		if v.Recipe != nil && v.Region == nil && v.Parts == nil && v.Resampled == nil && v.NoiseMap.Is(maps.Noise) && v.Mask == nil && v.Source.SHA256 == sum && v.Recipe.Validate() == nil {
			return v.Recipe, nil
		}
	}
	return nil, nil
}

// MappedBeside says whether the record next to or in an output names a noise map that was estimated.
func MappedBeside(out string) bool {
	data, err := regular.ReadFile(files.RecordPath(out))
	var r Record
	return err == nil && json.Unmarshal(data, &r) == nil && slices.ContainsFunc(append(r.Volumes, &r), func(v *Record) bool {
		return v.NoiseMap != nil && v.NoiseMap.From == "estimate"
	})
}

// Record describes how an output was made, so that it can be made again. It has
// no patient data and no file names.
type Record struct {
	Quell string `json:"quell,omitempty"` // version
	// Outcome is "denoised" or "unchanged"; empty if nothing was filtered.
	Outcome string          `json:"outcome,omitempty"`
	Recipe  *denoise.Recipe `json:"recipe,omitempty"` // as run: plain numbers
	Asked   *denoise.Recipe `json:"asked,omitempty"`  // as asked for: with "auto" and percentages
	Curve   *tune.Curve     `json:"curve,omitempty"`  // by which "sure" chose the strength
	Noise   *job.AddedNoise `json:"noise,omitempty"`  // that was added
	Engine  *denoise.Info   `json:"engine,omitempty"` //
	Source  SourceRecord    `json:"source"`           //
	Region  *volume.Region  `json:"region,omitempty"` // the part that was filtered; all if it is missing
	// Parts are the slices that were filtered by themselves, and Resampled says how uneven
	// slices became even ones.
	Parts     []series.Part      `json:"parts,omitempty"`
	Resampled *series.Resampling `json:"resampled,omitempty"`
	// judge.NoiseMap and Mask identify what steered the filter beside the recipe.
	NoiseMap *run.MapRecord `json:"noise_map,omitempty"`
	Mask     *run.MapRecord `json:"mask,omitempty"`
	Time     time.Time      `json:"time,omitzero"` // none next to a de-identified output
	// Volumes are the records of the volumes of a 4-D series, in its order, and Place is
	// the position of each. The series' own Recipe is as asked for: run on each volume, it
	// makes the output again.
	Volumes []*Record    `json:"volumes,omitempty"`
	Place   series.Place `json:"place,omitempty"`

	of    *volume.Volume // the source, until it is identified
	found *run.VoxelHash // of a volume, if it is looked for already; nil if not
}

// SourceRecord identifies a source without naming it.
type SourceRecord struct {
	Format   string `json:"format"`
	Modality string `json:"modality,omitempty"`
	Dims     [3]int `json:"dims"`
	// SHA256 is over the voxels as little-endian float32 in real units, x fastest,
	// padding included. None next to a de-identified output, which it would link to
	// the original.
	SHA256 string `json:"sha256,omitempty"`
	// Series is series.Meta.Identity: voxels may be equal in series of two patients. None next to a de-identified output.
	Series string `json:"series,omitempty"`
}

func newRecord(s *series.Series, now time.Time) *Record {
	if now.IsZero() {
		now = time.Now()
	}
	return &Record{
		Quell: job.Version(),
		Source: SourceRecord{
			Format: s.Format, Modality: s.Modality, Dims: s.Volume.Dims, Series: s.Meta.Identity(),
		},
		of:   s.Volume,
		Time: now.Truncate(time.Second), Resampled: s.Resampled,
	}
}

// identify fills in the hash of the source's voxels while others write the output. The
// record is complete when wait returns.
func (r *Record) identify() (wait func()) {
	if r == nil || r.of == nil {
		return func() {}
	}
	if r.found == nil || r.found.Of != r.of {
		r.found = run.Identify(r.of)
	}
	return func() { r.Source.SHA256, r.found = r.found.Hash(), nil }
}

// deidentify leaves out what would link the output to the patient's examination.
func (r *Record) deidentify() {
	for _, v := range r.Volumes {
		v.deidentify()
	}
	r.Time, r.Source.SHA256, r.Source.Series = time.Time{}, "", ""
	if !open.DefinedModality.MatchString(r.Source.Modality) {
		r.Source.Modality = ""
	}
	for _, m := range []*run.MapRecord{r.NoiseMap, r.Mask} {
		if m != nil {
			m.SHA256 = ""
		}
	}
}

// save writes the record to a file in a stage.
func (r *Record) save(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o666)
}
