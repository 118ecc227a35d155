package files_test

import (
	"testing"

	"quell/app/files"
)

func TestIsImageFile(t *testing.T) {
	for name, want := range map[string]bool{"a.nii": true, "a.nii.gz": true, "a.hdr": true, "a.img": false, "a.IMG.gz": false, "a.dcm": false} {
		if files.IsImageFile(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
