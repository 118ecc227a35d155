package denoise

import "errors"

// ErrUnsupported is wrapped by an engine's error when it has no way to run a
// recipe: another engine may have.
var ErrUnsupported = errors.New("not supported by this engine")
