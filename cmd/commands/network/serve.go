package network

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/cobra"

	"quell/app/serve"
	"quell/cmd/command"
)

// Serve is quell serve.
func Serve() command.Command {
	check := new(bool)
	c := command.Command{
		Name:  "serve SETTINGS",
		Short: "Receive series as a node of the DICOM network, filter them, and send the results on",
		Long: `Receive series that scanners or a PACS send (C-STORE), filter each by the rule that
takes it, and send the result, a new series, to where the rule says. The originals
are not altered and not sent on. Runs until it is interrupted; what it had received
is done by the next run.

SETTINGS is a file of JSON:
  {"folder": "/var/lib/quell", "ae_title": "QUELL", "listen": "127.0.0.1:11112",
   "status": "127.0.0.1:8042", "callers": ["CT1"], "idle_timeout": "30s",
   "rules": [{"name": "thin", "when": "Modality=CT,SliceThickness<=1.5",
              "do": {"preset": "ct-head-slices"}, "to": {"to": "PACS@pacs:104"}}]}

  folder      holds what arrives and the audit log; for this command alone
  listen      an address that other machines reach needs "tls": {"certificate": FILE,
              "key": FILE, "clients": FILE}, or "plain": true in a closed network
  callers, networks  AE titles, and addresses such as 10.1.0.0/16, that are let in
  idle_timeout  a series is complete after so long without a new image, or when it
              has as many as it says
  quota_gb    of images received; more are refused until there is room
  when        conditions as of quell batch --select; the first rule that takes applies
  do          settings of quell module
  to          an address of an archive, or the name of one of quell pacs nodes; with
              "commit": true it is asked for storage commitment. A list for several
  also        true in a rule lets those after it take the series too
  status      address of a page that says what is waiting, without names
  attempts, keep, keep_failed  how often a result is sent; how long images stay then

Series that Quell filtered are refused, so that no rule of an archive sends them round.`,
		Example: `  quell serve node.json
  quell serve status node.json
  quell serve retry node.json`,
		JSON:     " with the addresses when it listens",
		Commands: []command.Command{newServeStatus(), newServeRetry()},
		Inputs:   command.Every,
	}
	c.Flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(check, "check", false, "read the settings, say whether they can be meant, and end")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		settings, err := serve.ReadSettings(args[0])
		if err == nil && *check {
			_, err = settings.Config(time.Now())
		}
		if err != nil || *check {
			return err
		}
		node, err := serve.Open(settings)
		if err != nil {
			return err
		}
		var told error
		err = node.Run(cmd.Context(), func(receiver, status net.Addr) {
			told = printAddresses(cmd, settings.AETitle, receiver, status)
		})
		return errors.Join(err, told, node.Close())
	}
	return c
}

// printAddresses prints the addresses of a node.
func printAddresses(cmd *cobra.Command, title string, receiver, status net.Addr) error {
	page := ""
	if status != nil {
		page = "http://" + status.String() + "/status"
	}
	text := ""
	if page != "" {
		text = "; status on " + page
	}
	return command.Print(cmd, map[string]string{"receiver": title + "@" + receiver.String(), "status": page}, func(w io.Writer) {
		fmt.Fprintf(w, "%s@%s receives%s\n", title, receiver, text)
	})
}
