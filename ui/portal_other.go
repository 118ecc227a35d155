//go:build !(linux || freebsd || openbsd || netbsd)

package ui

import (
	"errors"

	"fyne.io/fyne/v2"
)

// errNoDesktopDialog says that the desktop offers no dialog for files.
var errNoDesktopDialog = errors.New("the desktop has no dialog for files")

func hasDesktopDialog() bool { return false }

func desktopDialog(_, _, _ string, _ bool) (path string, err error) { return "", errNoDesktopDialog }

func portalParent(fyne.Window) string { return "" }
