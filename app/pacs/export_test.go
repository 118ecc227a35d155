package pacs

import "testing"

// SetLaneFiles changes how many files are worth an association for a test.
func SetLaneFiles(t *testing.T, n int) {
	before := laneFiles
	laneFiles = n
	t.Cleanup(func() { laneFiles = before })
}
