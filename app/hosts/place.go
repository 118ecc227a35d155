package hosts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"quell/app/job"
)

// Place is where a module finds its input and leaves its results.
type Place struct {
	In, Out string
	Host    string // who names the folders: "mercure", "MONAI Deploy", or "" for a person
}

// folders are the variables by which hosts name the two folders, mercure's first: it sets those of MONAI Deploy as well.
var folders = []struct{ host, in, out string }{
	{"mercure", "MERCURE_IN_DIR", "MERCURE_OUT_DIR"},
	{"MONAI Deploy", "MONAI_INPUTPATH", "MONAI_OUTPUTPATH"},
	{"MONAI Deploy", "HOLOSCAN_INPUT_PATH", "HOLOSCAN_OUTPUT_PATH"},
}

// Find returns the place that arguments name, IN and OUT, or else the environment. Errors are *job.UsageError.
func Find(args []string, getenv func(string) string) (Place, error) {
	if len(args) == 2 {
		return Place{In: args[0], Out: args[1]}, nil
	}
	if len(args) != 0 {
		return Place{}, job.Usagef("module takes IN and OUT, or neither if the environment names them")
	}
	for _, f := range folders {
		in, out := getenv(f.in), getenv(f.out)
		switch {
		case in != "" && out != "":
			return Place{In: in, Out: out, Host: f.host}, nil
		case in != "" || out != "":
			return Place{}, job.Usagef("%s names one folder only: %s and %s belong together", f.host, f.in, f.out)
		}
	}
	return Place{}, job.Usagef("where are the images? Give IN and OUT, or set %s and %s", folders[0].in, folders[0].out)
}

// The files of a module in OUT.
const (
	ResultName = "result.json"
	workName   = ".quell-module" // the folder in which series are made
)

// prepare makes OUT ready: it is made if it is missing, may hold nothing but what a failed module left, and is apart from
// IN.
func (p Place) prepare() error {
	in, err := filepath.Abs(p.In)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(p.Out)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(in, out); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return job.Usagef("%s lies inside the input's folder; choose a folder outside it", p.Out)
	}
	if err := os.MkdirAll(p.Out, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.Out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != workName && (name != ResultName || !failedBefore(p.result())) {
			return job.Usagef("%s is not empty: it contains %s; give an empty folder", p.Out, name)
		}
	}
	for _, name := range []string{p.result(), p.work()} {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return os.Mkdir(p.work(), 0o777)
}

func (p Place) result() string { return filepath.Join(p.Out, ResultName) }

func (p Place) work() string { return filepath.Join(p.Out, workName) }

// moved is a file that gets its name in OUT.
type moved struct{ from, to string }

// publish moves files into OUT. If one cannot be moved none stays.
func (p Place) publish(files []moved) (err error) {
	done := 0
	defer func() {
		if err != nil {
			for _, f := range files[:done] {
				err = errors.Join(err, os.Remove(f.to))
			}
		}
	}()
	for _, f := range files {
		if _, err := os.Lstat(f.to); !errors.Is(err, fs.ErrNotExist) {
			return job.Usagef("%s is there already", f.to)
		}
		if err := os.Rename(f.from, f.to); err != nil {
			return err
		}
		done++
	}
	return nil
}
