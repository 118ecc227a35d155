package kerneltest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"quell/kernels"
)

// The parameters must have the same size in Go and on the device.
func TestParamsHaveTheSizeOfTheDevice(t *testing.T) {
	source, err := os.ReadFile("twopass.cu")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("sizeof(TwopassParams) == %d", len(kernels.Pack(params{}))); !strings.Contains(string(source), want) {
		t.Errorf("twopass.cu lacks %q", want)
	}
}
