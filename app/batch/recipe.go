package batch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/lockfile"
	"quell/io/atomic"
)

// recipeNote describes the steps of the series of an output, or of a shard while its lock is held.
type recipeNote struct {
	ID   string `json:"id"`   // hash of recipe and options
	Text string `json:"text"` // the recipe, for a person
}

// secondLook is after what time a shard that seems to have another recipe is looked at again: it
// may just have begun, with the note of an earlier run in place.
const secondLook = time.Second

// ownRecipe makes the recipe of this batch the one of its output. Another one is refused while a
// shard runs it, and after that, if it has made outputs, unless they are to be overwritten. The
// lock of the shard is held.
func (b *batch) ownRecipe() error {
	data, err := b.recipe()
	if err != nil {
		return err
	}
	mine := recipeNote{identify(string(data)), b.o.Job.Recipe.String()}
	if data, err = json.Marshal(mine); err != nil {
		return err
	}
	// Each shard leaves its note before it reads the others': of two, one at least sees the other.
	if err := atomic.WriteFile(b.store.notePath(b.o.Shard, b.o.Shards), data, 0o666); err != nil {
		return err
	}
	for i := range b.o.Shards {
		if i == b.o.Shard {
			continue
		}
		if there, differs := b.runs(i, mine); differs {
			return job.Usagef("%s: part %d of %d is writing there by %s; give the same recipe and options to all parts, or choose another folder", b.o.Output, i+1, b.o.Shards, there.than(mine))
		}
	}
	path := filepath.Join(b.store.dir(), "recipe.json")
	if there, known := readNote(path); known && there.ID != mine.ID && b.anyDone && !b.o.Job.Output.Overwrite {
		return job.Usagef("%s contains series that were done by %s; choose another folder, or give --overwrite to do them again", b.o.Output, there.than(mine))
	}
	return atomic.WriteFile(path, data, 0o666)
}

// runs reports whether another shard is at work by another recipe than ours.
func (b *batch) runs(shard int, mine recipeNote) (there recipeNote, differs bool) {
	for range 2 {
		there, known := readNote(b.store.notePath(shard, b.o.Shards))
		if !known || there.ID == mine.ID || !b.store.isHeld(shard, b.o.Shards) {
			return there, false
		}
		time.Sleep(secondLook)
	}
	there, _ = readNote(b.store.notePath(shard, b.o.Shards))
	return there, there.ID != mine.ID
}

// than names a recipe compared with another one.
func (n recipeNote) than(mine recipeNote) string {
	if n.Text == mine.Text {
		return n.Text + " with other options"
	}
	return n.Text
}

func (s store) notePath(shard, shards int) string {
	return filepath.Join(s.dir(), fmt.Sprintf("recipe-%d-of-%d.json", shard+1, shards))
}

func readNote(path string) (n recipeNote, known bool) {
	data, err := os.ReadFile(path)
	return n, err == nil && json.Unmarshal(data, &n) == nil
}

// isHeld reports whether a process runs a shard.
func (s store) isHeld(shard, shards int) bool {
	path := filepath.Join(s.dir(), lockName(shard, shards))
	if !files.Exists(path) {
		return false
	}
	held, err := lockfile.Take(path)
	if err == nil {
		_ = held.Release()
	}
	return err != nil
}
