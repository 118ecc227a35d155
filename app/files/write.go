package files

import (
	"encoding/json"
	"io"

	"quell/denoise"
	"quell/io/atomic"
	"quell/series"
)

// Check is Gate.Check for one file of a kind that is written while the series of are open,
// which are its inputs.
func Check(kind *Kind, path string, overwrite bool, of ...*series.Series) error {
	var inputs []string
	for _, s := range of {
		if s != nil {
			inputs = append(inputs, SourcesOf(s)...)
		}
	}
	return Gate{Inputs: inputs, Outputs: []Target{{kind.Name, path, kind}}, Overwrite: overwrite}.Check()
}

// Write writes a file, whole or not at all, if Check permits it.
func Write(kind *Kind, path string, data []byte, overwrite bool, of ...*series.Series) error {
	if err := Check(kind, path, overwrite, of...); err != nil {
		return err
	}
	return atomic.WriteFile(path, data, 0o666)
}

// WriteStream is Write with the data that write writes.
func WriteStream(kind *Kind, path string, overwrite bool, write func(io.Writer) error, of ...*series.Series) error {
	if err := Check(kind, path, overwrite, of...); err != nil {
		return err
	}
	return atomic.WriteStream(path, 0o666, write)
}

// CheckOf returns Check for a kind and the series that are open.
func CheckOf(kind *Kind, of ...*series.Series) func(path string, overwrite bool) error {
	return func(path string, overwrite bool) error { return Check(kind, path, overwrite, of...) }
}

// WriteRecipe writes a recipe to a file that LoadRecipe reads. A file that is no
// recipe is replaced only with overwrite.
func WriteRecipe(path string, r denoise.Recipe, overwrite bool) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return Write(RecipeOutput, path, append(data, '\n'), overwrite)
}
