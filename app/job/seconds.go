package job

import "fmt"

// TimeText is a time in a few digits: "3.1 ms", "520 ms", "5.2 s", "52 s".
func TimeText(seconds float64) string {
	switch {
	case seconds < 0.01:
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// Seconds are the times that the steps of a job took.
type Seconds struct {
	Start float64 `json:"start,omitempty"` // of the engine
	Load  float64 `json:"load"`            // maps included
	Wait  float64 `json:"wait,omitempty"`  // of a batch: until no other series had the engine
	// Estimate is the time for what decides how to filter: the noise and its map, a proposal, a strength that is searched for.
	Estimate float64 `json:"estimate,omitempty"`
	Filter   float64 `json:"filter"` // noise included if it was added
	Measure  float64 `json:"measure,omitempty"`
	Write    float64 `json:"write"` // after the filter: writing, reading back, the removed noise and pictures
	Total    float64 `json:"total"` // of the job; the steps before make it up
}

// Plus returns the sums.
func (s Seconds) Plus(o Seconds) Seconds {
	return Seconds{s.Start + o.Start, s.Load + o.Load, s.Wait + o.Wait, s.Estimate + o.Estimate, s.Filter + o.Filter, s.Measure + o.Measure, s.Write + o.Write, s.Total + o.Total}
}
