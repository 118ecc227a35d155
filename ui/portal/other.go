//go:build !(linux || freebsd || openbsd || netbsd)

package portal

import (
	"errors"

	"fyne.io/fyne/v2"
)

// ErrNone says that the desktop offers no dialog for files.
var ErrNone = errors.New("the desktop has no dialog for files")

func Exists() bool { return false }

func Ask(_, _, _ string, _ bool) (path string, err error) { return "", ErrNone }

func Parent(fyne.Window) string { return "" }
