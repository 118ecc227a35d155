package job

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A preset that cannot run, or that says what nothing reads, is a mistake.
func TestPresetsAreChecked(t *testing.T) {
	for name, data := range map[string]string{
		"unknown field": `{"titel":"x","recipe":{"version":1,"filter":"median","dims":2,"parameters":{}}}`,
		"no filter":     `{"title":"x","recipe":{"version":1,"filter":"none","dims":2,"parameters":{}}}`,
		"no recipe":     `{"title":"x"}`,
	} {
		files := fstest.MapFS{"bad.json": {Data: []byte(data)}}
		if _, err := readPresets(files); err == nil || !strings.Contains(err.Error(), "preset bad.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	files := fstest.MapFS{"b.json": {Data: []byte(`{"recipe":{"version":1,"filter":"median","dims":2,"parameters":{}}}`)}}
	if all, err := readPresets(files); err != nil || len(all) != 1 || all[0].Name != "b" {
		t.Errorf("%+v, %v", all, err)
	}
}
