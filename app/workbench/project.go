package workbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"quell/app/files"
	"quell/app/job"
	"quell/app/pacs"
	"quell/internal/message"
	"quell/series"
)

// ProjectEnding is the ending of the names of projects.
const ProjectEnding = ".quell"

// projectSchema is the version of the form of projects. A reader refuses a later one.
const projectSchema = 1

// maxProject bounds a project that is read, in bytes: it holds paths, recipes and outlines alone.
const maxProject = 64 << 20

// maxSide bounds a side of the grids that a workspace names, in voxels, so that their bytes can be counted.
const maxSide = 1 << 16

// project is a workspace in a file of its own. It has no voxels, no pictures and no text of a source but its path; the
// paths are relative to the file, with slashes.
type project struct {
	Kind    string `json:"quell"` // a ProjectOutput is known by it
	Schema  int    `json:"schema"`
	Program string `json:"program"`
	Workspace
}

// WriteProject writes the open series to a project, whole or not at all. A file that is no project is replaced only with
// overwrite; of are the series that are open, which are never written to. Series from an archive that are kept only while
// they are open are found again when the user says where they are.
func (w Workspace) WriteProject(path string, overwrite bool, of ...*series.Series) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	w.Open = slices.Clone(w.Open)
	for i := range w.Open {
		s := &w.Open[i]
		*s = s.portable()
		s.Path, s.At = relative(filepath.Dir(path), s.Path)
		s.Reference, s.ReferenceAt = relative(filepath.Dir(path), s.Reference)
		s.Beside.Path, s.Beside.At = relative(filepath.Dir(path), s.Beside.Path)
	}
	data, err := json.MarshalIndent(project{Kind: "project", Schema: projectSchema, Program: job.Version(), Workspace: w}, "", " ")
	if err != nil {
		return err
	}
	return files.Write(files.ProjectOutput, path, append(data, '\n'), overwrite, of...)
}

// portable returns the series without what only this machine or this process knows, and without what the source says of
// itself.
func (s SavedSeries) portable() SavedSeries {
	s.Name, s.Picture, s.Files, s.Base, s.Running = "", nil, "", "", nil
	s.Runs = slices.Clone(s.Runs)
	for i := range s.Runs {
		s.Runs[i].File, s.Runs[i].Source, s.Runs[i].Exports = "", "", nil
		s.Runs[i].Started = s.Runs[i].Started.UTC().Round(0)
	}
	return s
}

// relative returns a path as it stands in a project in dir, and the path itself if the source does not lie below dir: the
// two may be moved apart. A reference to a PACS stands as it is.
func relative(dir, path string) (rel, at string) {
	if path == "" || pacs.IsReference(path) {
		return "", path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil { // on another drive
		return "", path
	}
	if !filepath.IsLocal(rel) {
		at = path
	}
	return filepath.ToSlash(rel), at
}

// ReadProject reads a project. The paths in the result are those of this machine; missing files are told by Missing.
func ReadProject(path string) (Workspace, error) {
	refused := func(problem message.Message) error {
		return &job.InputError{Path: path, Problem: problem, Advice: message.Text("choose a project that Quell has saved")}
	}
	if info, err := os.Stat(path); err != nil {
		return Workspace{}, job.Unreadable(err, path, func(name string) string { return name })
	} else if info.Size() > maxProject || !info.Mode().IsRegular() {
		return Workspace{}, refused(message.New(message.InputForeign, "it is no project of Quell"))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Workspace{}, job.Unreadable(err, path, func(name string) string { return name })
	}
	var head struct {
		Kind   string `json:"quell"`
		Schema int    `json:"schema"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil, head.Kind != "project", head.Schema < 1:
		return Workspace{}, refused(message.New(message.InputForeign, "it is no project of Quell"))
	case head.Schema > projectSchema:
		return Workspace{}, &job.InputError{Path: path, Problem: message.New(message.InputUnsupported, "it was saved by a later version of Quell"), Advice: message.Text("open it with that version")}
	}
	var p project
	if err := json.Unmarshal(data, &p); err != nil || p.check() != nil {
		return Workspace{}, refused(message.New(message.InputDamaged, "what it contains is damaged"))
	}
	if path, err = filepath.Abs(path); err != nil {
		return Workspace{}, err
	}
	for i := range p.Open {
		s := &p.Open[i]
		s.Path, s.At = located(filepath.Dir(path), s.Path, s.At), ""
		s.Reference, s.ReferenceAt = located(filepath.Dir(path), s.Reference, s.ReferenceAt), ""
		s.Beside.Path, s.Beside.At = located(filepath.Dir(path), s.Beside.Path, s.Beside.At), ""
	}
	return p.Workspace, nil
}

// check returns why the work cannot be opened; nil if it can.
func (w Workspace) check() error {
	if len(w.Open) == 0 {
		return message.Errorf(message.NotSaved, "nothing was open")
	}
	var all []error
	for _, s := range w.Open {
		all = append(all, s.Recipe.Validate())
		for _, n := range s.Dims {
			if n < 0 || n > maxSide {
				all = append(all, message.Errorf(message.InputDamaged, "a series has %v voxels", s.Dims))
			}
		}
		for _, r := range s.Runs {
			all = append(all, r.Recipe.Validate(), r.Resolved.Validate())
		}
	}
	return errors.Join(all...)
}

// located returns where a source of a project in dir is: by its relative path, or where it was.
func located(dir, rel, at string) string {
	if rel == "" {
		return at
	}
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if at != "" && !files.Exists(path) && files.Exists(at) {
		return at
	}
	return path
}

// Source is a file or folder that a workspace was read from.
type Source struct {
	Path string
	at   *string // where it stands in the workspace
}

// Missing returns the sources that are not there. It looks at the files, and asks no PACS.
func (w Workspace) Missing() (all []Source) {
	for i := range w.Open {
		for _, at := range []*string{&w.Open[i].Path, &w.Open[i].Reference, &w.Open[i].Beside.Path} {
			if *at == "" || pacs.IsReference(*at) {
				continue
			}
			if _, err := os.Stat(*at); errors.Is(err, fs.ErrNotExist) {
				all = append(all, Source{*at, at})
			}
		}
	}
	return all
}

// Locate gives a source the path where it is now. Other sources that moved along with it, see Missing, are found by
// the part of the path that changed.
func (w Workspace) Locate(s Source, path string) {
	old, now := s.Path, path
	*s.at = path
	for filepath.Base(old) == filepath.Base(now) && filepath.Dir(old) != old && filepath.Dir(now) != now {
		old, now = filepath.Dir(old), filepath.Dir(now)
		for _, other := range w.Missing() {
			rel, err := filepath.Rel(old, other.Path)
			if moved := filepath.Join(now, rel); err == nil && filepath.IsLocal(rel) && files.Exists(moved) {
				*other.at = moved
			}
		}
	}
}

// SameWork says whether two workspaces are the same but for how they are shown, and for what is found again from the
// files.
func SameWork(a, b Workspace) bool { return bytes.Equal(a.essence(), b.essence()) }

func (w Workspace) essence() []byte {
	all := make([]SavedSeries, len(w.Open))
	for i, s := range w.Open {
		all[i] = s.portable()
		all[i].View, all[i].Voxels, all[i].Images = nil, "", ""
	}
	data, _ := json.Marshal(all)
	return data
}
