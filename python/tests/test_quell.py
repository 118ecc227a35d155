"""Tests of the package quell, against the command line that it runs. unittest and numpy are all that they need."""

import gc
import importlib
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np

import quell
from quell import _memory, _process


def volume(shape=(6, 30, 34), seed=1):
    """A ball of 400 in a background of Rician noise of 10."""
    rng = np.random.default_rng(seed)
    y, x = np.ogrid[: shape[-2], : shape[-1]]
    inside = (x - shape[-1] / 2) ** 2 + (y - shape[-2] / 2) ** 2 < (min(shape[-2:]) / 2.5) ** 2
    clean = np.broadcast_to(np.where(inside, 400.0, 0.0), shape)
    return np.hypot(clean + 10 * rng.standard_normal(shape), 10 * rng.standard_normal(shape)).astype(np.float32)


def write_nifti(path, array, spacing=(1, 1, 1)):
    """Writes a NIfTI-1 file with an affine of the spacing alone."""
    dz, dy, dx = spacing
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, array.ndim, *array.shape[::-1], *[1] * (7 - array.ndim))
    struct.pack_into("<2h", header, 70, 16, 32)
    struct.pack_into("<8f", header, 76, 1, dx, dy, dz, 0, 0, 0, 0)
    struct.pack_into("<f", header, 108, 352)
    struct.pack_into("<2f", header, 112, 1, 0)
    header[123] = 2
    struct.pack_into("<2h", header, 252, 0, 1)
    struct.pack_into("<12f", header, 280, dx, 0, 0, 0, 0, dy, 0, 0, 0, 0, dz, 0)
    header[344:348] = b"n+1\0"
    with open(path, "wb") as f:
        f.write(bytes(header) + array.astype("<f4").tobytes())


