package batch

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/app/journal"
	"quell/app/open"
	"quell/internal/message"
)

// Unit is a part of the inputs that is scanned in one go: a file, or the DICOM files directly in a folder.
type Unit struct {
	Name   string `json:"name"` // relative to the root of the inputs, with slashes; identifies the unit
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
	Bytes  int64  `json:"bytes"`            // of its files
	Series *int   `json:"series,omitempty"` // the only one that is filtered, by its index in the catalog; names and lists count from 1
	Output string `json:"output,omitempty"` // relative to the output; "" is named after the unit and the series

	// Of a batch that is de-identified Name is a pseudonym, and Given what it stands for. In a queue
	// Sealed holds Given and Path, which are then empty.
	Given  string `json:"given,omitempty"`
	Sealed string `json:"sealed,omitempty"`
}

// List finds the units of inputs, by name: files, folders with everything below them, glob
// patterns of both, and lists (.csv). Hidden files and folders, and what lies below except,
// are left out; of a BIDS dataset its subjects alone are taken. The error is an
// *job.InputError, an *job.UsageError or the context's.
func List(ctx context.Context, inputs []string, except string) ([]Unit, error) {
	l := lister{except: except}
	var roots []string
	for _, in := range inputs {
		paths, root, err := expand(in)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
		for _, path := range paths {
			if err := l.add(ctx, path); err != nil {
				return nil, err
			}
		}
	}
	if len(l.units) == 0 {
		return nil, &job.InputError{Path: strings.Join(inputs, " "), Problem: message.Text("has no files"), Advice: message.Text("name the folders that contain the series")}
	}
	return l.named(roots)
}

// expand returns the paths that an input stands for, and the folder that names are relative
// to if it is the only input. An input that exists is not a pattern.
func expand(in string) (paths []string, root string, err error) {
	info, err := os.Stat(in)
	switch {
	case err == nil && info.IsDir():
		return []string{in}, in, nil
	case err == nil:
		return []string{in}, filepath.Dir(in), nil
	case !strings.ContainsAny(in, "*?["):
		_, err := open.Scan(context.Background(), in) // words the error
		return nil, "", err
	}
	paths, err = filepath.Glob(in)
	if err != nil {
		return nil, "", job.Usagef("%s: the pattern is malformed; * stands for any part of a name, ? for one character, [ab] for one of several", in)
	}
	if len(paths) == 0 {
		return nil, "", &job.InputError{Path: in, Problem: message.Text("no file or folder has such a name"), Advice: message.Text("check the pattern")}
	}
	for root = in; strings.ContainsAny(root, "*?["); root = filepath.Dir(root) {
	}
	return paths, root, nil
}

// lister collects units.
type lister struct {
	except string
	units  []Unit
}

func (l *lister) add(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case files.SameFile(path, l.except): // that a pattern names too
		return nil
	case err != nil:
		return &job.InputError{Path: path, Problem: message.Text("cannot be read"), Advice: message.Text("check the name"), Err: err}
	case info.IsDir():
		return l.walk(ctx, path)
	case strings.EqualFold(filepath.Ext(path), ".csv"):
		return l.readCSV(ctx, path)
	}
	l.units = append(l.units, Unit{Path: path, Bytes: info.Size()})
	return nil
}

// walk adds everything below a folder.
func (l *lister) walk(ctx context.Context, root string) error {
	bids := files.Exists(filepath.Join(root, "dataset_description.json"))
	folders := map[string]*Unit{}
	var order []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		top := filepath.Dir(path) == filepath.Clean(root)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // the scan of the folder words this error
			order, folders[path] = append(order, path), &Unit{Path: path, Folder: true}
			return fs.SkipDir
		case path == root:
			return nil
		case strings.HasPrefix(name, ".") || files.SameFile(path, l.except) || bids && top && !strings.HasPrefix(name, "sub-"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			index, size, err := mediaIndex(ctx, path)
			if err != nil || index == "" {
				return err
			}
			l.units = append(l.units, Unit{Path: index, Bytes: size})
			return fs.SkipDir
		case d.Type()&^fs.ModeSymlink != 0:
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			return nil // links to folders are not followed, as in a scan
		}
		size := int64(0)
		if err == nil {
			size = info.Size()
		}
		ext := strings.ToLower(filepath.Ext(name))
		switch {
		case files.IsImageFile(name), ext == ".zip":
			l.units = append(l.units, Unit{Path: path, Bytes: size})
		case bids, files.IsVoxels(name), strings.HasSuffix(name, ".recipe.json"):
		default:
			dir := filepath.Dir(path)
			if folders[dir] == nil {
				order, folders[dir] = append(order, dir), &Unit{Path: dir, Folder: true}
			}
			folders[dir].Bytes += size
		}
		return nil
	})
	for _, dir := range order {
		l.units = append(l.units, *folders[dir])
	}
	return err
}

