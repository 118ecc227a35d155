package open

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"path"
	"slices"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// scanTree scans everything below a root: the DICOM files, or if there are none the
// files of one image.
func scanTree(ctx context.Context, fsys fs.FS, path string, locate func(string) string) (*Catalog, error) {
	c, err := scanDICOM(ctx, fsys, nil, path, locate)
	if err == nil || !errors.Is(err, dicom.ErrNoImages) {
		return c, err
	}
	files, listErr := listImageFiles(ctx, fsys)
	if listErr != nil {
		return nil, job.Unreadable(listErr, path, locate)
	}
	all := &Catalog{Path: path, Findings: files.findings}
	for _, name := range files.names {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, err := formatIn(fsys, name)
		if err != nil {
			all.Findings = append(all.Findings, unreadable(name, message.Text("%s.", err)))
			continue
		}
		one, err := scanFile(f, fsys, name, locate(name), locate)
		if err != nil {
			all.Findings = append(all.Findings, unreadable(name, message.Text("%s.", err)))
			continue
		}
		all.Entries = append(all.Entries, one.Entries...)
	}
	if len(all.Entries) == 0 {
		problem, advice := message.New(message.InputForeign, "holds no DICOM, NIfTI, Analyze, NRRD or MetaImage image"), message.Text("choose the folder that holds a series")
		if len(all.Findings) > 0 {
			return nil, &job.InputError{Path: path, Problem: message.Text("%s that can be read: %s", problem, all.Findings[0].Text.Clause()), Err: err}
		}
		if files.packed != "" {
			problem = message.Text("%s beside packed files (%s), which are not opened inside of it", problem, files.packed)
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

// listNIfTI lists the files of one image below the root of fsys. Symbolic
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

func scanDICOM(ctx context.Context, fsys fs.FS, names []string, path string, locate func(string) string) (*Catalog, error) {
	found, err := dicom.Scan(ctx, fsys, names)
	if err != nil {
		return nil, job.Unreadable(err, path, locate)
	}
	return dicomCatalog(found, path, locate), nil
}

// dicomCatalog makes the entries of a DICOM catalog.
func dicomCatalog(found *dicom.Catalog, path string, locate func(string) string) *Catalog {
	c := &Catalog{Path: path, Findings: found.Findings, Default: found.Default}
	c.withoutDamaged = func() *Catalog {
		if rest := found.WithoutDamaged(); rest != nil {
			return dicomCatalog(rest, path, locate)
		}
		return nil
	}
	for i, e := range found.Entries {
		c.Entries = append(c.Entries, Entry{
			Meta: e.Meta, Part: e.Part, Group: e.Group, GroupIndex: e.GroupIndex, Geometry: e.Geometry, Slices: e.Slices, Bytes: e.Bytes, Findings: e.Findings,
			Err: job.Unreadable(e.Err, path, locate),
			load: func(ctx context.Context, progress func(done, total int)) (*series.Series, error) {
				s, err := found.Load(ctx, i, progress)
				return s, job.Unreadable(err, path, locate)
			},
			ReadSlices: func(context.Context) (*sliceReader, error) {
				r, err := found.OpenSlices(i)
				worded := func(err error) error { return job.Unreadable(err, path, locate) }
				return &sliceReader{Slices: r, worded: worded}, worded(err)
			},
			thumbnail: func(ctx context.Context, side int) (*image.Gray, error) {
				return found.Thumbnail(ctx, i, side)
			},
			attribute: func(ctx context.Context, keyword string) ([]string, error) {
				values, err := found.Attribute(ctx, i, keyword)
				return values, job.Unreadable(err, path, locate)
			},
			identity: func() string { return found.Identity(i) },
			Files:    func() []string { return located(found.FilesOf(i), locate) },
			damaged:  e.Damaged,
		})
	}
	return c
}

// scanFile makes an entry for every volume of one file and, if voxels have several
// components, for every component of it.
func scanFile(f *files.Format, fsys fs.FS, name, path string, locate func(string) string) (*Catalog, error) {
	info, err := f.Opener.ReadHeader(fsys, name)
	if err != nil {
		return nil, job.Unreadable(err, path, locate)
	}
	components := info.Components
	if len(components) == 0 {
		components = []raster.Component{""}
	}
	c := &Catalog{Path: path}
	for _, component := range components {
		group, found := groupOfFile(fsys, name, info, f)
		findings := slices.Concat(info.Findings, found)
		sequence := func() *raster.Sequence { return f.Opener.NewSequence(fsys, name, component) }
		for t := range info.Volumes {
			read := func(ctx context.Context, from *raster.Sequence, progress func(done, total int)) (*series.Series, error) {
				s, err := from.Read(ctx, t)
				if err != nil {
					return nil, job.Unreadable(err, path, locate)
				}
				if progress != nil {
					progress(info.Geometry.Dims[2], info.Geometry.Dims[2])
				}
				return s, nil
			}
			e := Entry{
				Meta: info.Meta, Component: string(component), Group: group, GroupIndex: t, Geometry: info.Geometry, Slices: info.Geometry.Dims[2],
				Bytes: info.Bytes / int64(info.Volumes), Datatype: info.Datatype, Findings: findings,
				load: func(ctx context.Context, progress func(done, total int)) (*series.Series, error) {
					own := sequence()
					defer own.Close()
					own.Progress = progress
					return read(ctx, own, progress)
				},
				sequence: sequence, inSequence: read,
				ReadSlices: func(ctx context.Context) (*sliceReader, error) {
					r, err := f.Opener.OpenSlices(ctx, fsys, name, t, component)
					worded := func(err error) error { return job.Unreadable(err, path, locate) }
					return &sliceReader{Slices: r, worded: worded}, worded(err)
				},
				Files: func() []string { return located(info.Files, locate) },
			}
			if info.Direct {
				e.thumbnail = func(ctx context.Context, side int) (*image.Gray, error) {
					slice, err := f.Opener.ReadSlice(ctx, fsys, name, t, component, info.Geometry.Dims[2]/2)
					if err != nil {
						return nil, job.Unreadable(err, path, locate)
					}
					return Thumbnail(&series.Series{Meta: info.Meta, Volume: slice}, side), nil
				}
			} else {
				e.loadShowing = func(ctx context.Context, show func(done, total int, slice *volume.Volume)) (*series.Series, error) {
					own := sequence()
					defer own.Close()
					own.Arrived = func(z int, slice *volume.Volume) { show(z+1, info.Geometry.Dims[2], slice) }
					return read(ctx, own, nil)
				}
			}
			var part []string
			if component != "" {
				part = append(part, e.Component)
			}
			if info.Volumes > 1 {
				part = append(part, fmt.Sprintf("volume %d of %d", t+1, info.Volumes))
			}
			e.Part = strings.Join(part, ", ")
			c.Entries = append(c.Entries, e)
		}
	}
	return c, nil
}

// formatIn returns the format of a file that is named like one image, by its content, or by its name
// if that says nothing: the reader then names what is wrong.
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
	if f := files.FormatBy(head, name); f != nil {
		return f, nil
	}
	for _, f := range files.Formats {
		if in, _ := f.Input(name); in != "" && f.Opener != nil {
			return f, nil
		}
	}
	return files.FormatNamed("NIfTI"), nil
}
