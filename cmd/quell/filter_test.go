package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"quell/cmd/option"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/filter/filtertest"
	"quell/volume"
)

// A filter that is registered has its flags, its recipes and its results without
// any other change to the program: here one of two passes, with a noise map and a
// guide.
func TestRegisteredFilterRunsFromFlags(t *testing.T) {
	if _, err := denoise.FilterByName(filtertest.Filter.Name); err != nil { // not with -count=2
		denoise.Register(filtertest.Filter)
	}
	cmd := &cobra.Command{}
	flags := option.AddParams(cmd)
	if err := parse(cmd, []string{"--mean-radius", "2,1,1", "--uniform"}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(strings.Join(helpOf(t, "help", "twopass"), " ")), " "); !strings.Contains(text, "--guide-sigma") || !strings.Contains(text, "Above 0 in the volume's unit, or in sigmas of its noise (1.2sigma) or auto") {
		t.Errorf("the help of the filter is\n%s", text)
	}
	r, err := flags.Recipe("", "twopass", 3)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = denoise.ParseRecipe(data); err != nil {
		t.Fatal(err)
	}
	if got, want := r.String(), "twopass 3-D mean-radius=2,1,1 guide-weights=uniform uniform=true"; got != want {
		t.Errorf("recipe %s; want %s", got, want)
	}
	v := volume.New(volume.NewGeometry([3]int{11, 9, 7}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i * i % 97)
	}
	in := enginetest.Input(t, r, v)
	got, err := cpu.New().Run(t.Context(), r, in, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := cpu.Reference(context.Background(), r, in, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enginetest.Agree(got, want, 97); err != nil {
		t.Error(err)
	}
}
