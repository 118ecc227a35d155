package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/app/job"
	"quell/bench/lcd"
)

// newBenchLCD is quell bench fda-lcd.
func newBenchLCD() *cobra.Command {
	var asJSON, quick bool
	engine := "auto"
	o := lcd.Options{Images: 200, Doses: []float64{100, 55, 10}, Seed: 1}
	cmd := &cobra.Command{
		Use:   "fda-lcd",
		Short: "Run the FDA's task of low-contrast detectability with every filter",
		Long: `Scan a cylinder of water with the four inserts of the FDA's low-contrast task at
doses of 100, 55 and 10 %, filter the images slice by slice with every filter, its
values automatic, and look with four model observers: Laguerre-Gauss and dense
difference-of-Gaussians channels, and the non-prewhitening observer without and with
the eye. Prints the noise that is left, the contrast kept, AUC and d' with half their
intervals of 95 %. docs/DETECT.md has the definitions.`,
		Example: "  quell bench fda-lcd --images 200 --json",
		Args:    exactly(0, "no argument"),
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Images, "images", o.Images, "scan `N` images of each kind")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the noise")
	flags.BoolVar(&quick, "quick", false, "the dose of 100 % alone")
	addEngineFlag(cmd, &engine, engineHelp)
	flags.BoolVar(&asJSON, "json", false, jsonHelp)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if o.Images < 10 || o.Images > 2000 {
			return job.Usagef("--images %d: give 10 to 2000", o.Images)
		}
		if quick {
			o.Doses = o.Doses[:1]
		}
		if o.Engine, err = engines.Pick(engine); err != nil {
			return err
		}
		events, done := eventsOf(cmd)
		defer done()
		if events.Progress != nil {
			o.Progress = func(n, total int) {
				events.Progress(job.Step(fmt.Sprintf("%d of %d", n, total)), int64(n), int64(total))
			}
		}
		r, err := lcd.Run(cmd.Context(), o)
		done()
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), r)
		}
		return r.WriteText(cmd.OutOrStdout())
	}
	return cmd
}