class CommandLine(unittest.TestCase):
    """Results are those of the command line."""

    def filtered(self, array, *flags, spacing=(1, 1, 1), mask=None, stderr=None):
        with tempfile.TemporaryDirectory() as folder:
            source, out = os.path.join(folder, "in.nii"), os.path.join(folder, "out.nii")
            write_nifti(source, array, spacing)
            if mask is not None:
                write_nifti(os.path.join(folder, "mask.nii"), mask.astype(np.float32), spacing)
                flags += ("--mask", os.path.join(folder, "mask.nii"))
            subprocess.run([_process.program(), "denoise", source, out, *flags], check=True, stdout=subprocess.DEVNULL, stderr=stderr)
            with open(out, "rb") as f:
                return np.frombuffer(f.read(), "<f4", offset=352).reshape(array.shape)

    def same(self, got, want):
        self.assertEqual(got.dtype, np.float32)
        self.assertEqual(got.tobytes(), want.tobytes())

    def test_defaults(self):
        a = volume()
        self.same(quell.denoise(a), self.filtered(a, "--filter", "nlm", "--dims", "auto"))

    def test_one_word_one_default(self):
        """A name alone gives the same voxels, of CT and MR, of thin and thick slices; a multiple of sigma counts in the figure of estimate."""
        head = np.where(volume((6, 96, 96)) > 200, 40, -1000) + 12 * np.random.default_rng(2).standard_normal((6, 96, 96))
        for modality, a in ((None, volume()), ("MR", volume()), ("CT", head.astype(np.float32))):
            flags = () if modality is None else ("--modality", modality)
            for spacing in ((1, 1, 1), (5, 1, 1)):
                for word, options in (("nlm", {}), ("prinlm", {}), ("bilateral", {}), ("slab", {}), ("nlm", {"h": "1.2sigma"})):
                    with self.subTest(modality=modality, spacing=spacing, word=word, options=options):
                        got = quell.denoise(a, word, modality=modality, spacing=spacing, details=True, **options)
                        values = [text for name, value in options.items() for text in ("--" + name, value)]
                        self.same(got.array, self.filtered(a, "--filter", word, *values, *flags, spacing=spacing))
                        if options:
                            shown = quell.estimate(a, modality=modality, spacing=spacing).sigma
                            self.assertAlmostEqual(got.recipe["parameters"]["h"], 1.2 * shown, places=4)
        with self.assertRaisesRegex(quell.QuellError, "needs the noise of the series"):
            quell.denoise(volume(), "nlm", h="1.2sigma", modality="CT")  # no soft tissue
        with self.assertRaises(subprocess.CalledProcessError):
            self.filtered(volume(), "--filter", "nlm", "--h", "1.2sigma", "--modality", "CT", stderr=subprocess.DEVNULL)

    def test_series(self):
        """A 4-D array is filtered as a 4-D file, by lowrank as a whole and by others volume by volume."""
        rng = np.random.default_rng(5)
        change = 1 + 0.1 * rng.standard_normal((10, 1, 1, 1))
        a = (change * volume((4, 24, 26)) + 10 * rng.standard_normal((10, 4, 24, 26))).astype(np.float32)
        for word in ("lowrank", "median"):
            with self.subTest(word=word):
                got = quell.denoise(a, word, spacing=(3, 2, 2), details=True)
                self.same(got.array, self.filtered(a, "--filter", word, spacing=(3, 2, 2)))
                self.assertEqual(len(got.details["volumes"]), 10)
                self.assertEqual(got.recipe["filter"], word)
        mask = np.zeros((4, 24, 26), bool)
        mask[:, 4:20, 4:20] = True
        quiet = quell.denoise(a, "lowrank", spacing=(3, 2, 2), mask=mask, sigma=10)
        self.assertTrue(np.array_equal(quiet[:, ~mask], a[:, ~mask]) and not np.array_equal(quiet[:, mask], a[:, mask]))
        a[3, 1, 2, 3] = np.nan
        self.assertTrue(np.isnan(quell.denoise(a, "median")[3, 1, 2, 3]))
        with self.assertRaisesRegex(quell.QuellError, "8"):
            quell.denoise(a[:4], "lowrank")
        with self.assertRaisesRegex(quell.QuellError, "4-D series"):
            quell.denoise(a[0], "lowrank")

    def test_parameters(self):
        a = volume()
        for flags, options in (
            (("--filter", "nlm", "--dims", "3", "--h", "12"), {"filter": "nlm", "dims": 3, "h": 12}),
            (("--filter", "nlm", "--dims", "3", "--h", "12"), {"filter": "nlm", "dims": 3, "h": np.float64(12)}),
            (("--filter", "bilateral", "--dims", "2", "--sigma-range", "1.5sigma"), {"filter": "bilateral", "dims": 2, "sigma_range": "1.5sigma"}),
            (("--filter", "median", "--dims", "3", "--radius", "2,1,1"), {"filter": "median", "dims": 3, "radius": (2, 1, 1)}),
            (("--filter", "odct", "--modality", "MR"), {"filter": "odct", "dims": 3, "modality": "MR"}),
            (("--preset", "mr-brain-3d-fast"), {"preset": "mr-brain-3d-fast"}),
            (("--filter", "nlm", "--dims", "2", "--noise-map", "auto"), {"filter": "nlm", "dims": 2, "noise_map": "auto"}),
        ):
            with self.subTest(flags=flags):
                self.same(quell.denoise(a, **options), self.filtered(a, *flags))

    def test_spacing_and_affine(self):
        a = volume((4, 20, 24))
        want = self.filtered(a, "--filter", "gaussian", "--dims", "3", "--sigma-spatial", "2", spacing=(3, 0.5, 1))
        options = {"filter": "gaussian", "dims": 3, "sigma_spatial": 2}
        self.same(quell.denoise(a, spacing=(3, 0.5, 1), **options), want)
        self.same(quell.denoise(a, affine=np.diag([1, 0.5, 3, 1]), **options), want)
        self.assertNotEqual(quell.denoise(a, **options).tobytes(), want.tobytes())

    def test_mask_and_holes(self):
        a = volume()
        mask = np.zeros(a.shape, bool)
        mask[:, 5:25, 5:25] = True
        quiet = quell.denoise(a, "median", dims=3, mask=mask)
        self.same(quiet, self.filtered(a, "--filter", "median", "--dims", "3", mask=mask))
        self.assertTrue(np.array_equal(quiet[~mask], a[~mask]))
        a[2, 3, 4], a[1, 1, 1] = np.nan, np.inf
        quiet = quell.denoise(a, "median", dims=3)
        self.same(quiet, self.filtered(a, "--filter", "median", "--dims", "3"))
        np.testing.assert_array_equal(quiet[~np.isfinite(a)], a[~np.isfinite(a)])  # padding is as it was

    def test_masked_arrays(self):
        """A voxel that is masked is padding, and masked in the result; what lies under the mask is not seen."""
        a = volume()
        for kind in (np.float32, np.int16):
            hidden = np.ma.masked_greater(a.astype(kind), 420)
            holes = a.astype(kind).astype(np.float32)
            holes[hidden.mask] = np.nan
            quiet = quell.denoise(hidden, "median", dims=3)
            self.assertIsInstance(quiet, np.ma.MaskedArray)
            self.assertTrue(np.array_equal(quiet.mask, hidden.mask) and quiet.mask.any())
            self.same(quiet.data, quell.denoise(holes, "median", dims=3))
            self.assertTrue(np.array_equal(hidden.mask, quell.estimate(hidden, map=True).map.mask))
        whole = quell.denoise(np.ma.MaskedArray(a), "median", dims=3)
        self.assertFalse(np.ma.getmaskarray(whole).any())
        self.same(whole.data, quell.denoise(a, "median", dims=3))
        shared = quell.empty(a.shape)
        shared[...] = a
        quell.denoise(np.ma.masked_greater(shared, 420, copy=False), "median")
        self.same(shared, a)
        inside = np.zeros(a.shape, bool)
        inside[:, 5:25, 5:25] = True
        mask = np.ma.MaskedArray(np.ones(a.shape, bool), mask=~inside)
        self.same(quell.denoise(a, "median", mask=mask), quell.denoise(a, "median", mask=inside))

    def test_one_slice(self):
        a = volume((30, 34))
        quiet = quell.denoise(a, "nlm", spacing=(0.5, 0.5))
        self.assertEqual(quiet.shape, a.shape)
        self.same(quiet[None], self.filtered(a[None], "--filter", "nlm", "--dims", "2", spacing=(1, 0.5, 0.5)))


