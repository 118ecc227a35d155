package series_test

import (
	"encoding/json"
	"testing"

	"quell/internal/message"
	"quell/series"
)

func TestFindingInJSON(t *testing.T) {
	b, err := json.Marshal(series.Finding{Severity: series.Warning, Kind: series.Gap, Text: message.Verbatim("x")})
	if err != nil || string(b) != `{"severity":"warning","kind":"gap","text":"x"}` {
		t.Errorf("%s, %v", b, err)
	}
}
