"""Times the package from numpy to numpy: exact 3-D non-local means beside scikit-image, if it is installed, and what a
call adds to the work of the filter. Prints a table for docs/benchmarks.

    python tools/peers/arrays.py [--slow]    --slow: scikit-image's exact mode, too
"""

import os
import sys
import time

import numpy as np

import quell
from quell._process import process


def processor_time():
    """Returns the seconds of processor time that this process and the quell process have used."""
    with open(f"/proc/{process()._child.pid}/stat") as f:
        used = f.read().rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()


def least(call, times=5, without=lambda result: 0):
    """Returns the least time of some calls after a first one, in seconds, less a part of it; the processor time of one;
    and the last result."""
    call()
    took, before = [], processor_time()
    for _ in range(times):
        started = time.perf_counter()
        result = call()
        took.append(time.perf_counter() - started - without(result))
    return min(took), (processor_time() - before) / times, result


def row(what, seconds, used, note=""):
    print(f"| {what} | {1000 * seconds:.0f} ms | {1000 * used:.0f} ms | {note} |", flush=True)


def main():
    rng = np.random.default_rng(0)
    z, y, x = np.ogrid[:51, :217, :181]
    clean = 100.0 * ((x - 90) ** 2 / 70**2 + (y - 108) ** 2 / 90**2 < 1) + 50 * ((x // 12 + y // 12 + z // 6) % 2)
    noisy = (clean + 10 * rng.standard_normal(clean.shape)).astype(np.float32)
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}\n\n| from numpy to numpy | least time | processor time | |\n| --- | ---: | ---: | --- |")
    seconds, used, r = least(lambda: quell.denoise(noisy, "nlm", dims=3, engine="cpu", details=True))
    row("nlm 3-D, 181 x 217 x 51, h auto", seconds, used, f"MSE {np.mean((r.array - clean) ** 2):.2f}")
    seconds, used, r = least(lambda: quell.denoise(noisy, "nlm", dims=3, h=12, engine="cpu", details=True))
    row("the same with h 12", seconds, used, f"MSE {np.mean((r.array - clean) ** 2):.2f}")
    try:
        from skimage.restoration import denoise_nl_means
    except ImportError:
        print("scikit-image is not installed", file=sys.stderr)
    else:
        for fast in (True, False)[: 1 + ("--slow" in sys.argv)]:
            options = {"patch_size": 3, "patch_distance": 3, "h": 8, "sigma": 10, "fast_mode": fast}
            seconds, used, result = least(lambda: denoise_nl_means(noisy, **options), 1)
            row(f"scikit-image, fast_mode={fast}, h 8, sigma 10", seconds, used, f"MSE {np.mean((result - clean) ** 2):.2f}")
    for dtype in ("float32", "int16", "of quell.empty"):
        large = quell.empty((100, 512, 512)) if dtype == "of quell.empty" else np.zeros((100, 512, 512), dtype)
        large[:] = 100 * (np.arange(512) % 2)
        seconds, used, r = least(lambda: quell.denoise(large, "gaussian", dims=2, sigma_spatial=0.3, engine="cpu", details=True), 20, lambda r: r.details["seconds"]["total"])
        row(f"what a call adds to the job, {dtype}, 105 MB as float32", seconds, used, "the processor time is with the job")
    ordinary, other = np.ones((100, 512, 512), np.float32), np.empty((100, 512, 512), np.float32)
    row("numpy copies 105 MB once", *least(lambda: np.copyto(other, ordinary), 20)[:2])


if __name__ == "__main__":
    main()
