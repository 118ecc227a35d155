package files

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"quell/app/job"
	"quell/denoise"
	"quell/internal/message"
)

// RecordSuffix makes the record's name from the output's. The record lies
// next to a DICOM folder, not in it: archives import every file of a folder.
const RecordSuffix = ".recipe.json"

// InsideRecord is the name of the record in a folder of DICOM that is written into, such as a
// mount point: what lies beside that may not be kept.
const InsideRecord = "quell" + RecordSuffix

// RecordPath returns the path of the record of an output, which may not exist.
func RecordPath(out string) string {
	if inside := filepath.Join(out, InsideRecord); Exists(inside) {
		return inside
	}
	return filepath.Clean(out) + RecordSuffix
}

// maxRecipe bounds a recipe file: real ones have less than a thousandth.
const maxRecipe = 1 << 20

// LoadRecipe reads a recipe: a bare one, or the record of an output, of which it takes
// the recipe as run, the one that reproduces the output. path may be the folder that holds
// its record. Errors
// are *job.InputError.
func LoadRecipe(path string) (denoise.Recipe, error) {
	refuse := func(problem message.Message, err error) (denoise.Recipe, error) {
		return denoise.Recipe{}, &job.InputError{Path: path, Problem: problem, Advice: message.Text("choose a recipe that Quell wrote"), Err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return denoise.Recipe{}, job.Unreadable(err, path, nil)
	}
	if inside := filepath.Join(path, InsideRecord); info.IsDir() && Exists(inside) {
		return LoadRecipe(inside)
	}
	if info.IsDir() || info.Size() > maxRecipe {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe"), nil)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return denoise.Recipe{}, job.Unreadable(err, path, nil)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe: it is not a JSON object"), err)
	}
	if _, isRecord := fields["quell"]; isRecord {
		inner, ok := fields["recipe"]
		if !ok {
			return refuse(message.New(message.RecipeUnreadable, "is a sidecar without a recipe"), nil)
		}
		data = bytes.Clone(inner)
	}
	r, err := denoise.ParseRecipe(data)
	if err != nil {
		return refuse(message.New(message.RecipeUnreadable, "is not a recipe that can be run: %s", err), err)
	}
	return r, nil
}

// isRecordInside reports whether a file of that name is the record in a folder.
func isRecordInside(out, name string) bool {
	return name == InsideRecord && IsRecord(filepath.Join(out, name))
}

// IsRecord reports whether a file is the record of an output.
func IsRecord(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxRecipe {
		return false
	}
	data, err := os.ReadFile(path)
	var fields map[string]json.RawMessage
	return err == nil && json.Unmarshal(data, &fields) == nil && fields["quell"] != nil
}
