// Package lesions measures what a recipe does to small faint objects. It puts virtual lesions,
// discs and Gaussians of known size and contrast, into even tissue of the volume itself, runs the recipe with
// and without each, on the same noise, and compares.
//
// The difference of both results is the response to the lesion, free of noise, whatever the
// filter. From it come the contrast kept and the width of the edge. Two model observers of package
// measure/detect say how visible the lesion is before and after: through the eye without whitening, and
// through whitened channels.
//
// Every lesion runs in a crop that holds what the recipe reads around it, with automatic
// values resolved on the whole volume: the values are those of a run on the whole volume, at the
// cost of the crops. No lesion acts on another one.
//
// [Measure] returns a [Panel], and [Panel.Visibility] the verdict on it. docs/DETECT.md has
// definitions and limits.
package lesions
