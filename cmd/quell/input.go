package main

import (
	"github.com/spf13/cobra"

	"quell/app"
)

// choice holds the flags that select one of the series under a path.
type choice struct {
	series    int
	component string
}

// addTo adds the flags to a command.
func (c *choice) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&c.series, "series", -1, seriesHelp)
	flags.StringVar(&c.component, "component", "", componentHelp)
}

// input returns the selected series of a path.
func (c *choice) input(cmd *cobra.Command, path string) app.Input {
	in := app.Input{Path: path, Component: c.component}
	if cmd.Flags().Changed("series") {
		in.Series = &c.series
	}
	return in
}

// open reads a series and writes what a person should know of it to stderr.
func open(cmd *cobra.Command, in app.Input) (*app.Opened, error) {
	events, done := eventsOf(cmd)
	defer done()
	return app.Open(cmd.Context(), in, events)
}
