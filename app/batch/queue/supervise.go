package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"quell/app/job"
)

// Supervise keeps n processes running until ctx ends; run runs the ith. One that ends is started
// again, after a second and after longer and longer while it ends at once. The error is from
// processes that refuse the work (job.ExitUsage), or the context's.
func Supervise(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			pause := time.Second
			for ctx.Err() == nil {
				began := time.Now()
				err := run(ctx, i)
				var exit *exec.ExitError
				switch {
				case ctx.Err() != nil:
					return
				case errors.As(err, &exit) && exit.ExitCode() == job.ExitUsage, err != nil && !errors.As(err, &exit):
					cancel(fmt.Errorf("a worker cannot do the work: %w", err))
					return
				case time.Since(began) > time.Minute:
					pause = time.Second
				}
				sleep(ctx, pause)
				pause = min(2*pause, time.Minute)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Device returns the environment that gives the ith process a GPU of its own: none if the user
// chose the devices, or if there are no NVIDIA devices.
func Device(i int) []string {
	if _, chosen := os.LookupEnv("CUDA_VISIBLE_DEVICES"); chosen { // "" chooses none
		return nil
	}
	return deviceOf(i, "/proc/driver/nvidia/gpus/*", "/dev/nvidia[0-9]*")
}

// deviceOf counts the devices by the first pattern that has files: a container may show only
// the second.
func deviceOf(i int, patterns ...string) []string {
	for _, pattern := range patterns {
		if devices, err := filepath.Glob(pattern); err == nil && len(devices) > 0 {
			return []string{"CUDA_VISIBLE_DEVICES=" + strconv.Itoa(i%len(devices))}
		}
	}
	return nil
}
