package pacs

import "testing"

// Include are the attributes that searches of the DICOM network ask for.
var Include = map[Level][]string{Studies: include[Studies], Series: withoutStudyTerms(include[Series]), Instances: include[Instances]}

// SetLaneFiles changes how many files are worth an association for a test.
func SetLaneFiles(t *testing.T, n int) {
	before := laneFiles
	laneFiles = n
	t.Cleanup(func() { laneFiles = before })
}
