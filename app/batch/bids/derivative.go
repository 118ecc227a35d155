package bids

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/batch"
	"quell/app/job"
	"quell/app/open"
	"quell/internal/message"
	"quell/internal/regular"
	"quell/io/atomic"
	"quell/io/nifti"
	"quell/series"
)

// version is the version of the specification that derivatives follow.
const version = "1.10.0"

// checkOutput refuses a folder that holds a dataset of another program, such as the input.
func checkOutput(out string) error {
	data, err := regular.ReadFile(filepath.Join(out, descriptionName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var before struct {
		GeneratedBy []struct{ Name string }
	}
	if err != nil || json.Unmarshal(withoutMark(data), &before) != nil || len(before.GeneratedBy) != 1 || before.GeneratedBy[0].Name != "Quell" {
		return job.Usagef("%s contains a dataset that Quell did not write; choose another folder, such as derivatives/quell", out)
	}
	return nil
}

// describe writes what makes a folder a derivative dataset: the description, a README, and
// what validators leave out.
func (d *Dataset) describe(out string) error {
	name, _ := d.description["Name"].(string)
	link, err := d.link(out)
	if err != nil {
		return err
	}
	source := map[string]any{"URL": "bids:source:"} // a BIDS URI by DatasetLinks; a relative path is no URI
	for theirs, ours := range map[string]string{"DatasetDOI": "DOI", "Version": "Version"} {
		if value, ok := d.description[theirs].(string); ok && value != "" {
			source[ours] = value
		}
	}
	description := map[string]any{
		"Name":           "Quell: denoised images of " + cmp.Or(name, "a dataset without a name"),
		"BIDSVersion":    version,
		"DatasetType":    "derivative",
		"GeneratedBy":    []any{map[string]any{"Name": "Quell", "Version": job.Version(), "Description": "Removes noise. Not for clinical use."}},
		"DatasetLinks":   map[string]string{"source": link},
		"SourceDatasets": []any{source},
	}
	for _, key := range []string{"License", "Authors", "Acknowledgements"} {
		if value, ok := d.description[key]; ok {
			description[key] = value
		}
	}
	if err := writeJSON(filepath.Join(out, descriptionName), description); err != nil {
		return err
	}
	const readme = `Images denoised by Quell, not for clinical use. The sidecar of each image holds its recipe,
which quell denoise --recipe reads. report.html and report.csv list sigma of the noise,
the verdict and what failed.
`
	const ignore = "report.html\nreport.csv\n*.recipe.json\n" + batch.StateFolder + "/\n"
	for name, text := range map[string]string{"README": readme, ".bidsignore": ignore} {
		if err := write(filepath.Join(out, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// link is the path of the dataset, relative to its derivative if that is possible.
func (d *Dataset) link(out string) (string, error) {
	from, err := filepath.Abs(out)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(d.dir)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(rel), nil
	}
	return "file://" + filepath.ToSlash(to), nil // another drive
}

// open gives a diffusion series the gradients that apply to it, which may lie above it. They
// leave with the image.
func (d *Dataset) open(u batch.Unit, c *open.Catalog) error {
	im, ok := parse(u.Name)
	if !ok {
		return nil
	}
	bval, bvec, err := d.gradients(im)
	if err == nil && bval != nil {
		useGradients(c, bval, bvec)
	}
	return err
}

// useGradients gives the 4-D series the gradients of texts in FSL's format, in which bvec may be nil, in
// place of the ones next to its file.
func useGradients(c *open.Catalog, bval, bvec []byte) {
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Group == nil {
			continue
		}
		g, found := nifti.ParseGradients(bval, bvec, e.Group.Len(), e.Geometry)
		e.Group.Gradients = g
		e.Findings = slices.DeleteFunc(slices.Clone(e.Findings), func(f series.Finding) bool { return f.Kind == series.Diffusion })
		e.Findings = append(e.Findings, found...)
	}
}

// gradients returns the files that apply to a diffusion series; nil for others.
func (d *Dataset) gradients(im image) (bval, bvec []byte, err error) {
	if im.datatype() != "dwi" {
		return nil, nil, nil
	}
	if bval, err = d.inherited(im, ".bval"); err != nil {
		return nil, nil, err
	}
	bvec, err = d.inherited(im, ".bvec")
	return bval, bvec, err
}

// seriesMaps are the maps of a 4-D series that was filtered together, by the name of their output: the description in the name of
// the file, and what it is.
var seriesMaps = map[string][2]string{
	"rank-out":  {"rank", "Rank that was kept around each voxel"},
	"sigma-out": {"noise", "Noise by which the volumes were filtered: sigma of each voxel"},
}

// mapsOf returns the files of the maps of an image in the folder out.
func mapsOf(out, unit string) map[string]string {
	im, ok := parse(unit)
	if !ok {
		return nil
	}
	beside := map[string]string{}
	for name, m := range seriesMaps {
		beside[name] = filepath.Join(out, filepath.FromSlash(im.derivedMap(m[0])))
	}
	return beside
}

// finish writes the sidecar of a denoised image, and its gradients if they are gone.
func (d *Dataset) finish(out string, r batch.SeriesResult) error {
	im, ok := parse(r.Unit)
	if !ok {
		return nil
	}
	sidecar, err := d.metadata(im)
	if err != nil {
		return err
	}
	sources := []string{"bids:source:" + im.name}
	quell := map[string]any{"Version": r.Quell, "Engine": r.Engine}
	if name := d.noiseOf(r.Unit); name != "" && r.NoiseMap != "" {
		sources = append(sources, "bids:source:"+name)
		quell["NoiseMap"] = sources[1]
	}
	sidecar["Sources"] = sources
	sidecar["Description"] = "Denoised by Quell " + job.Version() + ". Not for clinical use."
	if _, known := sidecar["SkullStripped"]; !known { // required of every derived image
		sidecar["SkullStripped"] = false
	}
	if r.Judgement != "" {
		quell["Judgement"] = r.Judgement
	}
	if f := r.Figures; f != nil && f.Noise().Known() {
		quell["NoiseRemoved"], quell["ContrastKept"], quell["TextureKept"] = f.NoiseRemoved, f.ContrastKept, f.TextureKept
	}
	if r.Recipe != nil {
		quell["Recipe"] = r.Recipe
	}
	if r.SigmaConfidence != "" && r.SigmaConfidence != "none" {
		quell["Sigma"], quell["SigmaConfidence"] = r.Sigma, r.SigmaConfidence
	}
	sidecar["Quell"] = quell
	target := filepath.Join(out, filepath.FromSlash(im.derived()))
	base := strings.TrimSuffix(target, im.ext)
	bval, bvec, err := d.gradients(im)
	if err != nil {
		return err
	}
	for ext, data := range map[string][]byte{".bval": bval, ".bvec": bvec} {
		if data == nil {
			continue
		}
		if err := write(base+ext, data); err != nil {
			return err
		}
	}
	for name, path := range mapsOf(out, r.Unit) {
		if _, err := os.Stat(path); err != nil {
			continue // the filter has none
		}
		about := map[string]any{"Sources": sidecar["Sources"], "SkullStripped": sidecar["SkullStripped"], "Description": seriesMaps[name][1] + ". " + sidecar["Description"].(string)}
		if err := writeJSON(strings.TrimSuffix(path, im.ext)+".json", about); err != nil {
			return err
		}
	}
	return writeJSON(base+".json", sidecar)
}

// metadata returns the metadata of an image by the inheritance principle: a file nearer to the
// image overrides those above it.
func (d *Dataset) metadata(im image) (map[string]any, error) {
	all := map[string]any{}
	for _, name := range d.applicable(im, ".json") {
		data, err := regular.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, &job.InputError{Path: filepath.Join(d.dir, filepath.FromSlash(name)), Problem: message.Text("cannot be read"), Advice: message.Text("check the dataset"), Err: err}
		}
		var one map[string]any
		if err := json.Unmarshal(withoutMark(data), &one); err != nil {
			return nil, &job.InputError{Path: filepath.Join(d.dir, filepath.FromSlash(name)), Problem: message.Text("is no JSON object"), Advice: message.Text("mend it"), Err: err}
		}
		maps.Copy(all, one)
	}
	return all, nil
}

// inherited returns the file of that extension that applies to an image; nil without one.
func (d *Dataset) inherited(im image, ext string) ([]byte, error) {
	names := d.applicable(im, ext)
	if len(names) == 0 {
		return nil, nil
	}
	return regular.ReadFile(filepath.Join(d.dir, filepath.FromSlash(names[len(names)-1])))
}

// applicable lists the files of that extension that apply to an image, the nearest last: those
// in its folder or above it, of its suffix and of no entity that it has not or has otherwise.
func (d *Dataset) applicable(im image, ext string) (names []string) {
	dirs := []string{"."}
	for i, part := range strings.Split(path.Dir(im.name), "/") {
		dirs = append(dirs, path.Join(dirs[i], part))
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(d.dir, filepath.FromSlash(dir)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var here []string
		for _, e := range entries {
			base, ok := strings.CutSuffix(e.Name(), ext)
			if ok && im.inherits(base) {
				here = append(here, path.Join(dir, e.Name()))
			}
		}
		// Of several in one folder, which BIDS does not allow, the most specific counts most.
		slices.SortFunc(here, func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.Count(a, "_"), strings.Count(b, "_")), cmp.Compare(a, b))
		})
		names = append(names, here...)
	}
	return names
}

// inherits reports whether a file without its extension applies to the image.
func (im image) inherits(base string) bool {
	parts := strings.Split(base, "_")
	if parts[len(parts)-1] != im.suffix {
		return false
	}
	for _, part := range parts[:len(parts)-1] {
		key, value, ok := strings.Cut(part, "-")
		if !ok || im.entities[key] != value {
			return false
		}
	}
	return true
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return write(path, append(data, '\n'))
}

// write writes a file, unless it is there with the same bytes.
func write(path string, data []byte) error {
	if there, err := regular.ReadFile(path); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return atomic.WriteFile(path, data, 0o666)
}
