// Package measure computes numbers about volumes: MSE, PSNR, SSIM and the largest
// difference of two volumes; of a picture, statistics, noise and histograms of regions,
// distances, line profiles and the width of edges, noise power spectra and modulation transfer
// functions.
//
// Against a noise-free reference the first four are measures of quality; against the
// input of a filter they only say how much changed, and must be labelled so.
//
// Everything is computed in float64. Padding never counts. No function changes its
// input, all are safe for concurrent use, and all that read a whole volume can be
// cancelled. A result does not depend on the number of cores. The package imports volume,
// internal/parallel and gonum's Fourier transform.
package measure
