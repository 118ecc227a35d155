package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/output"
)

func newSend() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send --to AETITLE@HOST:PORT FOLDER",
		Short: "Send a folder of DICOM, such as an exported series, to a PACS",
		Long: `Send every DICOM file of a folder to a PACS (C-STORE). The files are sent as they
are, in their own transfer syntax.

The command fails unless the PACS confirmed every file, and names those that it
did not store. --echo asks whether the PACS answers and knows the AE titles, and
sends nothing (C-ECHO).`,
		Example: `  quell send --to PACS@host:104 --echo
  quell send --to PACS@host:2762 --tls --tls-ca hospital.pem quiet/`,
	}
	flags := cmd.Flags()
	var target output.SendTarget
	flags.StringVar(&target.To, "to", "", "the PACS, as `AETITLE@HOST:PORT`")
	flags.StringVar(&target.From, "from", output.DefaultAETitle, "AE `title` of this side, which the PACS may have to know")
	flags.BoolVar(&target.TLS, "tls", false, "connect by TLS")
	addInput(flags, &target.Authority, "tls-ca", "`file` of the certificates (PEM) that --tls trusts; those of the system if not given")
	retry := flags.Int("retry", 0, "send what was not stored again, at most this `number` of times")
	echo := flags.Bool("echo", false, "ask whether the PACS answers, and send nothing")
	asJSON := flags.Bool("json", false, jsonHelp+" with the status of every file")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if *echo {
			return exactly(0, "no FOLDER beside --echo")(cmd, args)
		}
		return exactly(1, "FOLDER")(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if target.To == "" {
			return job.Usagef("--to is missing; give AETITLE@HOST:PORT")
		}
		if *retry < 0 {
			return job.Usagef("--retry %d: give 0 or more", *retry)
		}
		if err := target.Check(); err != nil {
			return err
		}
		if *echo {
			if err := output.Echo(cmd.Context(), target); err != nil {
				return err
			}
			if *asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"target": target.To, "answers": true})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s answers\n", target.To)
			return err
		}
		plan, err := output.PlanSend(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		events, done := eventsOf(cmd)
		report, err := output.Send(cmd.Context(), plan, target, *retry, func(n, total int) {
			if events.Progress != nil {
				events.Progress(job.Sending, int64(n), int64(total))
			}
		})
		done()
		return printSent(cmd, plan, report, *asJSON, err)
	}
	return cmd
}

// printSent prints what became of the files, also if err says that some are not stored.
func printSent(cmd *cobra.Command, plan output.SendPlan, report output.SendReport, asJSON bool, err error) error {
	if asJSON {
		if e := printJSON(cmd.OutOrStdout(), report); e != nil {
			return e
		}
		return err
	}
	for _, f := range report.Files {
		if !f.Status.Same(output.Stored) && (report.Stored > 0 || !f.Status.Same(output.NotSent)) {
			warn(cmd, "warning: %s: %s", f.Name, f.Status)
		}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; stored on %s\n", plan.Text(), report.Target)
	return err
}