// mediaIndex returns the index in a folder (DICOMDIR) and the bytes below the folder, which is then
// scanned as a whole; "" if there is none.
func mediaIndex(ctx context.Context, dir string) (index string, bytes int64, err error) {
	at := slices.IndexFunc(files.Formats, func(f *files.Format) bool { return f.Index != "" && files.Exists(filepath.Join(dir, f.Index)) })
	if at < 0 {
		return "", 0, nil
	}
	index = filepath.Join(dir, files.Formats[at].Index)
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return ctx.Err()
	})
	return index, bytes, err
}

// readCSV adds the series of a list: the columns path, relative to the list, and if they
// are there series, the number in quell info, and output, relative to the output.
func (l *lister) readCSV(ctx context.Context, path string) error {
	refuse := func(line int, problem string) error {
		return &job.InputError{Path: path, Problem: message.Text("line %d %s", line, problem), Advice: message.Text("the first line names the columns: path, and where needed series and output")}
	}
	file, err := os.Open(path)
	if err != nil {
		return &job.InputError{Path: path, Problem: message.Text("cannot be read"), Advice: message.Text("check its permissions"), Err: err}
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err != nil {
		return refuse(1, "cannot be read as CSV")
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	if !slices.Contains(header, "path") {
		return refuse(1, "names no column path")
	}
	for line := 2; ; line++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse(line, "cannot be read as CSV")
		}
		row := map[string]string{}
		for i, name := range header {
			row[name] = fields[i]
		}
		at := row["path"]
		if at == "" {
			return refuse(line, "has no path")
		}
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(path), at)
		}
		from := len(l.units)
		if !files.Exists(at) {
			l.units = append(l.units, Unit{Path: at}) // a failure row of its own
		} else if err := l.add(ctx, at); err != nil {
			return err
		}
		if err := l.refine(from, row); err != "" {
			return refuse(line, err)
		}
	}
}

// refine applies the other columns of a list to the units of a line.
func (l *lister) refine(from int, row map[string]string) (problem string) {
	if row["series"] == "" && row["output"] == "" {
		return ""
	}
	if len(l.units) != from+1 {
		return "names a series or an output for a path of several files or folders"
	}
	u := &l.units[from]
	if text := row["series"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return "has a series that is no number from 1"
		}
		n--
		u.Series = &n
	}
	if u.Output = filepath.ToSlash(row["output"]); u.Output != "" && !filepath.IsLocal(row["output"]) {
		return "has an output outside of the batch's"
	}
	return ""
}

// named gives units their names, relative to the folder that holds all roots, and sorts them.
func (l *lister) named(roots []string) ([]Unit, error) {
	root, err := filepath.Abs(roots[0])
	if err != nil {
		return nil, err
	}
	paths := slices.Clone(roots)
	for _, u := range l.units {
		paths = append(paths, u.Path)
	}
	for i, path := range paths {
		if paths[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
		for !files.IsBelow(paths[i], root) {
			root = filepath.Dir(root)
		}
	}
	for i := range l.units {
		u := &l.units[i]
		u.Path = paths[len(roots)+i]
		name, err := filepath.Rel(root, u.Path)
		if err != nil {
			return nil, err
		}
		u.Name = filepath.ToSlash(name)
		if u.Series != nil {
			u.Name += "#" + strconv.Itoa(*u.Series+1)
		}
	}
	slices.SortStableFunc(l.units, func(a, b Unit) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(l.units, func(a, b Unit) bool { return a.Name == b.Name }), nil
}

// Source hands out units.
type Source interface {
	// Next waits for a unit. The error is io.EOF if there are no more, or the context's. It is
	// called from one goroutine.
	Next(ctx context.Context) (Delivery, error)
}

// Outcome is how the work on a unit ended.
type Outcome int

// The outcomes.
const (
	Finished  Outcome = iota // every series of the unit has a result
	GivenBack                // the work was cancelled
	Taken                    // another process has the unit by now
)

// Delivery is a unit that was handed out.
type Delivery struct {
	Unit
	Done func(Outcome) // called once, from any goroutine
}

// local is the source of one process: a list.
type local struct{ units []Unit }

// newLocal returns a source of units; units that were begun and not finished come last.
func newLocal(s store, units []Unit) *local {
	l := &local{slices.Clone(units)}
	before := map[string]int{}
	for _, u := range units {
		before[u.Name] = min(journal.Ended(s.attempts(u)), 1)
	}
	slices.SortStableFunc(l.units, func(a, b Unit) int { return before[a.Name] - before[b.Name] })
	return l
}

func (l *local) Next(ctx context.Context) (Delivery, error) {
	if err := ctx.Err(); err != nil {
		return Delivery{}, err
	}
	if len(l.units) == 0 {
		return Delivery{}, io.EOF
	}
	u := l.units[0]
	l.units = l.units[1:]
	return Delivery{u, func(Outcome) {}}, nil
}
