package results

import (
	"slices"

	"quell/app/workbench"
)

// Files are the files to which results were exported to.
type Files struct {
	gone map[*workbench.Exported]bool // not as they were written
}

// Gone says whether files are not as they were written.
func (f *Files) Gone(e *workbench.Exported) bool { return f.gone[e] }

// SetGone notes whether files are not as they were written.
func (f *Files) SetGone(e *workbench.Exported, gone bool) {
	if f.gone == nil {
		f.gone = map[*workbench.Exported]bool{}
	}
	if f.gone[e] = gone; !gone {
		delete(f.gone, e)
	}
}

// Stand says whether one of some exports stands.
func (f *Files) Stand(exports []*workbench.Exported) bool {
	return slices.ContainsFunc(exports, func(e *workbench.Exported) bool { return !f.gone[e] })
}