class Arrays(unittest.TestCase):
    """Arrays of any type and layout."""

    def test_types(self):
        a = np.rint(volume())
        want = quell.denoise(a, "median", dims=3)
        for dtype in ("int16", "uint16", "int32", "uint32", "int64", "float32", "float64", ">i2", ">f4", ">f8"):
            with self.subTest(dtype=dtype):
                got = quell.denoise(a.astype(dtype), "median", dims=3)
                self.assertEqual((got.dtype, got.tobytes()), (np.float32, want.tobytes()))
        small = np.clip(a / 4, 0, 200).astype(np.uint8)
        self.assertEqual(quell.denoise(small, "median").tobytes(), quell.denoise(small.astype(np.float16), "median").tobytes())

    def test_layouts(self):
        a = volume((8, 20, 24))
        for name, view in (("fortran", np.asfortranarray(a)), ("strided", np.repeat(a, 2, 1)[:, ::2]), ("reversed", a[::-1][::-1]), ("list", a.tolist())):
            with self.subTest(name):
                self.assertEqual(quell.denoise(view, "median", dims=3).tobytes(), quell.denoise(a, "median", dims=3).tobytes())
        turned = quell.denoise(a.transpose(2, 1, 0), "median", dims=3)
        self.assertEqual(turned.transpose(2, 1, 0).tobytes(), quell.denoise(a, "median", dims=3).tobytes())

    def test_large_copies_are_divided(self):
        a = np.arange(3 * 1000 * 1001, dtype=np.int32).reshape(3, 1000, 1001)
        to = np.zeros(a.shape, np.float32)
        _memory.copy(to, a)
        self.assertTrue(np.array_equal(to, a))

    def test_input_is_not_changed(self):
        a = volume()
        before = a.tobytes()
        once = quell.denoise(a, "median", dims=3)
        kept = once.tobytes()
        twice = quell.denoise(once, "gaussian", dims=3)  # lies in shared memory
        self.assertEqual((a.tobytes(), once.tobytes()), (before, kept))
        self.assertEqual(twice.tobytes(), quell.denoise(once.copy(), "gaussian", dims=3).tobytes())

    def test_empty_is_not_copied(self):
        a = quell.empty((6, 30, 34))
        a[:] = volume()
        segment, offset = _memory.owner_of(a[2:])
        self.assertEqual((segment.path, offset), (_memory.owner_of(a)[0].path, 4 * 2 * 30 * 34))
        self.assertIsNone(_memory.owner_of(a[:, 1:]))
        self.assertEqual(quell.denoise(a, "median", dims=3).tobytes(), quell.denoise(volume(), "median", dims=3).tobytes())
        self.assertEqual(quell.denoise(a[2:], "median").tobytes(), quell.denoise(volume()[2:], "median").tobytes())
        self.assertEqual(quell.empty(5).shape, (5,))

    def test_results_are_apart(self):
        arrays = [volume(seed=n) for n in range(4)]
        results = [quell.denoise(a, "median", dims=3) for a in arrays]
        views = [r[1:, ::2] for r in results]
        kept = [v.copy() for v in views]
        del results
        gc.collect()
        for a in arrays:
            quell.denoise(a, "gaussian", dims=3)
        for view, want in zip(views, kept):
            self.assertTrue(np.array_equal(view, want))

    def test_memory_is_used_again(self):
        a = volume((4, 100, 100))
        pool = _process.process().pool
        for _ in range(5):
            quell.denoise(a, "median")
        gc.collect()
        self.assertLessEqual(len(pool._free), 4)
        self.assertLessEqual(len(_process.process()._mapped), 8)
        kept, _memory.KEPT_BYTES = _memory.KEPT_BYTES, 0
        try:
            quell.denoise(a, "median")
            gc.collect()
            self.assertEqual((len(pool._free), len(_process.process()._mapped)), (0, 0))
        finally:
            _memory.KEPT_BYTES = kept


