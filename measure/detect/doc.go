// Package detect holds model observers: rules that look at a small square of an image and say
// how sure they are that it holds a known signal. How well a rule tells regions with the signal
// from regions without it is a figure of what a reader can still see.
//
// A region is a square of side x side values, row by row, in the unit of the image, with the
// place of the signal in its middle; see [Cut]. Two observers are here:
//
//   - [Channelised] looks through a few channels and whitens the noise in them
//     (Hotelling). It tells whether information is lost. A linear filter hardly changes its figure.
//   - [NonPrewhitening] matches the signal itself, seen through the eye's sensitivity if there
//     is an [Eye]. It tells whether the signal is easier to see. It answers to a linear filter as
//     people do.
//
// Definitions follow the low-contrast detectability tool of the FDA (LCD-CT, DIDSR), whose
// figures the tests reproduce; the channels are by Gallas and Barrett (2003) and by Abbey and
// Barrett (2001), the eye filter is by Burgess (1994).
//
// The package knows no filters and no files. Its functions change no argument, and may be called
// from several goroutines.
package detect
