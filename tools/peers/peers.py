"""Times Quell's filters on the CPU beside those of other libraries, for scripts/peers.sh.

peers.py QUELL IN.nii WORK [ITK]     ITK: the program of itk.cxx, or none

A filter of another library that computes the same is compared first, away from the edges, where
each has rules of its own; its time is printed if it agrees. Seconds are of CPU (user and system, all
threads) and of the filter alone, the least of up to three runs. Quell's are those of the program less
those of a run that copies the volume (median of radius 0). Values are taken as 0 to 255.
"""
import os
import resource
import subprocess
import sys

import numpy as np

SIGMA_RANGE, SIGMA_SPATIAL, H = 24.0, 1.5, 12.0
RUNS, ENOUGH = 3, 10.0  # runs of a filter; seconds after which it is not run again


def module(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        print(f"peers: without {name}", file=sys.stderr)
        return None


def spent(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def least(run, who=resource.RUSAGE_SELF):
    """Returns the least CPU seconds of a few runs and the last result."""
    times = []
    while len(times) < RUNS and sum(times) < ENOUGH:
        before = spent(who)
        result = run()
        times.append(spent(who) - before)
    return min(times), result


class Quell:
    def __init__(self, program, volume, work):
        self.program, self.volume, self.out = program, volume, os.path.join(work, "quell.nii")
        self.known = {}
        self.copy = 0.0
        self.copy, _ = self.run("--filter median --radius 0 --dims 3")

    def run(self, arguments):
        """Returns the CPU seconds of a filter and its result."""
        if arguments not in self.known:
            command = [self.program, "denoise", self.volume, self.out, "--overwrite", "--engine", "cpu", "--stabilise", "0"]
            done = lambda: subprocess.run(command + arguments.split(), check=True, stdout=subprocess.DEVNULL)
            seconds, _ = least(done, resource.RUSAGE_CHILDREN)
            self.known[arguments] = seconds - self.copy, load(self.out)
        return self.known[arguments]


def load(path):
    """Returns the voxels of a volume, z, y, x."""
    return np.ascontiguousarray(nibabel.load(path).get_fdata(dtype=np.float32).T)


def slices(f):
    return lambda v: np.stack([f(s) for s in v])


def rows():
    """Lists what is compared: the filter, Quell's arguments, the library, its function of the volume, the root mean
    square of the difference that counts as agreement (None: it computes something else, named in the last field), the
    voxels left out at the edges (x and y, z), and how the definitions differ."""
    gaussian = "--filter gaussian --sigma-spatial 1 --radius 4 --voxel-units --dims"
    bilateral = f"--filter bilateral --sigma-range {SIGMA_RANGE} --sigma-spatial {SIGMA_SPATIAL} --voxel-units --radius 3 --dims"
    nlm = f"--filter nlm --h {H} --centre one --sigma 0 --rician=false --dims 3 --patch-radius 1 --patch-weights"
    if ndimage:
        yield "gaussian 3-D, sigma 1, radius 4", gaussian + " 3", "scipy gaussian_filter", lambda v: ndimage.gaussian_filter(v, 1), 1e-3, (4, 4), ""
        yield "median 3-D 3^3", "--filter median --dims 3", "scipy median_filter", lambda v: ndimage.median_filter(v, 3), 0, (1, 1), ""
    if cv2:
        yield "gaussian 2-D, sigma 1, radius 4", gaussian + " 2", "OpenCV GaussianBlur", slices(lambda s: cv2.GaussianBlur(s, (9, 9), 1)), 1e-3, (4, 0), ""
        for n in (3, 5):
            yield f"median 2-D {n}^2", f"--filter median --dims 2 --radius {n // 2}", "OpenCV medianBlur", slices(lambda s, n=n: cv2.medianBlur(s, n)), 0, (n // 2, 0), ""
        yield ("bilateral 2-D, radius 3", bilateral + " 2", "OpenCV bilateralFilter",
               slices(lambda s: cv2.bilateralFilter(s, 7, SIGMA_RANGE, SIGMA_SPATIAL)), None, (3, 0), "a disc instead of the square")
        yield ("nlm 3-D 3^3 in 7^3", nlm + " uniform --search-radius 3", "OpenCV fastNlMeansDenoising",
               slices(lambda s: cv2.fastNlMeansDenoising(np.clip(s + 0.5, 0, 255).astype(np.uint8), None, H, 3, 7)), None, (4, 4), "2-D, 8 bits")
    if restoration:
        yield ("bilateral 2-D, radius 3", bilateral + " 2", "scikit-image denoise_bilateral",
               slices(lambda s: scaled(restoration.denoise_bilateral, s, win_size=7, sigma_spatial=SIGMA_SPATIAL)), None, (3, 0), "other spatial weights")
    if itk:
        yield "median 3-D 3^3", "--filter median --dims 3", "ITK MedianImageFilter", "median", 0, (1, 1), ""
        yield "bilateral 3-D, radius 3", bilateral + " 3", "ITK BilateralImageFilter", "bilateral", 0.1, (3, 3), ""
    for radius in (3, 5):
        name, edges = f"nlm 3-D 3^3 in {2 * radius + 1}^3", (radius + 1,) * 2
        if nlmeans:
            yield (name, f"{nlm} uniform --search-radius {radius}", "dipy nlmeans",
                   lambda v, r=radius: nlmeans.nlmeans(v, H, patch_radius=1, block_radius=r, rician=False), None, edges, "weights that it does not document")
        if restoration:
            yield (name, f"{nlm} uniform --search-radius {radius}", "scikit-image denoise_nl_means, fast",
                   lambda v, r=radius: restoration.denoise_nl_means(v, 3, r, H, fast_mode=True, preserve_range=True), None, edges,
                   "sums 2^3 differences of a patch")
        if restoration and radius == 3:  # the next takes minutes
            yield (name + ", Gaussian", f"{nlm} gaussian --patch-sigma 0.5 --search-radius {radius}", "scikit-image denoise_nl_means",
                   lambda v, r=radius: restoration.denoise_nl_means(v, 3, r, H, fast_mode=False, preserve_range=True), 0.2, edges, "")


def scaled(f, s, **arguments):
    """Filters a slice of values that are not negative, as scikit-image wants them, with the range's sigma in proportion."""
    low, high = float(s.min()), float(s.max())
    return f((s - low) / (high - low), sigma_color=SIGMA_RANGE / (high - low), bins=100000, **arguments) * (high - low) + low


def peer(f, v, work):
    """Returns the seconds and the result of a library's filter: a function, or a name of itk.cxx's."""
    if callable(f):
        return least(lambda: f(v))
    out = os.path.join(work, "itk.nii")
    done = subprocess.run([itk, f, str(RUNS), str(ENOUGH), volume, out], check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout), load(out)


nibabel, ndimage, cv2 = module("nibabel"), module("scipy.ndimage"), module("cv2")
restoration, nlmeans = module("skimage.restoration"), module("dipy.denoise.nlmeans")
if nibabel is None:
    sys.exit(1)
program, volume, work = sys.argv[1:4]
itk = sys.argv[4] if len(sys.argv) > 4 else ""


def main():
    voxels = load(volume)
    quell = Quell(program, volume, work)
    wrong = 0
    print("| filter | Quell | library | | times | difference, largest and rms |\n| --- | --- | --- | --- | --- | --- |")
    for name, arguments, library, f, agrees, (xy, z), note in rows():
        ours, want = quell.run(arguments)
        inner = np.s_[z:len(voxels) - z, xy:-xy, xy:-xy]
        theirs, got = peer(f, voxels, work)
        difference = np.abs(got[inner].astype(np.float64) - want[inner])
        largest, rms = difference.max(), np.sqrt(np.mean(difference ** 2))
        if agrees is not None and not rms <= agrees:
            wrong += 1
            print(f"| {name} | | {library} | | | {largest:.2g}, {rms:.2g}: not the same, not timed |", flush=True)
            continue
        says = note or f"{largest:.2g}, {rms:.2g}"
        times = f"{theirs / ours:.1f}" if ours > 0.03 else ""  # below, the subtraction is too uncertain
        print(f"| {name} | {max(ours, 0):.2f} | {library} | {theirs:.2f} | {times} | {says} |", flush=True)
    return wrong


sys.exit(1 if main() else 0)
