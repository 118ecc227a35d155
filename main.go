// Quell's workbench: it denoises a CT or MR series and compares it with the original.
// This file connects ui and app; it is the only one that links a GUI driver.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/workbench"
	"quell/assets"
	"quell/internal/clean"
	"quell/internal/crash"
	_ "quell/internal/locale" // English until a language is chosen
	"quell/ui"
	"quell/ui/host"
	"quell/ui/language"
)

func main() {
	if crash.Monitor(job.Version()) {
		return
	}
	fresh := flag.Bool("fresh", false, "start with the default settings and save none")
	size := flag.String("size", "", "size of the workbench as `WIDTHxHEIGHT`")
	version := flag.Bool("version", false, "print the version and exit")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: quell-workbench [flags] [PATH]\n\nPATH is a DICOM file or folder, a zip of one, a DICOMDIR, .nii, .nii.gz, .hdr/.img, .nrrd, .nhdr, .mha or .mhd, or a project (.quell).")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *version {
		fmt.Println("quell-workbench", job.Version())
		return
	}
	if err := run(*fresh, *size, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "quell-workbench:", clean.Line(err.Error()))
		os.Exit(job.ExitCode(err))
	}
}

func run(fresh bool, size string, paths []string) error {
	options := host.Options{Settings: workbench.DefaultSettings(), Bundled: open.Bundled, Propose: workbench.Propose, DesktopDialogs: true}
	if path, err := files.SettingsPath(); err == nil && !fresh {
		options.Settings, options.SettingsPath = workbench.LoadSettings(path), path
	}
	if size != "" {
		s := &options.Settings.WorkbenchSize
		if n, err := fmt.Sscanf(size, "%fx%f", &s[0], &s[1]); err != nil || n != 2 {
			return job.Usagef("-size %s: give it as in 1600x1000", size)
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		if !fresh {
			options.AutosaveDir = filepath.Join(dir, "quell", "autosave")
		}
		log := crash.New(filepath.Join(dir, "quell", "crash.log"), job.Version())
		options.Panicked = log.Panicked
		_ = log.Watch() // without it, recovered panics are logged all the same
	}
	if s := options.Settings.Scale; s > 0 && os.Getenv("FYNE_SCALE") == "" {
		_ = os.Setenv("FYNE_SCALE", strconv.FormatFloat(s, 'g', -1, 64))
	}
	engines.UseGPUWorker(options.Settings.GPUWorker)
	engine, err := engines.Pick("cpu") // until the GPU is found
	if err != nil {
		return err
	}
	options.Engine = engine

	fyneapp.SetMetadata(fyne.AppMetadata{
		ID: "org.quell.workbench", Name: "Quell", Version: job.Version(), Migrations: map[string]bool{"fyneDo": true},
	})
	a := fyneapp.NewWithID("org.quell.workbench")
	a.SetIcon(fyne.NewStaticResource("icon.png", assets.Icon))
	if err := language.Use(options.Settings.Language); err != nil {
		return err
	}
	workbench := ui.New(a, options)
	workbench.Start(append(paths, "")[0])
	workbench.ShowAndRun()
	return nil
}
