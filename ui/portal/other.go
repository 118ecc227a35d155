//go:build !(linux || freebsd || openbsd || netbsd)

// Package portal asks for files by the dialog of the desktop, which this system has not.
package portal

import (
	"errors"

	"fyne.io/fyne/v2"
)

// ErrNone says that the desktop offers no dialog for files.
var ErrNone = errors.New("the desktop has no dialog for files")

// Exists says that there is none.
func Exists() bool { return false }

// Ask shows no dialog.
func Ask(_, _, _ string, _ bool) (path string, err error) { return "", ErrNone }

// Parent names no window.
func Parent(fyne.Window) string { return "" }
