package cohorts

import (
	"cmp"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"quell/app/batch"
	"quell/app/batch/queue"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Worker is quell worker.
func Worker() command.Command {
	var n natsFlags
	var o queue.WorkerOptions
	var metrics string
	var child bool
	c := command.Command{
		Name:  "worker --nats URL",
		Short: "Do the series of quell batch --nats",
		Long: `Take series from a NATS JetStream server (version ` + queue.LeastServer + ` or later), where quell batch
--nats lists them, and filter them. Workers read and write by the paths that quell batch
was given, so they share its file system. Any number may run; one that ends loses
nothing, as its series go to another after a minute.

A worker ends on SIGTERM, after it has given back what it has in work, or with --drain
when no batch is left. QUELL_NATS_TOKEN holds a token of the server, if it asks for one.`,
		Example: `  quell worker --nats nats://head:4222 --drain
  CUDA_VISIBLE_DEVICES=1 quell worker --nats nats://head:4222`,
		JSON: " with the number of series that this worker did",
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		n.addTo(cmd)
		flags.IntVar(&o.Workers, "workers", 0, "`N` series are in work at once: one is filtered while others are read and written; 3 if not given")
		option.AddMemory(cmd, &o.Memory, "they may take together, about: a `size` like 8GB")
		flags.BoolVar(&o.Drain, "drain", false, "end when no batch is left")
		flags.StringVar(&metrics, "metrics", "", metricsHelp)
		flags.BoolVar(&child, "child", false, "take series from standard input, see queue.Children")
		_ = flags.MarkHidden("child") // exists
	}
	c.Run = func(cmd *cobra.Command, args []string) (err error) {
		if n.url == "" && !child {
			return job.Usagef("which server? Give --nats URL")
		}
		if cmd.Flags().Changed("workers") && o.Workers < 1 {
			return job.Usagef("--workers %d: give 1 or more", o.Workers)
		}
		ended := map[batch.SeriesState]int{batch.Done: 0, batch.Failed: 0, batch.Duplicate: 0}
		events, stop, err := withMetrics(metrics, batch.Events{Result: func(r batch.SeriesResult) { ended[r.State]++ }})
		if err != nil {
			return err
		}
		defer stop()
		o.Timing = queue.Usual
		if child {
			signal.Ignore(syscall.SIGPIPE) // what is in work is given back if the parent has ended
			return queue.WorkForParent(cmd.Context(), os.Stdin, os.Stdout, o, events)
		}
		nc, err := n.connect()
		if err != nil {
			return err
		}
		defer nc.Close()
		err = queue.Work(cmd.Context(), nc, o, events)
		if command.JSON(cmd) {
			return cmp.Or(err, command.PrintJSON(cmd.OutOrStdout(), map[string]any{"series": ended}))
		}
		return err
	}
	return c
}
