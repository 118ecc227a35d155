package network

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/pacs"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/internal/clean"
)

func newPacsPlaces() command.Command {
	c := command.Command{
		Name:     "nodes",
		Short:    "List the PACS nodes that are kept",
		Long:     `List the PACS nodes that are kept for this account, with their addresses. They contain no secret.`,
		Example:  `  quell pacs nodes`,
		Commands: []command.Command{newPacsPlacesAdd(), newPacsPlacesRemove()},
	}
	c.Run = printPlaces
	return c
}

func newPacsPlacesAdd() command.Command {
	var p pacs.Place
	c := command.Command{
		Name:  "add NAME ADDRESS",
		Short: "Keep a PACS node under a name",
		Long: `Keep a PACS node under a name, or change the one of that name. ADDRESS is that of a DICOMweb
service, https://pacs.example/dicom-web, or AETITLE@HOST:PORT on the DICOM network.

A secret is never given: --secret names a file of mode 0600 (file:PATH) or a variable of
the environment (env:NAME). It holds USER:PASSWORD for --sign-in basic, a token for
bearer, and ID:SECRET for client, with the address that gives tokens as --token.`,
		Example: `  quell pacs nodes add home https://pacs.example/dicom-web --sign-in basic --secret file:pacs.secret
  quell pacs nodes add ward PACS@pacs.example:2762 --from READING --tls`,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		addNetworkFlags(cmd, &p)
		option.AddInput(flags, &p.Certificate, "certificate", "`file` with the certificate of this side and its key (PEM), for a PACS that asks for one")
		option.AddName(cmd, &p.SignIn.Way, "sign-in", "sign-in", pacs.SignIns(), "how to sign in to DICOMweb: `basic|bearer|client`")
		flags.StringVar(&p.SignIn.Secret, "secret", "", "the secret of --sign-in, as `file:PATH` or env:NAME")
		flags.StringVar(&p.SignIn.Token, "token", "", "`address` that gives tokens for --sign-in client")
		flags.StringVar(&p.SignIn.Scopes, "scopes", "", "`scopes` to ask it for, with spaces between them")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		p.Name, p.To = args[0], args[1]
		if err := pacs.KeepPlace(p); err != nil {
			return err
		}
		return command.Tell(cmd, p, "%s is kept: %s, %s", p.Name, p.To, p.Protocol())
	}
	return c
}

func newPacsPlacesRemove() command.Command {
	c := command.Command{
		Name:    "remove NAME",
		Short:   "Forget a PACS node",
		Example: `  quell pacs nodes remove home`,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		if err := pacs.RemovePlace(args[0]); err != nil {
			return err
		}
		return command.Tell(cmd, map[string]any{"removed": args[0]}, "%s is forgotten", args[0])
	}
	return c
}

func printPlaces(cmd *cobra.Command, _ []string) error {
	places, err := pacs.Places()
	if err != nil {
		return err
	}
	return command.Print(cmd, map[string]any{"places": append([]pacs.Place{}, places...)}, func(w io.Writer) {
		for _, p := range places {
			fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, clean.Line(p.To), p.Protocol())
		}
		if len(places) == 0 {
			fmt.Fprintln(w, "no PACS node is kept; see quell pacs nodes add --help")
		}
	})
}
