package laboratory

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/cmd/command"
	"quell/internal/message"
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
