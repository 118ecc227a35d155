// Package shareddata finds the public test series that are too large for the
// repository.
//
// They lie in ../shared/data next to the checkout, or in the folder that the
// environment variable QUELL_SHARED_DATA names. A test that does not find them is
// skipped, with a reason that begins with "needs shared data:"; with
// QUELL_NEED_SHARED=1 it fails, so that a machine which should have the data cannot
// pass without them.
//
// The package is for tests alone and imports only the standard library.
package shareddata

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of the file or folder with a slash-separated name in the
// shared data, such as "mr/ge-temporal". If it is missing, the test is skipped or,
// with QUELL_NEED_SHARED=1, fails.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, err := find(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("QUELL_NEED_SHARED") == "1":
		t.Fatalf("QUELL_NEED_SHARED is set, but %v", err)
	default:
		t.Skipf("needs shared data: %s", name)
	}
	return ""
}

// find returns the path of name in the shared data.
func find(name string) (string, error) {
	data := os.Getenv("QUELL_SHARED_DATA")
	if data == "" {
		root, err := checkout()
		if err != nil {
			return "", err
		}
		data = filepath.Join(root, "..", "shared", "data")
	}
	path := filepath.Join(data, filepath.FromSlash(name))
	_, err := os.Stat(path)
	return path, err
}

// checkout returns the nearest folder above the working directory, which for a test
// is its package, that holds a go.mod.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no folder above the test holds a go.mod")
		}
		dir = above
	}
}