class Answers(unittest.TestCase):
    """What is returned besides arrays."""

    def test_details(self):
        a = volume()
        r = quell.denoise(a, "nlm", dims=3, details=True, assess=True)
        self.assertIsInstance(r, quell.Result)
        self.assertEqual((r.recipe["filter"], r.asked["parameters"]["h"], r.engine), ("nlm", "auto", "cpu"))
        self.assertAlmostEqual(r.sigma, 10, delta=2)
        self.assertIn(r.judgement, ("nothing", "little", "good", "fades", "texture", "unknown"))
        again = quell.denoise(a, recipe=r.recipe)
        self.assertEqual(again.tobytes(), r.array.tobytes())
        stronger = quell.denoise(a, recipe=r.recipe, h=60, details=True)
        self.assertEqual(stronger.recipe["parameters"]["h"], 60)

    def test_estimate(self):
        e = quell.estimate(volume((10, 60, 60)), map=True)
        self.assertAlmostEqual(e.sigma, 10, delta=1.5)
        self.assertEqual((len(e.per_slice), e.map.shape), (10, (10, 60, 60)))
        self.assertIn(e.model, ("gaussian", "rician"))
        none = quell.estimate(np.eye(3))
        self.assertEqual((none.sigma, none.per_slice), (None, [None]))
        self.assertTrue(none.why)

    def test_assess(self):
        a = volume((10, 60, 60))
        r = quell.denoise(a, "nlm", dims=3, details=True)
        v = quell.assess(a, r.array, recipe=r.recipe)
        self.assertIn(v.judgement, ("nothing", "little", "good", "fades", "texture", "unknown"))
        self.assertAlmostEqual(v.sigma, 10, delta=1.5)
        self.assertTrue(v.why)

    def test_warning(self):
        with self.assertWarns(quell.QuellWarning) as w:
            quell.denoise(np.zeros((4, 12, 12)), "nlm", dims=3)
        self.assertEqual(w.filename, __file__)

    def test_progress(self):
        seen = []
        quell.denoise(volume((24, 128, 128)), "nlm", dims=3, search_radius=4, progress=lambda done, total: seen.append((done, total)))
        self.assertTrue(all(0 <= done <= total for done, total in seen), seen)


