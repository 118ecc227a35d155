//go:build !linux && !darwin

package atomic

import "errors"

// exchange would swap two folders in one step, for which these systems have no
// call.
func exchange(_, _ string) error { return errors.ErrUnsupported }
