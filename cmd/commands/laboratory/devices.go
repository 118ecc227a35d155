package laboratory

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/app/job"
	"quell/cmd/command"
	"quell/gpu"
	"quell/internal/message"
	"quell/internal/version"
	"quell/io/dicom"
	"quell/kernels"
)

// engineInfo is one engine in the JSON of quell devices.
type engineInfo struct {
	Name      string          `json:"name"`
	Available bool            `json:"available"`
	Device    string          `json:"device,omitempty"`
	Memory    int64           `json:"memory,omitempty"` // bytes
	Cores     int             `json:"cores,omitempty"`
	Why       message.Message `json:"why,omitzero"`   // it is not available
	Code      message.Kind    `json:"code,omitempty"` // of that reason
}

// Devices is quell devices.
func Devices() command.Command {
	c := command.Command{
		Name:  "devices",
		Short: "List the engines and their devices, and why one is not available",
		Example: `  quell devices
  quell devices --json`,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		var list []engineInfo
		for _, e := range engines.All() {
			list = append(list, engineInfo{e.Name, e.Why.IsZero(), e.Info.Device, e.Info.Memory, e.Info.Cores, e.Why, e.Why.Kind()})
		}
		return command.Print(cmd, struct {
			Engines []engineInfo `json:"engines"`
		}{list}, func(tw io.Writer) {
			for _, e := range list {
				if !e.Available {
					fmt.Fprintf(tw, "%s\tnot available: %s\n", e.Name, e.Why)
					continue
				}
				fmt.Fprintf(tw, "%s\t%s, %d cores\n", e.Name, e.Device, e.Cores)
			}
		})
	}
	return c
}

// build describes the program in the JSON of quell version.
type build struct {
	Version  string   `json:"version"`
	Revision string   `json:"revision,omitempty"` // of version control at the build
	Modified bool     `json:"modified,omitempty"` // files were changed since
	Program  string   `json:"program"`            // hash of the executable
	Go       string   `json:"go"`                 // that built the program
	System   string   `json:"system"`
	Kernels  string   `json:"kernels"`          // hash of the CUDA kernels
	Worker   string   `json:"worker,omitempty"` // path of the GPU worker, if there is one
	Codecs   []string `json:"codecs"`           // of compressed DICOM
}

// Version is quell version.
func Version() command.Command {
	c := command.Command{
		Name:  "version",
		Short: "Print the version",
		Long: `Print the version. It names the source: a release, or a revision without changes. A
program of other code, or one that was built without version control, has the word
executable and a hash of its file behind the release. Programs of one version share the work of a batch.`,
		Example: `  quell version
  quell version --json`,
		JSON: " with revision, kernels, GPU worker and codecs",
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		b := build{}
		if command.JSON(cmd) {
			b = build{
				Version: job.Version(), Program: version.Program(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
				Kernels: kernels.Digest(), Codecs: dicom.Codecs(),
			}
			b.Revision, b.Modified = version.Revision()
			b.Worker, _ = gpu.LocateWorker() // quell devices says why there is none
		}
		return command.Print(cmd, b, func(w io.Writer) { fmt.Fprintln(w, "quell version", job.Version()) })
	}
	return c
}
