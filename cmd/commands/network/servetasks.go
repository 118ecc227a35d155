package network

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/serve"
	"quell/cmd/command"
	"quell/internal/clean"
)

func newServeStatus() command.Command {
	c := command.Command{
		Name:  "status SETTINGS",
		Short: "List what a node has received, and how far its results have come",
		Long: `List the series that a node has received, the latest first, and how far each result has
come: waiting for the filter, filtered, committing, sent or failed; how many attempts
have failed, why, and when the next one is. A series is a hash, as in the audit log. The
node may run meanwhile or not.`,
		Example: `  quell serve status node.json`,
		Inputs:  command.Leading,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		settings, err := serve.ReadSettings(args[0])
		if err != nil {
			return err
		}
		status, err := serve.ReadStatus(settings)
		if err != nil {
			return err
		}
		return command.Print(cmd, status, func(w io.Writer) { printTasks(w, status) })
	}
	return c
}

// printTasks prints a line for every result, or for a series without one.
func printTasks(tw io.Writer, s serve.Status) {
	fmt.Fprintln(tw, "TASK\tSERIES\tIMAGES\tSTATE\tRULE\tTO\tFAILED ATTEMPTS\tNEXT\tPROBLEM")
	for _, t := range s.Latest {
		if len(t.Parts) == 0 {
			fmt.Fprintf(tw, "%d\t%s\t%d\t%s\t\t\t\t\t%s\n", t.Number, t.Series, t.Instances, t.State, t.Problem)
		}
		for _, p := range t.Parts {
			next, state := "", p.State
			if !p.Next.IsZero() {
				next = p.Next.Local().Format(time.DateTime)
			}
			if t.State == serve.Superseded {
				state, next = t.State, ""
			}
			fmt.Fprintf(tw, "%d\t%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\n", t.Number, t.Series, t.Instances, state, clean.Line(p.Rule), clean.Line(p.To), p.Attempts, next, cmp.Or(p.Problem, t.Problem))
		}
	}
	fmt.Fprintf(tw, "%.3g of %.3g GB are used\n", float64(s.UsedBytes)/1e9, float64(s.Quota)/1e9)
}

func newServeRetry() command.Command {
	c := command.Command{
		Name:  "retry SETTINGS [TASK...]",
		Short: "Take up tasks of a node again that have failed or that no rule took",
		Long: `Take up tasks of a node again that have failed, or that no rule took, by their numbers as
quell serve status lists them, or all of them. A result that is there is sent; else the
series is filtered, by the rules that the node has now. The node that runs begins within
a second; otherwise the next run does. Images that were removed have to be sent again.`,
		Example: `  quell serve retry node.json
  quell serve retry node.json 12 13`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Exactly(1, "SETTINGS, and numbers of tasks")(cmd, args)
			}
			return nil
		},
		Inputs: command.Leading,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		settings, err := serve.ReadSettings(args[0])
		if err != nil {
			return err
		}
		var numbers []int
		for _, text := range args[1:] {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return job.Usagef("%q is no number of a task; quell serve status lists them", text)
			}
			numbers = append(numbers, n)
		}
		taken, err := serve.Retry(settings, numbers...)
		if err != nil {
			return err
		}
		text := "no task has failed or is unmatched"
		if len(taken) > 0 {
			text = "taken up again: " + strings.Trim(fmt.Sprint(taken), "[]")
		}
		return command.Tell(cmd, map[string]any{"tasks": append([]int{}, taken...)}, "%s", text)
	}
	return c
}
