package app

import (
	"runtime/debug"
	"strings"
	"sync"
)

// release is the version of this source tree, for builds without a tag.
// FyneApp.toml has the same.
const release = "0.1.0"

// Version returns Quell's version: the module's tag where the program was built
// from one, else the next release and the revision, such as "0.1.0+3f2a91c0".
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	return versionOf(info)
})

func versionOf(info *debug.BuildInfo) string {
	// A pseudo-version ("v0.0.0-2026...") is less useful than release + revision.
	if tag := info.Main.Version; strings.HasPrefix(tag, "v") && !strings.HasPrefix(tag, "v0.0.0-") {
		return strings.TrimPrefix(tag, "v")
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "+" + s.Value[:min(8, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ".modified"
		}
	}
	if revision == "" {
		return release
	}
	return release + revision + modified
}
