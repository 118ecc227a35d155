package run

import (
	"context"
	"encoding/hex"
	"hash"
	"slices"

	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Maps are what steers the filtering of a series besides the recipe, on its grid.
// The zero value steers nothing.
type Maps struct {
	Noise     *volume.Volume // sigma for each voxel, in the unit of the series; nil for none
	Estimated bool           // Noise was estimated from the series
	// Confidence is the one of the noise of the series as a whole, if Noise was
	// estimated from it.
	Confidence noise.Confidence
	Unknown    message.Message // that the noise is unknown, if Noise was estimated; see noise.Figure.Sentence
	Mask       []bool          // false for voxels that are left unchanged and not used; nil for none
	Usual      float32         // see denoise.Input.Usual
	Facts      *denoise.Facts  // denoise.FactsFor of the whole series and Noise; nil to find them
}

// Input returns the volume that is filtered.
func (m Maps) Input(v *volume.Volume) denoise.Input {
	return denoise.Input{Volume: v, Noise: m.Noise, Usual: m.Usual, Mask: m.Mask}
}

// FactsOf returns the facts that recipes on a volume are resolved by: those of the volume, which may be known, if no map
// steers. The error is the context's, or about the map.
func (m Maps) FactsOf(ctx context.Context, v *volume.Volume, known *denoise.Facts) (denoise.Facts, error) {
	switch {
	case m.Noise == nil && m.Mask == nil:
		return FactsOf(ctx, v, known, denoise.FactsOf)
	case m.Facts != nil && m.Mask == nil:
		return *m.Facts, ctx.Err()
	}
	return denoise.FactsFor(ctx, m.Input(v))
}

// OpenMaps returns the maps of a series that a job names or asks for. They must be on the grid of s. Errors are *job.InputError,
// or say why there is no map.
func OpenMaps(ctx context.Context, j job.Job, s *series.Series) (Maps, error) {
	m, err := LoadMaps(ctx, j, s)
	if err != nil {
		return Maps{}, err
	}
	return m.Estimate(ctx, j, s, nil)
}

// LoadMaps reads the files that a job names. They must be on the grid of s. Errors
// are *job.InputError.
func LoadMaps(ctx context.Context, j job.Job, s *series.Series) (m Maps, err error) {
	if file := j.MapFile(); file != "" {
		if m.Noise, err = openNoise(ctx, file, s); err != nil {
			return Maps{}, err
		}
	}
	if j.Mask != "" {
		mask, err := open.OnGrid(ctx, j.Mask, "mask", s)
		if err != nil {
			return Maps{}, err
		}
		inside := 0
		m.Mask = make([]bool, len(mask.Data))
		for i, x := range mask.Data {
			if m.Mask[i] = x != 0 && mask.Valid(i); m.Mask[i] {
				inside++
			}
		}
		if inside == 0 {
			return Maps{}, EmptyMask(j.Mask)
		}
	}
	return m, nil
}

// openNoise reads a noise map, or finds it in the volumes of a file of noise alone.
func openNoise(ctx context.Context, file string, s *series.Series) (sigma *volume.Volume, err error) {
	const what = "noise map"
	if !job.HoldsNoise(file) {
		return open.OnGrid(ctx, file, what, s)
	}
	in, err := open.Select(ctx, job.Input{Path: file}, job.Events{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err = open.NotOnGrid(file, what, open.SameGrid(s.Volume.Geometry, in.Geometry())); err == nil {
		sigma, _, _, err = Alone(ctx, in)
	}
	return sigma, err
}

// Alone returns the noise of volumes that hold nothing else, and the last of them.
func Alone(ctx context.Context, in *open.Selected) (sigma *volume.Volume, e noise.Estimate, last *series.Series, err error) {
	var a noise.Alone
	for k := range in.Entries {
		if last, err = in.Load(ctx, k); err != nil {
			return nil, e, nil, err
		}
		a.Add(last.Volume)
	}
	if sigma, e, err = a.Map(); err != nil {
		err = &job.InputError{Path: in.Catalog.Path, Problem: message.Of(err)}
	}
	return sigma, e, last, err
}

// EmptyMask is the error of a mask that is 0 everywhere.
func EmptyMask(path string) error {
	return &job.InputError{Path: path, Problem: message.New(message.InputEmpty, "leaves no voxel: it is 0 everywhere"), Advice: message.Text("give a mask that is not 0 where the series is to be filtered")}
}

// Estimate maps the noise of a series, if the job asks for that, with what is known of it; nil to find that.
func (m Maps) Estimate(ctx context.Context, j job.Job, s *series.Series, known *denoise.Facts) (Maps, error) {
	if j.NoiseMap != job.MapAuto || m.Noise != nil {
		return m, nil
	}
	of, _, err := MapsOf(ctx, s, known)
	of.Mask = m.Mask
	return of, err
}

// MapsOf maps the noise of a series, and returns the noise of it as a whole. A volume of a 4-D series shows where it is stronger,
// and what is known of the volumes how strong. The error says why there is none, or is the context's.
func MapsOf(ctx context.Context, s *series.Series, known *denoise.Facts) (Maps, noise.Estimate, error) {
	sigma, e, err := MapNoise(ctx, s)
	if err != nil {
		return Maps{}, e, err
	}
	if known != nil && known.Noise.IsOverTime() {
		for i := range sigma.Data {
			sigma.Data[i] *= float32(known.Noise.Sigma / e.Sigma)
		}
		e = known.Noise
	}
	m := Maps{Noise: sigma, Estimated: true, Confidence: e.Confidence, Unknown: e.Sentence()}
	facts, err := denoise.FactsInSigmas(ctx, m.Input(s.Volume), &e)
	if err == nil && e.InTissue() { // as rough as it is, and of the same anatomy
		var alone denoise.Facts
		alone, err = denoise.FactsWith(ctx, s.Volume, e)
		facts.Noise.Figure, facts.Alike, facts.AlikePatches = e.Stabilised(e.Sigma).Figure, alone.Alike, alone.AlikePatches
	}
	m.Facts = &facts
	return m, e, err
}

// IfVaries maps the noise of a series for a recipe whose strengths all follow it, if the noise differs from place to
// place: white noise and noise that is weak or unknown get no map. It returns the facts of the series: the given
// ones, or those that were found if there is no map.
func (m Maps) IfVaries(ctx context.Context, r denoise.Recipe, s *series.Series, facts *denoise.Facts) (Maps, *denoise.Facts, error) {
	if m.Noise != nil || m.Mask != nil || !Mappable(r) {
		return m, facts, nil
	}
	f, err := FactsOf(ctx, s.Volume, facts, denoise.FactsOf)
	if err != nil {
		return m, nil, err
	}
	if !MapPays(s, r, f) {
		return m, &f, nil
	}
	m, err = m.Estimate(ctx, job.Job{NoiseMap: job.MapAuto}, s, &f)
	return m, facts, err
}

// MapPays reports whether a recipe is run on a series under an estimated noise map unless a person says otherwise: see
// Maps.IfVaries. Filters that mix thick slices do not bear the steps of sigma between those of a CT.
func MapPays(s *series.Series, r denoise.Recipe, f denoise.Facts) bool {
	return Mappable(r) && NoiseVaries(f) && (r.Dims == 2 || !f.Noise.InTissue() || thin(s.Volume.Geometry))
}

// NoiseVaries reports whether the noise differs from place to place, so that it can be mapped.
func NoiseVaries(f denoise.Facts) bool {
	varies := f.Noise.Why.Kind() == message.NoiseVaries
	if f.Noise.InTissue() {
		varies = f.Noise.SlicesDiffer()
	}
	return varies && f.AutoSigma() > 0
}

// Mappable reports whether all strengths of a recipe follow the noise, so that a map may steer it unasked.
func Mappable(r denoise.Recipe) bool { return !r.InSigmas && automatic(r) }

// automatic says whether all strengths of a recipe follow the noise of the series, and the filter leaves a map to
// the passes around it.
func automatic(r denoise.Recipe) bool {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil || f.ReadsNoise {
		return false
	}
	follows := false
	for _, p := range f.Params {
		if p.Unit == "value" && p.Name != denoise.Stabilise.Name && p.Auto != nil && r.Ignores(p.Name).IsZero() {
			if v := r.Get(p.Name); !v.IsAuto() && !v.IsSigmas() {
				return false
			}
			follows = true
		}
	}
	return follows
}

// How far the noise of a map may be from that found in the series, as a ratio, for
// results to be judged by it: with fair confidence, and at all.
const (
	fairMap    = 1.25
	usableMap  = 1.5
	mapSamples = 1 << 16
)

// Trust returns how far the noise map can be relied on, in the voxels of v that count.
// A map that was given is compared with the noise that is found in v; if that is
// another by far, doubt is a sentence that says so. The error is the context's.
func (m Maps) Trust(ctx context.Context, v *volume.Volume, counts func(i int) bool) (c noise.Confidence, doubt message.Message, err error) {
	if m.Estimated {
		if !m.Unknown.IsZero() {
			return noise.None, m.Unknown, nil
		}
		if m.Confidence == noise.High {
			return noise.Fair, message.Message{}, nil
		}
		return m.Confidence, message.Message{}, nil
	}
	found, _, err := noise.Map(ctx, v)
	if err != nil || found == nil {
		return noise.Low, message.Message{}, err
	}
	var ratios []float32
	for i, step := 0, max(len(v.Data)/mapSamples, 1)|1; i < len(v.Data); i += step {
		if given := m.Noise.Data[i]; counts(i) && m.Noise.Valid(i) && given > 0 {
			ratios = append(ratios, found.Data[i]/given)
		}
	}
	if len(ratios) == 0 {
		return noise.Low, message.Message{}, nil
	}
	slices.Sort(ratios)
	switch r := float64(ratios[len(ratios)/2]); {
	case r > usableMap || r < 1/usableMap:
		return noise.None, message.New(message.NoiseDisagrees, "The noise that is found in the series is %.2g times that of the noise map: there are not enough data to judge.", r), nil
	case r > fairMap || r < 1/fairMap:
		return noise.Low, message.Message{}, nil
	}
	return noise.Fair, message.Message{}, nil
}

// MapRecord identifies a map or a mask in a record without naming it.
type MapRecord struct {
	From string `json:"from"` // "file" or "estimate"
	// SHA256 is over the voxels as in output.SourceRecord; a mask holds 0 and 1. None beside
	// a de-identified output.
	SHA256 string `json:"sha256,omitempty"`
}

// Is says whether a map is the one that a record identifies; nil is none.
func (r *MapRecord) Is(m *volume.Volume) bool {
	if r == nil || m == nil {
		return r == nil && m == nil
	}
	return r.SHA256 == HashOf(m)
}

// Records returns the records of the noise map and of the mask, nil for none.
func (m Maps) Records() (noise, mask *MapRecord) {
	if m.Noise != nil {
		noise = &MapRecord{From: "file", SHA256: HashOf(m.Noise)}
		if m.Estimated {
			noise.From = "estimate"
		}
	}
	if m.Mask != nil {
		h := NewHash()
		hashMask(h, m.Mask)
		mask = &MapRecord{From: "file", SHA256: hex.EncodeToString(h.Sum(nil))}
	}
	return noise, mask
}

// hashMask adds the voxels of a mask, as 0 and 1, to their hash.
func hashMask(h hash.Hash, mask []bool) {
	values := make([]float32, 0, 1<<14)
	for part := range slices.Chunk(mask, cap(values)) {
		values = values[:0]
		for _, inside := range part {
			x := float32(0)
			if inside {
				x = 1
			}
			values = append(values, x)
		}
		AddVoxels(h, values)
	}
}

// MapNoise returns the map of a series, or why there is none.
func MapNoise(ctx context.Context, s *series.Series) (*volume.Volume, noise.Estimate, error) {
	sigma, e, err := noise.Map(ctx, s.Volume)
	if err == nil && sigma == nil {
		err = message.Errorf(message.NoiseUnknown, "the noise cannot be mapped: %s", e.Why)
	}
	return sigma, e, err
}

// Competes reports whether a recipe may be proposed in that noise: its strength is automatic. Others know nothing of the
// series.
func Competes(r denoise.Recipe, e noise.Estimate) bool {
	return automatic(r) && unproposable(e).IsZero()
}
