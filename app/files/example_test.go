package files_test

import (
	"fmt"
	"os"
	"path/filepath"

	"quell/app/files"
	"quell/app/job"
)

// An output that would replace the input is refused before anything is read.
func ExampleGate_Check() {
	dir, err := os.MkdirTemp("", "quell")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in.nii")
	if err := os.WriteFile(in, nil, 0o600); err != nil {
		panic(err)
	}
	for _, name := range []string{"out.nii", "in.nii"} {
		err := files.Gate{
			Inputs:  []string{in},
			Outputs: []files.Target{{Option: "OUT", Path: filepath.Join(dir, name), Kind: files.SeriesOutput}},
		}.Check()
		fmt.Println(name, job.ExitCode(err) == job.ExitDone)
	}
	// Output:
	// out.nii true
	// in.nii false
}
