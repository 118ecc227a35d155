// Package tune judges and chooses the strength of a filter without a reference.
//
// Risk estimates the mean squared error of a recipe from the noisy volume alone
// (Stein 1981), by running the filter twice (Ramani, Blu, Unser 2008). Search follows the risk over a filter's strength and returns the curve with
// its minimum.
//
// Both hold for Gaussian noise of known sigma, white or correlated. They need an
// engine and know no filter. The package imports denoise and denoise/noise.
package tune
