package bids

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/app/batch"
	"quell/app/job"
	"quell/app/run"
	"quell/internal/message"
	"quell/internal/regular"
)

// Dataset is a folder with a dataset_description.json.
type Dataset struct {
	dir         string
	description map[string]any
	ignored     []string // patterns of .bidsignore
	asksNoise   bool     // runs are filtered by the noise of volumes without excitation
}

// Open reads the description of a dataset. The error is an *job.InputError.
func Open(dir string) (*Dataset, error) {
	refuse := func(problem, advice string, err error) (*Dataset, error) {
		return nil, &job.InputError{Path: dir, Problem: message.Verbatim(problem), Advice: message.Verbatim(advice), Err: err}
	}
	data, err := regular.ReadFile(filepath.Join(dir, descriptionName))
	if err != nil {
		return refuse("is no BIDS dataset: "+descriptionName+" cannot be read", "name the folder that contains it", err)
	}
	d := &Dataset{dir: dir}
	if err := json.Unmarshal(withoutMark(data), &d.description); err != nil {
		return refuse("contains a "+descriptionName+" that is no JSON object", "mend it", err)
	}
	if data, err := regular.ReadFile(filepath.Join(dir, ".bidsignore")); err == nil {
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				d.ignored = append(d.ignored, line)
			}
		}
	}
	return d, nil
}

const descriptionName = "dataset_description.json"

// withoutMark removes a byte order mark.
func withoutMark(data []byte) []byte { return []byte(strings.TrimPrefix(string(data), "\ufeff")) }

// Filter limits the images of a dataset. Labels are without sub- and ses-; empty lists take all.
type Filter struct {
	Participants []string
	Sessions     []string
	// Modalities are suffixes (T1w, bold). Without them the images of anat are taken.
	Modalities []string
}

// image is a NIfTI file of a dataset.
type image struct {
	name     string // relative to the dataset, with slashes
	entities map[string]string
	order    []string // the keys of entities, in the order of the name
	suffix   string
	ext      string // .nii or .nii.gz
}

var entity = regexp.MustCompile(`^([a-zA-Z]+)-([a-zA-Z0-9+]+)$`)

// parse reads the entities of a name; false if it is not one of BIDS.
func parse(name string) (image, bool) {
	im := image{name: name, entities: map[string]string{}}
	base := path.Base(name)
	for _, ext := range []string{".nii.gz", ".nii"} {
		if b, ok := strings.CutSuffix(base, ext); ok {
			im.ext, base = ext, b
			break
		}
	}
	parts := strings.Split(base, "_")
	im.suffix = parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		m := entity.FindStringSubmatch(part)
		if m == nil {
			return im, false
		}
		im.order = append(im.order, m[1])
		im.entities[m[1]] = m[2]
	}
	return im, im.ext != "" && im.entities["sub"] != "" && im.suffix != "" && !strings.Contains(im.suffix, "-")
}

// datatype is the folder of an image: anat, func, dwi.
func (im image) datatype() string { return path.Base(path.Dir(im.name)) }

// derived returns the name of the denoised image: desc-denoised before the suffix, or
// desc-xDenoised for an image that has desc-x.
func (im image) derived() string {
	desc := "denoised"
	if before := im.entities["desc"]; before != "" {
		desc = before + "Denoised"
	}
	return im.with("desc-"+desc, im.suffix)
}

// derivedMap is the name of a map of an image.
func (im image) derivedMap(of string) string { return im.with("desc-"+of, im.suffix+"map") }

// with is the name of an image with other parts at its end, without its description.
func (im image) with(last ...string) string {
	var parts []string
	for _, key := range im.order {
		if key != "desc" {
			parts = append(parts, key+"-"+im.entities[key])
		}
	}
	return path.Join(path.Dir(im.name), strings.Join(append(parts, last...), "_")+im.ext)
}

// noRF is the suffix of volumes without excitation: they hold noise alone.
const noRF = "noRF"

// noiseOf returns the file without excitation that was acquired with an image: of its folder and its entities, which may
// name the magnitude. It is "" if there is none, or none is asked for.
func (d *Dataset) noiseOf(unit string) string {
	im, ok := parse(unit)
	if !ok || !d.asksNoise {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Join(d.dir, filepath.FromSlash(path.Dir(im.name))))
	for _, e := range entries {
		other, ok := parse(path.Join(path.Dir(im.name), e.Name()))
		if ok && other.suffix == noRF && maps.Equal(other.magnitude(), im.magnitude()) && !d.ignores(other.name, false) {
			return other.name
		}
	}
	return ""
}

// magnitude returns the entities with a part that need not be named.
func (im image) magnitude() map[string]string {
	all := maps.Clone(im.entities)
	all["part"] = cmp.Or(all["part"], "mag")
	return all
}

// noImages are suffixes of NIfTI files that hold labels, fields or noise, and parts of complex images to which the noise
// models do not apply.
var noImages = []string{"mask", "dseg", "probseg", "channels", "phase", "phasediff", "phase1", "phase2", "fieldmap", noRF}

