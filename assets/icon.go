package assets

import _ "embed"

// Icon is the program's icon, a PNG of 256 x 256 pixels: half a noisy slice,
// half a denoised one.
//
//go:embed icon.png
var Icon []byte
