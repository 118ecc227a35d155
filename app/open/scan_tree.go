package open

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/format"
	"quell/series"
)

// scanTree scans everything below a root: the DICOM files, or if there are none the
// files of one image.
func scanTree(ctx context.Context, fsys fs.FS, path string, locate func(string) string) (*Catalog, error) {
	c, err := scanFolders(ctx, fsys, nil, path, locate)
	if !errors.Is(err, format.ErrNoImages) {
		return c, err
	}
	images, listErr := listImageFiles(ctx, fsys)
	if listErr != nil {
		return nil, job.Unreadable(listErr, path, locate)
	}
	all := &Catalog{Path: path, Findings: images.findings}
	for _, name := range images.names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, err := formatIn(fsys, name)
		if err != nil {
			all.Findings = append(all.Findings, unreadable(name, message.Text("%s.", err)))
			continue
		}
		one, err := scanBy(ctx, f, fsys, []string{name}, locate(name), locate)
		if err != nil {
			all.Findings = append(all.Findings, unreadable(name, message.Text("%s.", err)))
			continue
		}
		all.Entries = append(all.Entries, one.Entries...)
	}
	if len(all.Entries) == 0 {
		problem, advice := message.New(message.InputForeign, "has no %s image", files.AllNames()), message.Text("choose the folder that contains a series")
		if len(all.Findings) > 0 {
			return nil, &job.InputError{Path: path, Problem: message.Text("%s that can be read: %s", problem, all.Findings[0].Text.Clause()), Err: err}
		}
		if images.packed == "" && errors.Is(err, format.ErrOthers) {
			return nil, err
		}
		if images.packed != "" {
			problem = message.Text("%s beside packed files (%s), which are not opened inside of it", problem, images.packed)
			advice = message.Text("unpack all and open their folder")
		}
		return nil, &job.InputError{Path: path, Problem: problem, Advice: advice, Err: err}
	}
	all.Default = largest(all.Entries, "")
	return all, nil
}

// imageFiles are the files of a tree that are named like one image.
type imageFiles struct {
	names    []string
	findings []series.Finding // folders and links that cannot be read
	packed   string           // the first archive or compressed file of another format
}

// listImageFiles lists the files of one image below the root of fsys. Symbolic
// links to files are followed, as git-annex, DataLad and BIDS derivatives
// consist of them; links to folders are not, as in a scan for DICOM.
func listImageFiles(ctx context.Context, fsys fs.FS) (imageFiles, error) {
	var out imageFiles
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil:
			out.findings = append(out.findings, unreadable(name, message.Text("The folder %s cannot be read (%s).", name, cause(err))))
			return fs.SkipDir
		case d.IsDir() && atomic.IsStage(d.Name()): // of an export that is running or was killed
			return fs.SkipDir
		case d.Type()&^fs.ModeSymlink != 0: // a folder, pipe or device
			return nil
		case !files.IsImageFile(name): // the .hdr stands for its pair
			if isPacked(name) && out.packed == "" {
				out.packed = name
			}
			return nil
		}
		if d.Type() == fs.ModeSymlink {
			info, err := fs.Stat(fsys, name)
			if err != nil {
				out.findings = append(out.findings, unreadable(name,
					message.Text("%s is a link to a file that cannot be opened (%s); fetch the file, or copy it here.", name, cause(err))))
				return nil
			}
			if !info.Mode().IsRegular() {
				return nil
			}
		}
		out.names = append(out.names, name)
		return nil
	})
	return out, err
}

// unreadable returns the finding about a file or folder that cannot be read.
func unreadable(name string, text message.Message) series.Finding {
	return series.Finding{Severity: series.Refused, Kind: series.Unreadable, Text: text, Files: []string{name}}
}

// cause returns the reason of a file system error without its path.
func cause(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return file.Err
	}
	return err
}

// isPacked reports whether a name is the name of an archive or a compressed file.
func isPacked(name string) bool {
	return slices.Contains([]string{".gz", ".tgz", ".zip", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst"}, strings.ToLower(path.Ext(name)))
}

// scanFolders scans named files, nil for all, by the formats with series of many files.
func scanFolders(ctx context.Context, fsys fs.FS, names []string, path string, locate func(string) string) (c *Catalog, err error) {
	for _, f := range files.Formats {
		if f.Inputs == nil {
			if c, err = scanBy(ctx, f, fsys, names, path, locate); !errors.Is(err, format.ErrNoImages) {
				return c, err
			}
		}
	}
	return nil, err
}

// scanBy scans named files by their format. Errors are as of Scan.
func scanBy(ctx context.Context, f *files.Format, fsys fs.FS, names []string, path string, locate func(string) string) (*Catalog, error) {
	found, err := f.Scan(ctx, fsys, names)
	if err != nil {
		return nil, job.Unreadable(err, path, locate)
	}
	return catalogOf(found, path, locate), nil
}

// catalogOf makes the catalog of the entries of a format.
func catalogOf(found *format.Found, path string, locate func(string) string) *Catalog {
	c := &Catalog{Path: path, Findings: found.Findings, Default: found.Default}
	if found.WithoutDamaged != nil {
		c.withoutDamaged = func() *Catalog {
			if rest := found.WithoutDamaged(); rest != nil {
				return catalogOf(rest, path, locate)
			}
			return nil
		}
	}
	for _, e := range found.Entries {
		e.Err, e.Volume = job.Unreadable(e.Err, path, locate), worded{e.Volume, path, locate}
		c.Entries = append(c.Entries, Entry(e))
	}
	return c
}

// formatIn returns the format of a file that is named like one image, by its content, or by its name
// if that says nothing: the reader then names the fault.
func formatIn(fsys fs.FS, name string) (*files.Format, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer file.Close()
	head, err := files.ReadHead(file)
	if err != nil {
		return nil, cause(err)
	}
	if f, _ := files.FormatBy(head, nil, name); f != nil {
		return f, nil
	}
	return files.FormatOfInput(name), nil
}
