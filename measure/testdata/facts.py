"""Writes facts.json: what numpy and scikit-image measure on images that the
tests can make themselves, bit for bit, from a linear congruential generator.

    python3 facts.py
"""
import json, os
import numpy as np
from skimage.metrics import mean_squared_error, peak_signal_noise_ratio, structural_similarity


def draw(seed, shape):
    """Multiples of 1/16 from 0 to 256, as testvolume_test.go draws them."""
    state, out = seed, np.empty(int(np.prod(shape)))
    for i in range(out.size):
        state = (state * 1664525 + 1013904223) % 2**32
        out[i] = (state >> 20) / 16
    return out.reshape(shape)


def pair(shape, offset, noise):
    z, y, x = np.indices(shape)
    ref = offset + 7.0 * x + 3.0 * y + 11.0 * z + 200.0 * ((x // 5 + y // 4 + z // 3) % 2) + draw(1, shape) / 16
    return ref, ref + (draw(2, shape) - 128) * noise


def mssim(ref, test, mx, mask=None):
    value, image = structural_similarity(ref, test, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=mx, full=True)
    if mask is None:
        return value, None
    inner = tuple(slice(5, -5) for _ in ref.shape)
    return image[inner][mask[inner]].sum(), mask[inner].sum()


facts = []
for shape, offset, noise, mx in [
    ((1, 32, 31), 0, 0.5, 255), ((5, 11, 11), 0, 0.125, 0), ((13, 17, 19), -1024, 1, 0), ((12, 45, 70), 0, 0.25, 1000),
    ((11, 75, 16), 100000, 0.5, 0), ((3, 10, 40), 0, 0.5, 0),
]:
    ref, test = pair(shape, offset, noise)
    ref, test = ref.astype(np.float32).astype(float), test.astype(np.float32).astype(float)
    use = mx or ref.max() - ref.min()
    mask = draw(3, shape) > 100
    fact = {
        "dims": shape[::-1], "offset": offset, "noise": noise, "max": mx, "used": use,
        "mse": mean_squared_error(ref, test), "psnr": peak_signal_noise_ratio(ref, test, data_range=use),
        "worst": np.abs(ref - test).max(), "masked_mse": ((ref - test)[mask] ** 2).mean(), "masked_voxels": int(mask.sum()),
        "ssim": None, "ssim_3d": None, "masked_ssim": None, "masked_ssim_3d": None,
    }
    if min(shape[1:]) >= 11:
        fact["ssim"] = np.mean([mssim(r, t, use)[0] for r, t in zip(ref, test)])
        sums = [mssim(r, t, use, m) for r, t, m in zip(ref, test, mask)]
        fact["masked_ssim"] = sum(s for s, _ in sums) / sum(n for _, n in sums)
    if min(shape) >= 11:
        fact["ssim_3d"] = mssim(ref, test, use)[0]
        total, n = mssim(ref, test, use, mask)
        fact["masked_ssim_3d"] = total / n
    facts.append(fact)

folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "facts.json"), "w") as f:
    json.dump({"comparisons": facts}, f, indent=1, default=float)
