package network

import (
	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/pacs"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Send is quell send.
func Send() command.Command {
	var target pacs.Place
	retry, echo := new(int), new(bool)
	c := command.Command{
		Name:  "send --to AETITLE@HOST:PORT FOLDER",
		Short: "Send a folder of DICOM, such as an exported series, to a PACS",
		Long: `Send every DICOM file of a folder to a PACS (C-STORE). The files are sent as they
are, in their own transfer syntax.

The command fails unless the PACS confirmed every file, and names those that it
did not store. --echo asks whether the PACS answers and knows the AE titles, and
sends nothing (C-ECHO).`,
		Example: `  quell send --to PACS@host:104 --echo
  quell send --to PACS@host:2762 --tls --tls-ca hospital.pem denoised/`,
		JSON:   " with the status of every file",
		Inputs: command.Every,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.StringVar(&target.To, "to", "", "the PACS, as `AETITLE@HOST:PORT`")
		addNetworkFlags(cmd, &target)
		flags.IntVar(retry, "retry", 0, "send what was not stored again, at most this `number` of times")
		flags.BoolVar(echo, "echo", false, "ask whether the PACS answers, and send nothing")
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if *echo {
				return command.Exactly(0, "no FOLDER beside --echo")(cmd, args)
			}
			return command.Exactly(1, "FOLDER")(cmd, args)
		}
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		if target.To == "" {
			return job.Usagef("--to is missing; give AETITLE@HOST:PORT")
		}
		if err := target.Check(); err != nil {
			return err
		}
		if *echo {
			return askEcho(cmd, target)
		}
		return sendFolder(cmd, target, args[0], *retry)
	}
	return c
}

// addNetworkFlags adds how a node of the DICOM network is reached.
func addNetworkFlags(cmd *cobra.Command, p *pacs.Place) {
	flags := cmd.Flags()
	flags.StringVar(&p.From, "from", "", "AE `title` of this side, which the PACS may have to know; "+pacs.DefaultAETitle+" if not given")
	flags.BoolVar(&p.TLS, "tls", false, "connect to AETITLE@HOST:PORT by TLS")
	option.AddInput(flags, &p.Authority, "tls-ca", "`file` of the certificates (PEM) that TLS trusts; those of the system if not given")
}

// askEcho asks a place whether it answers.
func askEcho(cmd *cobra.Command, p pacs.Place) error {
	if err := pacs.Echo(cmd.Context(), p); err != nil {
		return err
	}
	return command.Tell(cmd, map[string]any{"target": p.String(), "answers": true}, "%s answers", p)
}

// sendFolder sends the DICOM files of a folder to a place and prints what became of them.
func sendFolder(cmd *cobra.Command, p pacs.Place, folder string, retry int) error {
	if retry < 0 {
		return job.Usagef("--retry %d: give 0 or more", retry)
	}
	plan, err := pacs.PlanSend(cmd.Context(), folder)
	if err != nil {
		return err
	}
	events, done := command.EventsOf(cmd)
	report, err := pacs.Send(cmd.Context(), plan, p, retry, events.Count(job.Sending))
	done()
	return command.PrintSent(cmd, plan, report, err)
}
