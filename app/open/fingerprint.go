package open

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Fingerprint identifies the files of entry i as they are on disk now, by their paths, sizes
// and times of modification; entries of an archive by the file of the archive. The volumes
// of a 4-D series have the same one. It is "" if a file is gone or the context ended.
func (c *Catalog) Fingerprint(ctx context.Context, i int) string {
	if c.loadable(i) != nil || c.Entries[i].Volume == nil {
		return ""
	}
	members := c.Members(i)
	first := c.Entries[members[0]]
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", first.Part, first.Component)
	for _, k := range members {
		for _, path := range c.Entries[k].Files() {
			if ctx.Err() != nil {
				return ""
			}
			on := path
			if c.closer != nil {
				on = c.Path
			}
			info, err := os.Stat(on)
			if err != nil {
				return ""
			}
			if abs, err := filepath.Abs(path); err == nil {
				path = abs
			}
			fmt.Fprintf(h, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Identity identifies patient, series and images of entry i, in whatever folder they lie; the volumes of a 4-D series have the
// same one. It is "" if the files have no UIDs, or an entry cannot be loaded.
func (c *Catalog) Identity(i int) string {
	members := c.Members(i)
	first := c.Entries[members[0]]
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", first.Meta.Identity(), first.Part, first.Component)
	for _, k := range members {
		id := c.Entries[k].Identity()
		if id == "" {
			return ""
		}
		fmt.Fprintf(h, "%s\n", id)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// located returns the paths of files of a catalog.
func located(names []string, locate func(string) string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = locate(name)
	}
	return out
}
