package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"quell/denoise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// recordSuffix makes the record's name from the output's. The record lies
// beside a DICOM folder, not in it: archives import every file of a folder.
const recordSuffix = ".recipe.json"

// insideRecord is the name of the record in a folder of DICOM that is written into, such as a
// mount point: what lies beside that may not be kept.
const insideRecord = "quell" + recordSuffix

// RecordPath returns the path of the record of an output, which may not exist.
func RecordPath(out string) string {
	if inside := filepath.Join(out, insideRecord); exists(inside) {
		return inside
	}
	return filepath.Clean(out) + recordSuffix
}

// Record describes how an output was made, so that it can be made again. It has
// no patient data and no file names.
type Record struct {
	Quell  string          `json:"quell,omitempty"`  // version
	Recipe *denoise.Recipe `json:"recipe,omitempty"` // as run: plain numbers
	Asked  *denoise.Recipe `json:"asked,omitempty"`  // as asked for: with "auto" and percentages
	Curve  *tune.Curve     `json:"curve,omitempty"`  // by which "sure" chose the strength
	Noise  *Noise          `json:"noise,omitempty"`  // that was added
	Engine *denoise.Info   `json:"engine,omitempty"` //
	Source SourceRecord    `json:"source"`           //
	Region *volume.Region  `json:"region,omitempty"` // the part that was filtered; all where it is missing
	// Parts are the slices that were filtered by themselves, and Resampled says how uneven
	// slices became even ones.
	Parts     []series.Part      `json:"parts,omitempty"`
	Resampled *series.Resampling `json:"resampled,omitempty"`
	// NoiseMap and Mask identify what steered the filter beside the recipe.
	NoiseMap *MapRecord `json:"noise_map,omitempty"`
	Mask     *MapRecord `json:"mask,omitempty"`
	Time     time.Time  `json:"time,omitzero"` // none beside a de-identified output
	// Volumes are the records of the volumes of a 4-D series, in its order, and Place is
	// where each lies. The series' own Recipe is as asked for: run on each volume, it makes
	// the output again.
	Volumes []*Record    `json:"volumes,omitempty"`
	Place   series.Place `json:"place,omitempty"`

	of    *volume.Volume // the source, until it is identified
	found *identity      // of a volume, where it is looked for already; nil if not
}

// SourceRecord identifies a source without naming it.
type SourceRecord struct {
	Format   string `json:"format"`
	Modality string `json:"modality,omitempty"`
	Dims     [3]int `json:"dims"`
	// SHA256 is over the voxels as little-endian float32 in real units, x
	// fastest, padding included. None beside a de-identified output, which it would
	// link to the original.
	SHA256 string `json:"sha256,omitempty"`
}

func newRecord(s *series.Series, now time.Time) *Record {
	if now.IsZero() {
		now = time.Now()
	}
	return &Record{
		Quell: Version(),
		Source: SourceRecord{
			Format: s.Format, Modality: s.Modality, Dims: s.Volume.Dims,
		},
		of:   s.Volume,
		Time: now.Truncate(time.Second), Resampled: s.Resampled,
	}
}

func voxelHash(v *volume.Volume) string {
	h := newVoxelHash()
	hashVoxels(h, v.Data)
	return hex.EncodeToString(h.Sum(nil))
}

// newVoxelHash returns the hash that identifies voxels in records.
func newVoxelHash() hash.Hash { return sha256.New() }

func hashVoxels(h hash.Hash, voxels []float32) {
	for part := range slices.Chunk(voxels, 1<<16) {
		b, _ := volume.LittleEndian(part)
		h.Write(b)
	}
}

// identity is the hash of a volume's voxels, which another goroutine finds: it takes longer
// than reading them.
type identity struct {
	of   *volume.Volume
	hash func() string // waits for it
}

// newIdentity begins to hash the voxels of v, which must not change meanwhile.
func newIdentity(v *volume.Volume) *identity {
	done := make(chan string, 1)
	go func() { done <- voxelHash(v) }()
	return &identity{of: v, hash: sync.OnceValue(func() string { return <-done })}
}

// identify fills in the hash of the source's voxels while others write the output. The
// record is complete when wait returns.
func (r *Record) identify() (wait func()) {
	if r == nil || r.of == nil {
		return func() {}
	}
	if r.found == nil || r.found.of != r.of {
		r.found = newIdentity(r.of)
	}
	return func() { r.Source.SHA256, r.found = r.found.hash(), nil }
}

// deidentify leaves out what would link the output to the patient's examination.
func (r *Record) deidentify() {
	for _, v := range r.Volumes {
		v.deidentify()
	}
	r.Time, r.Source.SHA256 = time.Time{}, ""
	if !modality.MatchString(r.Source.Modality) {
		r.Source.Modality = ""
	}
	for _, m := range []*MapRecord{r.NoiseMap, r.Mask} {
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

// maxRecipe bounds a recipe file: real ones have less than a thousandth.
const maxRecipe = 1 << 20

// LoadRecipe reads a recipe: a bare one, or the record of an output, of which it takes
// the recipe as run, the one that reproduces the output. path may be the folder that holds
// its record. Errors
// are *InputError.
func LoadRecipe(path string) (denoise.Recipe, error) {
	refuse := func(problem message.Message, err error) (denoise.Recipe, error) {
		return denoise.Recipe{}, &InputError{Path: path, Problem: problem, Advice: message.Text("choose a recipe that Quell wrote"), Err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return denoise.Recipe{}, inputError(err, path, nil)
	}
	if inside := filepath.Join(path, insideRecord); info.IsDir() && exists(inside) {
		return LoadRecipe(inside)
	}
	if info.IsDir() || info.Size() > maxRecipe {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe"), nil)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return denoise.Recipe{}, inputError(err, path, nil)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe: it is not a JSON object"), err)
	}
	if _, isRecord := fields["quell"]; isRecord {
		inner, ok := fields["recipe"]
		if !ok {
			return refuse(message.New(message.RecipeUnreadable, "is a record without a recipe"), nil)
		}
		data = bytes.Clone(inner)
	}
	r, err := denoise.ParseRecipe(data)
	if err != nil {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe that can be run: %s", err), err)
	}
	return r, nil
}