class Errors(unittest.TestCase):
    """Errors are one sentence, and the next call works."""

    def refused(self, text, kind, call):
        with self.assertRaises(quell.QuellError) as e:
            call()
        self.assertIn(text, str(e.exception))
        self.assertEqual(e.exception.kind, kind)
        return e.exception
        self.assertNotIn("\n", str(e.exception))

    def test_requests(self):
        a = volume((3, 12, 12))
        for text, call in (
            ('"nml"', lambda: quell.denoise(a, "nml")),
            ("median has no parameter h; it has radius", lambda: quell.denoise(a, "median", h=3)),
            ("nlm has no parameter patch_size; it has h, patch_radius,", lambda: quell.denoise(a, "nlm", patch_size=3)),
            ("nlm: patch_radius: -3 is outside", lambda: quell.denoise(a, "nlm", patch_radius=-3)),
            ("dims is 4", lambda: quell.denoise(a, dims=4)),
            ("no engine is called", lambda: quell.denoise(a, engine="tpu")),
            ("the modality", lambda: quell.denoise(a, modality="PT")),
            ("the spacing has 2 numbers and the array 3 axes", lambda: quell.denoise(a, spacing=(1, 1))),
            ("positive", lambda: quell.denoise(a, spacing=(1, 0, 1))),
            ("not both", lambda: quell.denoise(a, spacing=(1, 1, 1), affine=np.eye(4))),
            ("4 x 4", lambda: quell.denoise(a, affine=np.eye(2))),
            ("not finite", lambda: quell.denoise(a, h=float("nan"))),
            ("the mask is of shape (2, 12, 12)", lambda: quell.denoise(a, mask=a[:2])),
            ("the noise map is of shape", lambda: quell.denoise(a, noise_map=a[:2])),
            ("the result is of shape", lambda: quell.assess(a, a[:2])),
            ("complex64", lambda: quell.denoise(a * 1j)),
            ("is of type", lambda: quell.denoise(["a"])),
            ("has 4 axes", lambda: quell.estimate(a[None])),
            ("has 5 axes", lambda: quell.denoise(a[None, None])),
            ("axes in space", lambda: quell.denoise(a[None], spacing=(1, 1, 1, 1))),
            ("has 1 axis;", lambda: quell.denoise(a[0, 0])),
            ("is empty", lambda: quell.denoise(a[:0])),
        ):
            with self.subTest(text):
                self.assertIsInstance(self.refused(text, "usage", call), TypeError if "type" in text or "complex" in text else ValueError)
        e = self.refused("has no finite number", "input", lambda: quell.denoise(a * np.nan, "median"))
        self.assertNotIsInstance(e, (ValueError, TypeError))
        self.refused("leaves no voxel", "input", lambda: quell.denoise(a, "median", mask=a * 0))
        self.assertEqual(quell.denoise(a, "median").shape, a.shape)

    def test_napari(self):
        """Every command of the plugin's manifest can be imported."""
        manifest = os.path.join(os.path.dirname(quell.__file__), "napari.yaml")
        with open(manifest, encoding="utf-8") as f:
            names = re.findall(r"python_name: (\S+):(\S+)", f.read())
        self.assertEqual(len(names), 2)
        for module, name in names:
            self.assertTrue(callable(getattr(importlib.import_module(module), name)))

    def test_memory(self):
        """What does not fit is refused before it takes memory."""
        huge = np.broadcast_to(np.float32(1), (4000, 4000, 4000))
        for ask in (lambda: quell.denoise(huge, "gaussian"), lambda: quell.estimate(huge), lambda: quell.assess(huge, huge), lambda: quell.empty(huge.shape)):
            with self.assertRaisesRegex(MemoryError, r"needs [0-9.]+ GB of memory and [0-9.]+ [GM]B is free") as e:
                ask()
            self.assertIsInstance(e.exception, quell.QuellMemoryError)
        self.assertEqual(quell.denoise(volume(), "gaussian").shape, volume().shape)

    def test_died_between_calls(self):
        a = volume((3, 12, 12))
        want = quell.denoise(a, "median")
        child = _process.process()._child
        child.kill()
        child.wait()
        self.assertEqual(quell.denoise(a, "median").tobytes(), want.tobytes())
        quell.close()
        self.assertEqual(quell.denoise(want, "median").shape, a.shape)

    def test_died_between_segments(self):
        """A process that ends after the array was mapped is not replaced by one that knows other arrays by its numbers."""
        a = volume((3, 12, 12))
        quell.close()  # a new process maps the array anew
        mapped = _process.Process.number

        def number(p, segment):
            n = mapped(p, segment)
            p._child.kill()
            p._child.wait()
            return n

        _process.Process.number = number
        try:
            self.refused("the quell process ended with signal 9", "internal", lambda: quell.denoise(a, "median", mask=a > 0))
        finally:
            _process.Process.number = mapped
        self.assertEqual(quell.denoise(a, "median").shape, a.shape)

    def test_died_at_work(self):
        a = volume((24, 128, 128))

        def kill(done, total):
            _process.process()._child.send_signal(signal.SIGKILL)

        def call():
            quell.denoise(a, "nlm", dims=3, h=50, search_radius=10, patch_radius=3, progress=kill)

        self.refused("the quell process ended with signal 9", "internal", call)
        self.assertEqual(quell.denoise(a[0], "median").shape, a.shape[1:])

    def test_cancel(self):
        a = volume((64, 256, 256))

        def stop(done, total):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            quell.denoise(a, "nlm", dims=3, h=50, search_radius=10, patch_radius=3, progress=stop)
        child = _process.process()._child
        self.assertEqual(quell.denoise(a[0], "median").shape, a.shape[1:])
        self.assertIs(_process.process()._child, child)

    def test_no_program(self):
        self.addCleanup(quell.close)
        quell.close()
        before = os.environ.get("QUELL_PROGRAM")
        try:
            os.environ["QUELL_PROGRAM"] = "/nowhere/quell"
            self.refused("/nowhere/quell cannot be started", "usage", lambda: quell.denoise(volume()))
            os.environ["QUELL_PROGRAM"] = "/bin/true"
            self.refused("ended with code 0", "internal", lambda: quell.denoise(volume()))
        finally:
            os.environ.pop("QUELL_PROGRAM")
            if before is not None:
                os.environ["QUELL_PROGRAM"] = before


