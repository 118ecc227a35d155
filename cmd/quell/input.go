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
func (c *choice) input(cmd *cobra.Command, path string) (app.Input, error) {
	in := app.Input{Path: path, Component: c.component}
	if cmd.Flags().Changed("series") {
		if c.component != "" {
			return in, app.Usagef("give --series or --component, not both: quell info counts every component as a series")
		}
		in.Series = &c.series
	}
	return in, nil
}

// open reads the selected series of a path and writes what a person should know
// of it to stderr.
func (c *choice) open(cmd *cobra.Command, path string) (*app.Opened, error) {
	in, err := c.input(cmd, path)
	if err != nil {
		return nil, err
	}
	events, done := eventsOf(cmd)
	defer done()
	return app.Open(cmd.Context(), in, events)
}
