package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"quell/app"
	"quell/series"
)

// input is a series that a command works on.
type input struct {
	*series.Series
	catalog *app.Catalog
	load    time.Duration
}

func (in *input) close() { in.catalog.Close() }

// choice is which of the series under a path is meant.
type choice struct {
	series    int
	component string
}

// addTo offers the choice as flags of a command.
func (c *choice) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&c.series, "series", -1, seriesHelp)
	flags.StringVar(&c.component, "component", "", componentHelp)
}

// open reads a series and says on stderr what a person should know of it: which
// one was taken, and what is wrong with it.
func open(cmd *cobra.Command, path string, pick choice) (*input, error) {
	if cmd.Flags().Changed("series") && pick.component != "" {
		return nil, app.Usagef("give --series or --component, not both: quell info counts every component as a series")
	}
	started := time.Now()
	ctx := cmd.Context()
	catalog, err := app.Scan(ctx, path)
	if err != nil {
		return nil, err
	}
	if !cmd.Flags().Changed("series") {
		if pick.series, err = catalog.Pick(pick.component); err != nil {
			catalog.Close()
			return nil, err
		}
		if n := candidates(catalog, pick.component); n > 1 {
			warn(cmd, "%s holds %d series; taking number %d, the largest (%s); --series takes another",
				path, n, pick.series, label(catalog.Entries[pick.series]))
		}
	}
	bar := newBar("reading")
	s, err := catalog.Load(ctx, pick.series, bar.files)
	bar.end()
	if err != nil {
		catalog.Close()
		return nil, err
	}
	for _, f := range s.Findings {
		if f.Severity > series.Note {
			warn(cmd, "%s: %s", f.Severity, f.Text)
		}
	}
	return &input{Series: s, catalog: catalog, load: time.Since(started)}, nil
}

// candidates counts the entries that component leaves to choose from.
func candidates(c *app.Catalog, component string) int {
	n := 0
	for _, e := range c.Entries {
		if component == "" || e.Component == component {
			n++
		}
	}
	return n
}

// label tells an entry from the others in a few words.
func label(e app.Entry) string {
	s := fmt.Sprintf("%d slices", e.Slices)
	if e.Description != "" {
		s = e.Description + ", " + s
	}
	if e.Part != "" {
		s += ", " + e.Part
	}
	return s
}

// bar shows progress on a terminal, and nothing anywhere else.
type bar struct{ shown *progressbar.ProgressBar }

func newBar(what string) bar {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return bar{}
	}
	return bar{progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(fmt.Sprintf("%-9s", what)),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// update is a denoise.Progress.
func (b bar) update(done, total int64) {
	if b.shown == nil {
		return
	}
	if b.shown.GetMax64() != total {
		b.shown.ChangeMax64(total)
	}
	_ = b.shown.Set64(done) // fails only beyond the maximum, and a bar is no reason to stop
}

func (b bar) files(done, total int) { b.update(int64(done), int64(total)) }

func (b bar) end() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
