// Package tune judges and chooses the strength of a filter without a reference.
//
// Risk estimates the mean squared error of a recipe from the noisy volume alone
// (Stein 1981): in closed form if the filter knows its divergence
// (denoise.Filter.Stein), else by running the filter twice (Ramani, Blu, Unser
// 2008). Search follows the risk over a filter's strength and returns the curve
// with its minimum. Judge says how far along that curve a result lies on that
// curve, slice by slice, and at which place its residual shows structure.
//
// Both hold for Gaussian noise of known sigma; with two runs it may be correlated.
// The package needs an engine and knows no filter. It imports denoise and
// denoise/noise.
package tune
