// Package version says which program this is. Results are kept and work is shared between processes
// only if the same program did it, so two programs that may compute differently never have the same
// version, however they were built:
//
//	0.2.0                         stamped at link time (-X quell/internal/version.stamped=0.2.0), or
//	                              the module's tag
//	0.2.0+3f2a91c0                a revision without changes
//	0.2.0+3f2a91c0.executable.9d1c55e0a7b3
//	                              changes on top of a revision: with a hash of the executable
//	0.2.0+executable.9d1c55e0a7b3 no version control at the build, such as from an archive: likewise
//
// The first two name the source. Programs that were built from it for other processors, or with other
// flags, are the same program and share work: their results agree. The hash identifies one
// executable; machines of two architectures share work only if the source is named.
//
// The package imports the standard library.
package version

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Release is the version of this source tree, for builds without a tag.
// FyneApp.toml and CITATION.cff have the same, and CHANGELOG.md its date.
const Release = "0.2.0"

// stamped is set by the linker for a release.
var stamped string

// String returns the version of this program. It consists of letters, digits, dots, hyphens and a
// plus sign. Computed once; it may read the executable, some 0.1 s, if the source is not named.
func String() string { return current() }

var current = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	version, _ := of(stamped, info, Program)
	return version
})

// Source returns String if it names the source alone, so that programs built for other processors
// have the same; else "".
func Source() string {
	info, _ := debug.ReadBuildInfo()
	version, named := of(stamped, info, func() string { return "" })
	if !named {
		return ""
	}
	return version
}

// Revision returns the revision of version control at the build, "" for none, and whether files
// were changed since.
func Revision() (revision string, modified bool) {
	if info, ok := debug.ReadBuildInfo(); ok {
		return revisionOf(info)
	}
	return "", false
}

// of returns the version of a program with that build information, which may be nil, and whether it
// names the source alone. program returns the hash of its executable.
func of(stamped string, info *debug.BuildInfo, program func() string) (version string, named bool) {
	if stamped != "" {
		return stamped, true
	}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	revision, modified := revisionOf(info)
	// A pseudo-version ("v0.0.0-2026...") is less useful than release + revision.
	if tag := info.Main.Version; !modified && strings.HasPrefix(tag, "v") && !strings.HasPrefix(tag, "v0.0.0-") && !strings.HasSuffix(tag, "+dirty") {
		return strings.TrimPrefix(tag, "v"), true
	}
	revision = revision[:min(8, len(revision))]
	if revision != "" && !modified {
		return Release + "+" + revision, true
	}
	if revision != "" {
		revision += "."
	}
	return Release + "+" + revision + "executable." + program(), false // a bare hash looks like a revision
}

func revisionOf(info *debug.BuildInfo) (revision string, modified bool) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return revision, modified
}

// digits is how many hex digits of a hash distinguish programs.
const digits = 12

// Program returns a hash of this program's executable. Computed once.
func Program() string { return program() }

var program = sync.OnceValue(func() string {
	sum, err := hashOf(executables())
	if err != nil {
		// Without its file what the linker recorded is the most that is known.
		info, _ := debug.ReadBuildInfo()
		sum = sha256.Sum256([]byte(info.String()))
	}
	return hex.EncodeToString(sum[:])[:digits]
})

// executables returns the paths at which this program's file may be read. The first is the path on
// Linux, which stays if the file is replaced while the program runs.
func executables() []string {
	places := []string{"/proc/self/exe"}
	if path, err := os.Executable(); err == nil {
		places = append(places, path)
	}
	return places
}

// hashOf returns the hash of the first of the files that can be read.
func hashOf(places []string) (sum [sha256.Size]byte, err error) {
	err = errors.New("no file")
	for _, place := range places {
		var file *os.File
		if file, err = os.Open(place); err != nil {
			continue
		}
		h := sha256.New()
		_, err = io.Copy(h, file)
		_ = file.Close()
		if err == nil {
			h.Sum(sum[:0])
			return sum, nil
		}
	}
	return sum, err
}
