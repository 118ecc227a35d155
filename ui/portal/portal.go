//go:build linux || freebsd || openbsd || netbsd

// Package portal asks for files by the dialog of the desktop, through the XDG desktop portal.
package portal

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
	"github.com/rymdport/portal"
	"github.com/rymdport/portal/filechooser"
)

// ErrNone says that the desktop offers no dialog for files.
var ErrNone = errors.New("the desktop has no dialog for files")

// Exists says whether the desktop may have a dialog for files: there is a session
// bus. Looking for one that is not there would start one.
func Exists() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus"))
	return err == nil
}

// Ask asks for a file or folder by the desktop's dialog, through the XDG desktop
// portal, and waits for the answer: "" if the user chose none.
func Ask(parent, title, start string, folder bool) (path string, err error) {
	chosen, err := filechooser.OpenFile(parent, title, &filechooser.OpenFileOptions{Directory: folder, CurrentFolder: start})
	if err != nil {
		return "", errors.Join(ErrNone, err)
	}
	if len(chosen) == 0 {
		return "", nil
	}
	return chosenPath(chosen[0])
}

// chosenPath returns the path of a URI whose escapes were resolved. The portal package
// takes a plus for an escaped space, which it is not in paths.
func chosenPath(uri string) (string, error) {
	path, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return "", &url.Error{Op: "open", URL: uri, Err: errors.New("it is no file of this computer")}
	}
	if plus := strings.ReplaceAll(path, " ", "+"); !isThere(path) && isThere(plus) {
		return plus, nil
	}
	return path, nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Parent names the window of the workbench for the portal; "" if it has no name.
func Parent(w fyne.Window) (name string) {
	if native, ok := w.(driver.NativeWindow); ok {
		native.RunNative(func(context any) {
			if x, ok := context.(driver.X11WindowContext); ok && x.WindowHandle != 0 {
				name = portal.FormatX11WindowHandle(x.WindowHandle)
			}
		})
	}
	return name
}
