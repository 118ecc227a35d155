package dicom

import (
	"io/fs"

	"quell/io/dicom/assemble"
	"quell/series"
)

// Catalog is what Scan found below one root: every series, from headers alone.
// It is read-only after Scan; its methods may be called from any goroutine.
type Catalog struct {
	// Entries holds one entry per volume that can be formed, in the order of
	// series number, then size (largest first). A series that cannot be loaded
	// has an entry too, with Err set.
	Entries []assemble.Entry
	// Findings are about files that belong to no series: indexes, files that are no
	// DICOM images, files that could not be read.
	Findings []series.Finding
	// Default is the index of the largest volume. A series with a damaged file
	// counts, so that Load reports it; one of a kind that is not read counts only if
	// there is no other.
	Default int
	// Files is the number of files that were looked at.
	Files int

	fsys fs.FS
}
