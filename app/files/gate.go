package files

import (
	"io/fs"
	"os"
	"path/filepath"

	"quell/app/job"
)

// Target is one output of a command, a dialog or a job.
type Target struct {
	Option string // by which a person named it: "OUT", "--report"
	Path   string
	Kind   *Kind
}

// Gate holds the paths that a command reads and writes. Everything that Quell writes to a path that a
// person chose passes its Check first.
type Gate struct {
	Inputs  []string // files and folders; names of nothing are passed over
	Outputs []Target // those with an empty path are not written
	// Overwrite replaces files that Quell did not write, except under a log, and folders of
	// DICOM that it did not write.
	Overwrite bool
}

// Check returns a *job.UsageError, or the *atomic.Error of a place that cannot be written to,
// if any of the outputs
//
//   - has a name with the ending of another format,
//   - is an input, by whatever name, lies in a folder that is one, or would replace one,
//   - has the place of another output,
//   - would replace what Quell did not write (ErrForeignTarget) or cannot be written.
//
// It leaves nothing behind. Outputs are checked again when they are written, as another
// program may have written there meanwhile.
func (g Gate) Check() error {
	inputs := g.inputs()
	var outputs []Target
	for _, t := range g.Outputs {
		if t.Path == "" {
			continue
		}
		if err := t.Kind.CheckName(t.Path); err != nil {
			return err
		}
		t.Path = filepath.Clean(t.Path) // as writers do: the way that a system takes by gone/.. is another
		if err := t.apart(inputs); err != nil {
			return err
		}
		for _, other := range outputs {
			if t.meets(other) {
				return job.Usagef("%s and %s would both be written to %s; give each a name of its own", other.Option, t.Option, t.Path)
			}
		}
		outputs = append(outputs, t)
	}
	for _, t := range outputs {
		if err := t.Kind.existing(t.Path, g.Overwrite); err != nil {
			return err
		}
		if err := t.Kind.writable(t.Path); err != nil {
			return err
		}
	}
	return nil
}

// place is a file or folder that exists.
type place struct {
	path string
	info fs.FileInfo
}

// inputs returns the inputs that exist; one that is missing is reported when it is read.
func (g Gate) inputs() []place {
	var all []place
	for _, path := range g.Inputs {
		if info, err := os.Stat(path); err == nil {
			all = append(all, place{path, info})
		}
	}
	return all
}

// apart refuses an output that would touch an input: a file, or a folder with everything
// below it.
func (t Target) apart(inputs []place) error {
	for _, path := range t.Kind.paths(t.Path) {
		self, err := os.Stat(path)
		above := lineage(path)
		for _, in := range inputs {
			if err == nil && os.SameFile(self, in.info) {
				return job.Usagef("%s is the input itself, which is never written to; choose another name", path)
			}
			if in.info.IsDir() && holds(above, in.info) && !isDerivative(path, in.path) {
				return job.Usagef("%s lies inside the input's folder; choose a folder outside it", path)
			}
		}
	}
	self, err := os.Stat(t.Path)
	if err != nil || !t.Kind.replaces(t.Path) {
		return nil //nolint:nilerr // nothing is there that could hold an input
	}
	folders := map[string]bool{} // of the inputs, each looked at once
	for _, in := range inputs {
		dir := in.path
		if !in.info.IsDir() {
			dir = filepath.Dir(in.path)
		}
		if !folders[dir] && holds(lineage(dir), self) {
			return job.Usagef("%s contains the input, which is never written to; choose a folder of its own", t.Path)
		}
		folders[dir] = true
	}
	return nil
}

// isDerivative reports whether path lies in the derivatives of a BIDS dataset, which are no
// part of the inputs in it. The first derivative makes their folder.
func isDerivative(path, dataset string) bool {
	derivatives := filepath.Join(dataset, "derivatives")
	return Exists(filepath.Join(dataset, "dataset_description.json")) && (IsInside(path, derivatives) || IsBelow(realPath(path), realPath(derivatives)))
}

// meets reports whether two outputs have a file in common, or one lies in a folder that the
// other replaces.
func (t Target) meets(other Target) bool {
	for _, a := range t.Kind.paths(t.Path) {
		for _, b := range other.Kind.paths(other.Path) {
			if sameName(a, b) || SameFile(a, b) {
				return true
			}
		}
	}
	within := func(a, b Target) bool {
		return a.Kind.replaces(a.Path) && IsBelow(realPath(b.Path), realPath(a.Path))
	}
	return within(t, other) || within(other, t)
}
