// Quell's workbench: a window in which a CT or MR series is denoised and
// compared with what it was. This file only puts the parts together; see ui and
// app for what they do. It is the one file that links a window driver.
package main

import (
	"flag"
	"fmt"
	"os"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"quell/app"
	"quell/assets"
	"quell/ui"
)

func main() {
	fresh := flag.Bool("fresh", false, "start with the default settings and keep none")
	size := flag.String("size", "", "window size as `WIDTHxHEIGHT`")
	version := flag.Bool("version", false, "print the version and exit")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: quell-workbench [flags] [PATH]\n\nPATH is a DICOM file or folder, a zip of one, a DICOMDIR, .nii, .nii.gz or .hdr/.img.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *version {
		fmt.Println("quell-workbench", app.Version())
		return
	}
	if err := run(*fresh, *size, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "quell-workbench:", err)
		os.Exit(app.ExitCode(err))
	}
}

func run(fresh bool, size string, paths []string) error {
	options := ui.Options{Settings: app.DefaultSettings(), Bundled: app.OpenBundled}
	if path, err := app.SettingsPath(); err == nil && !fresh {
		options.Settings, options.SettingsPath = app.LoadSettings(path), path
	}
	if size != "" {
		s := &options.Settings.WindowSize
		if n, err := fmt.Sscanf(size, "%fx%f", &s[0], &s[1]); err != nil || n != 2 {
			return app.Usagef("-size %s: give it as in 1600x1000", size)
		}
	}
	app.UseGPUWorker(options.Settings.GPUWorker)
	engine, err := app.PickEngine("cpu") // until the GPU has answered
	if err != nil {
		return err
	}
	options.Engine = engine

	fyneapp.SetMetadata(fyne.AppMetadata{
		ID: "org.quell.workbench", Name: "Quell", Version: app.Version(), Migrations: map[string]bool{"fyneDo": true},
	})
	a := fyneapp.NewWithID("org.quell.workbench")
	a.SetIcon(fyne.NewStaticResource("icon.png", assets.Icon))
	workbench := ui.New(a, options)
	workbench.FindEngines()
	if len(paths) > 0 {
		workbench.Open(paths[0])
	} else {
		workbench.OpenBundled()
	}
	workbench.ShowAndRun()
	return nil
}
