package job

import (
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/internal/message"
)

// AddedNoise is noise that was added in the workbench.
type AddedNoise struct {
	Model noise.Model `json:"model"`
	Sigma float64     `json:"sigma"`
	Seed  uint64      `json:"seed"`
}

// AsMessage returns "gaussian noise, sigma 20, seed 1".
func (n AddedNoise) AsMessage() message.Message {
	return message.Text("%s noise, sigma %g, seed %d", n.Model, n.Sigma, n.Seed)
}

// String returns the message in English.
func (n AddedNoise) String() string { return n.AsMessage().String() }

// Validate returns a UsageError for noise that cannot be added.
func (n AddedNoise) Validate() error {
	models := noise.Models()
	if !slices.Contains(models, n.Model) {
		return Usagef("no noise model is called %q; there are %s and %s", n.Model, models[0], models[1])
	}
	if !(n.Sigma >= 0) || math.IsInf(n.Sigma, 0) {
		return Usagef("a noise sigma of %g is not possible; give 0 or more", n.Sigma)
	}
	return nil
}
