// Package measure puts numbers on images: MSE, PSNR, SSIM and the largest
// difference of two volumes, statistics of regions and residuals, histograms,
// and line profiles.
//
// Against a noise-free reference the first four are measures of quality;
// against the input of a filter they only say how much changed, and whoever
// shows them has to label them so.
//
// Everything is computed in float64. Voxels that a volume's mask marks as
// padding never count. Nothing here changes its input, and every function may
// be called from several goroutines at once. The package imports volume,
// internal/parallel and the standard library.
package measure
