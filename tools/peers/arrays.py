"""Times the package from numpy to numpy: exact 3-D non-local means beside scikit-image, where it is installed, and what a
call adds to the work of the filter. Prints a table for docs/benchmarks.

    python tools/peers/arrays.py [--slow]    --slow: scikit-image's exact mode, too
"""

import os
import sys
import time

import numpy as np

import quell


def least(call, times=5, without=lambda result: 0):
    """Returns the least time of some calls after a first one, in seconds, less a part of it, and the last result."""
    call()
    took = []
    for _ in range(times):
        started = time.perf_counter()
        result = call()
        took.append(time.perf_counter() - started - without(result))
    return min(took), result


def row(what, seconds, note=""):
    print(f"| {what} | {1000 * seconds:.1f} ms | {note} |", flush=True)


def main():
    rng = np.random.default_rng(0)
    z, y, x = np.ogrid[:51, :217, :181]
    clean = 100.0 * ((x - 90) ** 2 / 70**2 + (y - 108) ** 2 / 90**2 < 1) + 50 * ((x // 12 + y // 12 + z // 6) % 2)
    noisy = (clean + 10 * rng.standard_normal(clean.shape)).astype(np.float32)
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}\n\n| from numpy to numpy | least of 5 | |\n| --- | ---: | --- |")
    seconds, r = least(lambda: quell.denoise(noisy, "nlm", dims=3, engine="cpu", details=True))
    row("nlm 3-D, 181 x 217 x 51, h auto", seconds, f"filter {1000 * r.seconds:.0f} ms, MSE {np.mean((r.array - clean) ** 2):.2f}")
    seconds, r = least(lambda: quell.denoise(noisy, "nlm", dims=3, h=12, engine="cpu", details=True))
    row("the same with h 12", seconds, f"filter {1000 * r.seconds:.0f} ms, MSE {np.mean((r.array - clean) ** 2):.2f}")
    try:
        from skimage.restoration import denoise_nl_means
    except ImportError:
        print("scikit-image is not installed", file=sys.stderr)
    else:
        for fast in (True, False)[: 1 + ("--slow" in sys.argv)]:
            options = {"patch_size": 3, "patch_distance": 3, "h": 12, "sigma": 10, "fast_mode": fast}
            seconds, result = least(lambda: denoise_nl_means(noisy, **options), 1)
            row(f"scikit-image, fast_mode={fast}, h 12", seconds, f"MSE {np.mean((result - clean) ** 2):.2f}")
    for dtype in ("float32", "int16", "of quell.empty"):
        large = quell.empty((100, 512, 512)) if dtype == "of quell.empty" else np.zeros((100, 512, 512), dtype)
        large[:] = 100 * (np.arange(512) % 2)
        seconds, r = least(lambda: quell.denoise(large, "gaussian", dims=2, sigma_spatial=0.3, engine="cpu", details=True), 20, lambda r: r.seconds)
        row(f"what a call adds, {dtype}, 105 MB as float32", seconds, f"besides {1000 * r.seconds:.0f} ms of the filter")
    ordinary, other = np.ones((100, 512, 512), np.float32), np.empty((100, 512, 512), np.float32)
    row("numpy copies 105 MB once", least(lambda: np.copyto(other, ordinary), 20)[0])


if __name__ == "__main__":
    main()
