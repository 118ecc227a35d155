package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"quell/app/job"
	"quell/gpu"
	"quell/io/atomic"
)

// shapesFile holds the launch shapes that quell bench --tune found, of all devices.
type shapesFile struct {
	Version int               `json:"version"`
	Tuned   []gpu.TunedShapes `json:"tuned"`
}

// shapesVersion is the version of the file's format.
const shapesVersion = 1

// ShapesPath returns the path of launch shapes: quell/launch-shapes.json in the user's
// cache folder.
func ShapesPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("launch shapes cannot be kept: %w", err)
	}
	return filepath.Join(dir, "quell", "launch-shapes.json"), nil
}

// readShapes reads the file at path. ignored says why it holds nothing, "" if it is
// missing.
func readShapes(path string) (tuned []gpu.TunedShapes, ignored string) {
	data, err := os.ReadFile(path)
	var f shapesFile
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, "unreadable"
	case json.Unmarshal(data, &f) != nil:
		return nil, "damaged"
	case f.Version != shapesVersion:
		return nil, "of another version"
	}
	return f.Tuned, ""
}

// SaveShapes adds t to the file at path, in place of what it holds for the device with
// that driver. A file that cannot be used is replaced.
func SaveShapes(path string, t gpu.TunedShapes) error {
	all, _ := readShapes(path)
	all = slices.DeleteFunc(all, func(other gpu.TunedShapes) bool { return other.Device == t.Device && other.Driver == t.Driver })
	data, err := json.MarshalIndent(shapesFile{Version: shapesVersion, Tuned: append(all, t)}, "", "\t")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = atomic.WriteFile(path, append(data, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("the launch shapes cannot be kept: %w", err)
	}
	return nil
}

// startGPU starts the engine of the GPU with the launch shapes at path. What cannot be
// used of them is logged; the usual shapes compute the same.
func startGPU(o gpu.Options, path string) (*gpu.Engine, error) {
	warn := func(why string) { job.Logger.Load().Warn("launch shapes are ignored", slog.String("they are", why)) }
	tuned, ignored := readShapes(path)
	if ignored != "" {
		warn(ignored)
	}
	o.Tuned = tuned
	e, err := gpu.New(context.Background(), o)
	if err != nil {
		return nil, err
	}
	if e.Status().Outdated {
		warn("of another driver or of other kernels")
	}
	return e, nil
}
