package pacs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
)

// Plan lists the instances of a folder to be sent.
type Plan struct {
	Folder  string
	Objects []dicom.Object // in the order of their names
	Others  int            // files that are not sent
}

// PlanSend reads which instances a folder of DICOM would send. It makes no connection. Errors are
// *job.InputError or the context's.
func PlanSend(ctx context.Context, folder string) (Plan, error) {
	p := Plan{Folder: folder}
	here := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	info, err := os.Stat(folder)
	if err != nil {
		return p, job.Unreadable(err, folder, here)
	}
	if !info.IsDir() {
		return p, &job.InputError{Path: folder, Problem: message.New(message.InputForeign, "is not a folder"), Advice: message.Text("give the folder of the exported series")}
	}
	if p.Objects, p.Others, err = dicom.Objects(ctx, os.DirFS(folder)); err != nil {
		return p, job.Unreadable(err, folder, here)
	}
	if len(p.Objects) == 0 {
		return p, &job.InputError{Path: folder, Problem: message.New(message.InputForeign, "it holds no DICOM file"), Advice: message.Text("give the folder of an exported series")}
	}
	names := map[string]string{}
	for _, o := range p.Objects {
		if first, twice := names[o.UID]; twice {
			return p, &job.InputError{Path: here(o.Name), Problem: message.New(message.InputUnsupported, "it has the instance UID of %s", first), Advice: message.Text("move one of them out of the folder")}
		}
		names[o.UID] = o.Name
	}
	return p, nil
}

// Series describes the series of a plan in order: modality and description.
func (p Plan) Series() (texts []string) {
	uids := map[string]bool{}
	for _, o := range p.Objects {
		if uids[o.SeriesUID] {
			continue
		}
		uids[o.SeriesUID] = true
		texts = append(texts, strings.Join(slices.DeleteFunc([]string{o.Modality, o.Description}, func(s string) bool { return s == "" }), ", "))
	}
	return texts
}

// Has reports whether an object of a modality is sent.
func (p Plan) Has(modality string) bool {
	return slices.ContainsFunc(p.Objects, func(o dicom.Object) bool { return o.Modality == modality })
}

// Text describes the plan: "9 files of 1 series: CT, Abdomen [Quell nlm]".
func (p Plan) Text() string {
	series := p.Series()
	return message.Text("%s of %d series: %s", message.Count(len(p.Objects), "file", "files"), len(series), message.Some("; ", message.Names(series)...)).String()
}

// Only returns the plan for the files that a report says are not stored.
func (p Plan) Only(r Report) Plan {
	missing := map[string]bool{}
	for _, f := range r.Files {
		missing[f.Name] = !f.Stored
	}
	p.Objects = slices.DeleteFunc(slices.Clone(p.Objects), func(o dicom.Object) bool { return !missing[o.Name] })
	return p
}
