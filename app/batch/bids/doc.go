// Package bids denoises the images of a BIDS dataset, as a BIDS App does on the participant
// level. The output is a derivative dataset: the images under the names of their sources with
// desc-denoised, sidecars with the recipe, and a description of the dataset.
//
// References are to the BIDS specification 1.10: names and entities ("Common principles"), the
// inheritance of metadata, and derivatives ("BIDS Derivatives").
package bids
