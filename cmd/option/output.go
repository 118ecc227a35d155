package option

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/app/job"
	"quell/io/dicom"
	"quell/io/raster"
)

// AddOutputFlags adds the flags that all commands with an output have.
func AddOutputFlags(cmd *cobra.Command, o *job.Options) {
	flags := cmd.Flags()
	AddName(cmd, &o.Dtype, "dtype", "data type", raster.Datatypes(), "voxel `type` of NIfTI, Analyze, NRRD and MetaImage output: "+strings.Join(raster.Datatypes(), ", ")+"; float32 if not given")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "replace OUT although Quell did not write it; earlier outputs of Quell are replaced in any case")
}

// AddAttach adds the flag for the DICOM objects about a result.
func AddAttach(cmd *cobra.Command, attach *[]string) {
	cmd.Flags().StringSliceVar(attach, "attach", nil, "attach to a result that is DICOM, as series of its study, `what`: "+strings.Join(job.Attachments(), ",")+": parametric maps of what was removed and of the noise (sigma), and a structured report of noise, verdict and contrast kept, for which the result is judged")
}

// AddUneven adds the flag for slices that are unevenly spaced or missing.
func AddUneven(cmd *cobra.Command, uneven *string, words string) {
	f := AddName(cmd, uneven, "uneven", "", []string{job.UnevenSplit, job.UnevenResample, job.UnevenResample + "=MM"}, words+"where slices are unevenly spaced or missing: `resample` interpolates them at the usual distance, resample=MM at that one; they then have positions of their own, which the JSON and the record state")
	f.rest = "=" // resample=MM
}

// Compress is --compress: alone it means the default, as --compress=NAME
// another compression. true and false are accepted too, as for a switch.
type Compress struct{ dicom.Compression }

// AddTo adds the flag to a command.
func (f *Compress) AddTo(cmd *cobra.Command) {
	flag := cmd.Flags().VarPF(f, "compress", "", fmt.Sprintf("lossless compression of DICOM output, by `name`: %s, %s or %s",
		dicom.JPEGLossless, dicom.RLE, dicom.Uncompressed))
	flag.NoOptDefVal = string(job.DefaultCompression)
}

func (f *Compress) String() string { return string(f.Compression) }

// Type implements pflag.Value.
func (f *Compress) Type() string { return "name" }

// Set implements pflag.Value.
func (f *Compress) Set(s string) error {
	switch s {
	case "true":
		s = string(job.DefaultCompression)
	case "false":
		s = string(dicom.Uncompressed)
	}
	var names []string
	for _, c := range dicom.Compressions() {
		names = append(names, string(c))
	}
	named := Name{Value: (*string)(&f.Compression), Kind: "compression", Names: names}
	return named.Set(s)
}

// What the process takes besides the memory that the Go runtime counts, and the least of that which a limit leaves.
const (
	codeMemory  = 32e6
	leastMemory = 64e6
)

// AddMemory adds --memory, "how much memory" of what may be taken. Garbage is collected as it demands; limit stays 0 if
// it is not given.
func AddMemory(cmd *cobra.Command, limit *int64, of string) {
	cmd.Flags().Func("memory", "how much memory "+of+"; three quarters of the machine's if not given", func(text string) (err error) {
		if *limit, err = job.ParseSize(text); err == nil {
			debug.SetMemoryLimit(max(*limit-codeMemory, leastMemory))
		}
		return err
	})
}

// VolumeMemory is AddMemory for volumes if that is done.
func VolumeMemory(cmd *cobra.Command, limit *int64, done string) {
	AddMemory(cmd, limit, "the process may take, about: a `size` like 8GB; a volume that needs more is "+done+" slab by slab")
}

// JSONHelp is the help of --json, which every command has.
const JSONHelp = "print one JSON object"

// Output is a flag that names an output. Every output is one of this type, or an
// argument in ArgumentsOf, and so passes the gate before a command runs.
type Output struct {
	Path *string
	Kind *files.Kind
}

func (f Output) String() string { return *f.Path }

// Type implements pflag.Value.
func (f Output) Type() string { return "output" }

// Set implements pflag.Value.
func (f Output) Set(path string) error { *f.Path = path; return nil }

// AddOutput adds a flag that names an output.
func AddOutput(flags *pflag.FlagSet, path *string, name string, kind *files.Kind, usage string) {
	flags.Var(Output{path, kind}, name, usage)
}

// Input is a flag that names a file that is read.
type Input struct {
	Path   *string
	Ending string // that completion offers; "" for all files
	Pipe   bool   // it may be a pipe
}

func (f Input) String() string { return *f.Path }

// Type implements pflag.Value.
func (f Input) Type() string { return "input" }

// Set implements pflag.Value.
func (f Input) Set(path string) error { *f.Path = path; return nil }

// AddInput adds a flag that names a file that is read, or says auto.
func AddInput(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path}, name, usage)
}

// AddPipe is AddInput of a file that may be a pipe.
func AddPipe(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path, Pipe: true}, name, usage)
}

// AddRecipe is AddInput of a recipe.
func AddRecipe(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path, Ending: "json"}, name, usage)
}
