package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/io/dicom"
)

// compressFlag is --compress: alone it asks for the default, as --compress=NAME for
// another. true and false are taken too, as of a switch.
type compressFlag struct{ dicom.Compression }

func (f *compressFlag) addTo(cmd *cobra.Command) {
	flag := cmd.Flags().VarPF(f, "compress", "", fmt.Sprintf("store the pixels of DICOM output without loss, as this `name` says: %s, %s or %s",
		dicom.JPEGLossless, dicom.RLE, dicom.Uncompressed))
	flag.NoOptDefVal = string(app.DefaultCompression)
}

func (f *compressFlag) String() string { return string(f.Compression) }

func (f *compressFlag) Type() string { return "name" }

func (f *compressFlag) Set(s string) error {
	c := dicom.Compression(s)
	switch s {
	case "true":
		c = app.DefaultCompression
	case "false":
		c = dicom.Uncompressed
	}
	if !slices.Contains(dicom.Compressions(), c) {
		return fmt.Errorf("there are %v", dicom.Compressions())
	}
	f.Compression = c
	return nil
}

// printJSON writes the one object that --json promises.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// warn writes a sentence for a person to stderr.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "quell: "+format+"\n", args...)
}

func warnings(cmd *cobra.Command, report app.ExportReport) {
	for _, w := range report.Warnings {
		warn(cmd, "warning: %s", w)
	}
}

// finish says on the terminal what was written, or passes on why it was not.
func finish(cmd *cobra.Command, report app.ExportReport, err error, what string) error {
	if err != nil {
		return err
	}
	warnings(cmd, report)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; written to %s\n", what, report.Output)
	return err
}