// takes reports whether a filter takes an image.
func (f Filter) takes(im image) bool {
	has := func(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }
	switch {
	case slices.Contains(noImages, im.suffix), im.entities["part"] != "" && im.entities["part"] != "mag":
		return false
	case !has(f.Participants, im.entities["sub"]), !has(f.Sessions, im.entities["ses"]):
		return false
	case len(f.Modalities) == 0:
		return im.datatype() == "anat"
	}
	return slices.Contains(f.Modalities, im.suffix)
}

// Images lists the images that a filter takes, as units with outputs that have the
// names of derivatives. A label that no participant has is an *job.UsageError, a
// dataset without such images an *job.InputError.
func (d *Dataset) Images(ctx context.Context, f Filter) ([]batch.Unit, error) {
	f.Participants, f.Sessions = labels(f.Participants, "sub-"), labels(f.Sessions, "ses-")
	for _, label := range f.Participants {
		if info, err := os.Stat(filepath.Join(d.dir, "sub-"+label)); err != nil || !info.IsDir() {
			return nil, job.Usagef("the dataset has no participant %s", label)
		}
	}
	var units []batch.Unit
	err := filepath.WalkDir(d.dir, func(full string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := filepath.Rel(d.dir, full)
		if relErr != nil {
			return relErr
		}
		name := filepath.ToSlash(rel)
		switch {
		case name == ".":
			return err
		case strings.HasPrefix(path.Base(name), "."), !strings.HasPrefix(name, "sub-"), d.ignores(name, err == nil && e.IsDir()):
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			return &job.InputError{Path: full, Problem: message.Text("cannot be read"), Advice: message.Text("check its permissions"), Err: err}
		case e.IsDir():
			return nil
		}
		im, ok := parse(name)
		if !ok || !f.takes(im) {
			return nil
		}
		u := batch.Unit{Name: name, Path: full, Output: im.derived()}
		if info, err := os.Stat(full); err == nil { // a link that leads nowhere is a failure row
			u.Bytes = info.Size()
		}
		units = append(units, u)
		return nil
	})
	if err == nil && len(units) == 0 {
		return nil, &job.InputError{Path: d.dir, Problem: message.Text("has no such images"), Advice: message.Text("name participants, sessions and modalities that it has; without --modality the images of anat are taken")}
	}
	return units, err
}

// labels removes the prefix that labels may be given with.
func labels(all []string, prefix string) (out []string) {
	for _, label := range all {
		out = append(out, strings.TrimPrefix(label, prefix))
	}
	return out
}

// ignores reports whether a pattern of .bidsignore matches a path: names without a slash
// anywhere, others from the top; ** stands for any folders, a slash at the end for folders.
func (d *Dataset) ignores(name string, folder bool) bool {
	for _, pattern := range d.ignored {
		p, onlyFolders := strings.CutSuffix(pattern, "/")
		if onlyFolders && !folder {
			continue
		}
		anchored := strings.Contains(p, "/")
		p = strings.TrimPrefix(p, "/")
		if rest, ok := strings.CutPrefix(p, "**/"); ok {
			p, anchored = rest, strings.Contains(rest, "/")
		}
		p = strings.TrimSuffix(p, "/**")
		at := name
		if !anchored {
			at = path.Base(name)
		}
		if ok, err := path.Match(p, at); ok && err == nil {
			return true
		}
	}
	return false
}

// Run denoises the images of a dataset that a filter takes: a batch with the dataset as
// inputs. The inputs and the selection of o are not used.
func Run(ctx context.Context, dir string, f Filter, o batch.Options, events batch.Events) (batch.Summary, error) {
	d, err := Open(dir)
	if err != nil {
		return batch.Summary{}, err
	}
	if o.Output == "" {
		return batch.Summary{}, job.Usagef("the output has no name")
	}
	if err := checkOutput(o.Output); err != nil {
		return batch.Summary{}, err
	}
	o.Inputs = []string{dir}
	o.List = func(ctx context.Context) ([]batch.Unit, error) { return d.Images(ctx, f) }
	o.Begin = func() error { return d.describe(o.Output) }
	o.Open, o.OnlyChanged = d.open, true
	o.Finish = func(r batch.SeriesResult) error { return d.finish(o.Output, r) }
	if o.Job.Recipe != nil && o.Job.Recipe.SeriesFilter() != nil {
		d.asksNoise = o.Job.NoiseMap == job.MapIfVaries && run.Mappable(*o.Job.Recipe)
		o.Complete = func(unit string, j *job.Job) {
			j.Output.Beside = mapsOf(o.Output, unit)
			if name := d.noiseOf(unit); name != "" {
				j.NoiseMap = filepath.Join(d.dir, filepath.FromSlash(name))
			}
		}
	}
	return batch.Run(ctx, o, events)
}