class Programs(unittest.TestCase):
    """Threads, forks and the end of a program."""

    def test_threads(self):
        arrays = [volume((4, 24, 24), seed=n) for n in range(4)]
        want = [quell.denoise(a, "median", dims=3).tobytes() for a in arrays]
        got = [None] * len(arrays)

        def work(n):
            for _ in range(5):
                got[n] = quell.denoise(arrays[n], "median", dims=3).tobytes()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(arrays))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, want)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_fork(self):
        a = volume((4, 24, 24))
        want = quell.denoise(a, "median", dims=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            same = quell.denoise(a, "median", dims=3).tobytes() == want.tobytes()
            quell.close()
            os._exit(0 if same else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(quell.denoise(a, "median", dims=3).tobytes(), want.tobytes())

    def test_end(self):
        """The process ends with the program, also after a kill."""
        code = (
            "import quell, numpy, os, signal, sys\nfrom quell import _process\n"
            "quell.denoise(numpy.eye(20), 'median')\nprint(_process.process()._child.pid, flush=True)\n"
            "if sys.argv[1] == 'kill': os.kill(os.getpid(), signal.SIGKILL)"
        )
        for how in ("exit", "kill"):
            with self.subTest(how):
                done = subprocess.run([sys.executable, "-W", "error", "-c", code, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.stderr, b"")
                pid = int(done.stdout)
                for _ in range(1000):
                    try:
                        with open(f"/proc/{pid}/stat") as f:
                            if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                                break  # whoever adopted it has not looked yet
                    except OSError:
                        break
                    threading.Event().wait(0.01)
                else:
                    self.fail("the process outlives the program")

    def test_command_line(self):
        done = subprocess.run([sys.executable, "-m", "quell", "version"], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"quell", done.stdout)


if __name__ == "__main__":
    unittest.main()
