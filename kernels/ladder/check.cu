// Compares every kernel and option with the float64 reference on this machine's
// device: sizes 1, 2, 31, 32, 33 and non-cubic, parts of volumes, slabs, masks, many
// radii. Outputs are filled with NaN before and surrounded by guard bands, and every
// case runs twice and must give the same bits.
//
//   nvcc -O2 -std=c++17 -o check ladder/check.cu -lcuda
//   ./check [--small | --fewest] [--times PART] [FOLDER]   FOLDER holds the fatbins, "." by default
//
// --small selects cases that compute-sanitizer's memcheck finishes in minutes, --fewest one
// or two small ones for every kernel, which its racecheck does. --times times the works of
// times.h whose name contains PART instead, "" for all.
#include "reference.h"
#include "blocks.h"
#include "bnlm.h"
#include "sadct.h"
#include "times.h"

#include <array>
#include <cstring>
#include <random>

// Case is one recipe on one volume.
struct Case {
    Recipe recipe;
    int dims[3];
    bool masked = false, part = false, thin = false; // thin: one column along x
    float offset = 0; // added to every voxel
    bool flat = false;
};

static std::string describe(const Case &c)
{
    const Recipe &r = c.recipe;
    char text[256];
    int n = std::snprintf(text, sizeof text, "%s %dd %dx%dx%d%s%s", r.filter.c_str(), r.dims, c.dims[0], c.dims[1], c.dims[2],
                          c.masked ? " masked" : "", c.part ? " part" : c.thin ? " thin" : "");
    if (r.filter == "nlm")
        std::snprintf(text + n, sizeof text - n, " f=%d s=%d g=%g h=%g sigma=%g%s%s%s lk=%d%s", r.patch, r.search, r.patchSigma,
                      r.h, r.sigma, r.rho[0] != 0 ? " correlated" : "", r.one ? " one" : "", r.rician ? " rician" : "", r.lk,
                      r.sharedFrom >= 0 ? " shared" : "");
    else if (r.filter == "lpa")
        std::snprintf(text + n, sizeof text - n, " sigma=%g scales=%zu", r.sigma, r.scales.size());
    else
        std::snprintf(text + n, sizeof text - n, " r=%d,%d,%d", r.radius[0], r.radius[1], r.radius[2]);
    return text;
}

// volumeFor returns a volume with blobs, edges and noise, and padding with arbitrary
// values.
static Volume volumeFor(const Case &c, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, 10);
    Volume v{{c.dims[0], c.dims[1], c.dims[2]}, {}, {}};
    for (int z = 0; z < c.dims[2]; ++z)
        for (int y = 0; y < c.dims[1]; ++y)
            for (int x = 0; x < c.dims[0]; ++x) {
                float value = 100 + 60 * std::sin(0.31f * x) * std::cos(0.23f * y + 0.4f * z);
                if ((x / 7 + y / 9 + z / 3) % 3 == 0) value += 80;
                value = c.flat ? 42 : std::fabs(value + noise(random));
                v.data.push_back(value + c.offset);
            }
    if (c.masked) {
        v.mask.assign(v.data.size(), 1);
        for (std::size_t i = 0; i < v.mask.size(); ++i) {
            int x = int(i % c.dims[0]), y = int(i / c.dims[0] % c.dims[1]);
            bool pad = (x > c.dims[0] * 2 / 3 && y < c.dims[1] / 2) || (x < 3 && y < 2) || random() % 17 == 0;
            if (!pad) continue;
            v.mask[i] = 0;
            v.data[i] = random() % 2 ? -2000 : 17;
        }
    }
    return v;
}

// regionFor returns the whole volume or a box inside it.
static Region regionFor(const Case &c)
{
    Region r{{0, 0, 0}, {c.dims[0], c.dims[1], c.dims[2]}};
    if (c.part)
        for (int k = 0; k < 3; ++k) {
            r.min[k] = c.dims[k] / 3;
            r.max[k] = std::max(r.min[k] + 1, c.dims[k] * 3 / 4);
        }
    if (c.thin) {
        r.min[0] = c.dims[0] / 2;
        r.max[0] = r.min[0] + 1;
    }
    return r;
}

// doesNotReadPadding returns whether the results have the same bits if padding holds
// other values, which must be returned unchanged.
static bool doesNotReadPadding(Device &device, const std::vector<Launch> &launches, Volume v, const Region &box, int first,
                               Buffer &in, Buffer &out, const std::vector<float> &before)
{
    for (std::size_t i = 0; i < v.data.size(); ++i)
        if (!v.mask[i]) v.data[i] = -30000;
    in.put(v.data.data() + v.index(0, 0, first));
    out.poison();
    device.start(launches);
    CU(cuCtxSynchronize());
    std::vector<float> after(before.size());
    out.get(after.data());
    std::size_t i = 0;
    for (int z = box.min[2]; z < box.max[2]; ++z)
        for (int y = box.min[1]; y < box.max[1]; ++y)
            for (int x = box.min[0]; x < box.max[0]; ++x, ++i)
                if (after[i] != (v.valid(x, y, z) ? before[i] : -30000)) return false;
    return true;
}

static bool run(Device &device, const Case &c, unsigned seed)
{
    const Recipe &r = c.recipe;
    Volume v = volumeFor(c, seed);
    Region box = regionFor(c);
    const int first = std::max(0, box.min[2] - r.reach(2)), end = std::min(c.dims[2], box.max[2] + r.reach(2));
    const std::size_t plane = std::size_t(c.dims[0]) * c.dims[1], voxels = box.voxels();

    // Only the slab is in the buffer: a read beside it gives NaN.
    Buffer in(plane * (end - first) * 4), out(voxels * 4), mask(c.masked ? plane * (end - first) : 4), map(voxels * 8);
    in.put(v.data.data() + plane * first);
    if (c.masked) mask.put(v.mask.data() + plane * first);
    Field f{};
    f.in = in.as<float>();
    f.mask = c.masked ? mask.as<std::uint8_t>() : nullptr;
    f.out = out.as<float>();
    f.first = first;
    f.slices = end - first;
    for (int k = 0; k < 3; ++k) {
        f.dims[k] = c.dims[k];
        f.min[k] = box.min[k];
        f.max[k] = box.max[k];
    }
    std::vector<Launch> launches = launchesFor(r, f, map.as<unsigned long long>());
    std::vector<float> got(voxels), again(voxels);
    std::vector<unsigned char> gotMap(8 * voxels), wantMap;
    device.start(launches);
    cuCheck(cuCtxSynchronize(), describe(c).c_str());
    out.get(got.data());
    map.get(gotMap.data());
    bool guarded = out.guarded() && map.guarded();
    out.poison();
    device.start(launches);
    CU(cuCtxSynchronize());
    out.get(again.data());
    bool ignoresPadding = r.filter == "nlm" || !c.masked || doesNotReadPadding(device, launches, v, box, first, in, out, got);

    std::vector<float> want = reference(r, v, box, wantMap);
    double lo = INFINITY, hi = -INFINITY, worst = 0, squares = 0;
    for (std::size_t i = 0; i < v.data.size(); ++i)
        if (v.mask.empty() || v.mask[i]) lo = std::min(lo, double(v.data[i])), hi = std::max(hi, double(v.data[i]));
    const double range = hi > lo ? hi - lo : 1;
    bool finite = true;
    for (std::size_t i = 0; i < voxels; ++i) {
        double d = std::fabs(double(got[i]) - want[i]) / range;
        finite &= std::isfinite(got[i]);
        worst = std::max(worst, d);
        squares += d * d;
    }
    double rms = std::sqrt(squares / voxels);
    bool same = std::memcmp(got.data(), again.data(), voxels * 4) == 0;
    bool sameMap = r.filter != "lpa" || gotMap == wantMap;
    bool unchanged = !c.flat || std::all_of(got.begin(), got.end(), [&](float x) { return x == v.data[0]; });
    bool good = finite && worst <= 1e-4 && rms <= 1e-5 && same && ignoresPadding && guarded && sameMap && (unchanged || r.rician);
    std::printf("%s  max %.1e rms %.1e of range%s%s%s%s%s%s  %s %s\n", good ? "ok  " : "FAIL", worst, rms, finite ? "" : " NOT FINITE",
                same ? "" : " NOT REPEATABLE", ignoresPadding ? "" : " READS PADDING", guarded ? "" : " WROTE OUTSIDE", sameMap ? "" : " DIFFERENT SCALES",
                unchanged ? "" : " FLAT CHANGED", describe(c).c_str(), launches[0].kernel.c_str());
    return good;
}

static Recipe weightedRecipe(const char *filter, int dims, int rx, int ry, int rz)
{
    Recipe r;
    r.filter = filter;
    r.dims = dims;
    r.radius[0] = rx;
    r.radius[1] = ry;
    r.radius[2] = rz;
    for (int c = 0; c < 3; ++c) r.scale[c] = 2.0 / std::max(1, r.radius[c]) * (1 + 0.1 * c);
    r.sigmaRange = 30;
    return r;
}

static std::vector<Case> cases(bool small)
{
    std::vector<Case> all;
    auto add = [&](Recipe r, int x, int y, int z, bool masked = false, bool part = false) {
        Case c{r, {x, y, z}};
        c.masked = masked;
        c.part = part;
        all.push_back(c);
    };
    // Every filter at every size, in 2-D and 3-D.
    const int sizes[][3] = {{1, 1, 1}, {2, 2, 2}, {1, 33, 2}, {31, 2, 3}, {32, 32, 4}, {33, 31, 5}, {66, 37, 7}};
    for (int dims = 2; dims <= 3; ++dims) {
        for (const auto &n : sizes) {
            if (small && n[0] * n[1] * n[2] > 6000) continue;
            for (int patch = 0; patch <= 4; ++patch) {
                if (dims == 3 && patch == 4 && n[0] * n[1] > 100) continue;
                for (double g : {0.0, 1.0}) {
                    if (patch == 0 && g > 0) continue;
                    if (dims == 3 && patch == 1 && n[2] >= 4)
                        for (bool masked : {false, true}) { // the warps of the last blocks share their voxels
                            Recipe r = nlmRecipe(dims, patch, 3, g);
                            r.sharedFrom = masked ? 1 : 2;
                            add(r, n[0], n[1], n[2], masked, masked);
                        }
                    for (int parts : {1, 4}) {
                        Recipe r = nlmRecipe(dims, patch, 3, g);
                        r.parts = parts;
                        add(r, n[0], n[1], n[2]);
                    }
                    add(nlmRecipe(dims, patch, 3, g), n[0], n[1], n[2], true);
                }
            }
            for (int r : {0, 1, 3, 4, 9}) {
                Recipe b = weightedRecipe("bilateral", dims, r, r, r);
                for (double sigma : {30.0, 4e-9}) { // with the second one only a voxel itself has a weight
                    b.sigmaRange = sigma;
                    add(b, n[0], n[1], n[2], r == 1);
                }
                add(weightedRecipe("gaussian", dims, r, r, r), n[0], n[1], n[2], r == 3);
                if (r <= 4) add(weightedRecipe("median", dims, r, r, r), n[0], n[1], n[2], r == 1);
            }
            for (int r : {1, 2})
                for (bool masked : {false, true}) add(weightedRecipe("median", dims, r, r, r), n[0], n[1], n[2], masked);
            add(weightedRecipe("bilateral", dims, 2, 5, 1), n[0], n[1], n[2], true);
            Recipe lpa;
            lpa.filter = "lpa";
            lpa.dims = 2;
            for (double sigma : {0.0, 10.0, 40.0}) {
                lpa.sigma = sigma;
                lpa.scales = {1, 2, 3, 5, 7, 8};
                add(lpa, n[0], n[1], n[2]);
                add(lpa, n[0], n[1], n[2], true);
                lpa.scales = {1, 4, 9, 32};
                add(lpa, n[0], n[1], n[2]);
                Recipe correlated = lpa;
                std::copy_n(std::initializer_list<double>{0.6, 0.2, -0.1, -0.05}.begin(), 4, correlated.rho);
                add(correlated, n[0], n[1], n[2], true);
                correlated.scales = {1, 2, 3, 5, 7, 8};
                add(correlated, n[0], n[1], n[2]);
                add(correlated, n[0], n[1], n[2], true);
            }
        }
    }
    // Every option, on a part of a volume in its own slab.
    for (int dims = 2; dims <= 3; ++dims) {
        for (int patch = 1; patch <= 3; ++patch) {
            if (small && patch == 3) continue;
            for (int option = 0; option < 10; ++option) {
                Recipe r = nlmRecipe(dims, patch, 4, option % 2 ? 1.2 : 0);
                if (option == 1) r.one = true;
                if (option == 2) r.sigma = 8;
                if (option == 3) r.rician = true, r.sigma = 9;
                if (option == 4) r.rician = true, r.one = true;
                if (option == 5) r.h = 1.5; // weights underflow in float32
                if (option == 6) r.h = 500;
                if (option > 6) { // correlated noise
                    const double rho[] = {0.6, 0.2, -0.15, -0.2, 0.4, 0.1};
                    std::copy(rho, rho + 6, r.rho);
                    r.sigma = 9;
                    r.rician = option == 8;
                    if (option == 9) r.h = 1.5, r.search = 6;
                }
                add(r, 45, 39, 14, false, true);
                add(r, 45, 39, 14, true, true);
                Case offset{r, {45, 39, 14}};
                offset.part = true;
                offset.offset = r.rician ? 300 : 30000;
                all.push_back(offset);
            }
        }
        for (int k = 1; k <= 4; ++k)
            for (bool one : {false, true}) {
                Recipe r = nlmRecipe(dims, 1, 2, k % 2 ? 1 : 0);
                r.lk = k;
                r.one = one;
                add(r, 21, 18, 6, k == 2, true);
            }
        for (const char *filter : {"bilateral", "gaussian", "median"}) add(weightedRecipe(filter, dims, 3, 5, 2), 45, 39, 14, true, true);
        for (int r : {1, 2}) add(weightedRecipe("median", dims, r, r, r), 45, 39, 14, r == 1, true);
        for (bool masked : {false, true}) add(weightedRecipe("gaussian", dims, 2, 1, 4), 70, 40, 37, masked, true); // several layers of tiles
    }
    // Weights that are all zero: one of two neighbours is the voxel itself.
    for (int k = 1; k <= 4; ++k)
        for (bool rician : {false, true}) {
            Recipe r = nlmRecipe(2, 1, 2, 1);
            r.lk = k;
            r.rician = rician;
            r.sigma = 8;
            add(r, 2, 1, 32);
        }
    // Images of one slice, of which small ones have a kernel of their own.
    for (int r : {0, 1, 2, 3, 4, 5, 6, 7, 9})
        for (bool masked : {false, true})
            for (bool part : {false, true}) {
                Recipe b = weightedRecipe("bilateral", 2, r, r, 0);
                add(b, 66, 37, 1, masked, part);
                b.sigmaRange = 4e-9;
                add(b, 66, 37, 1, masked, part);
            }
    add(weightedRecipe("bilateral", 2, 40, 2, 0), 150, 60, 1, true);
    // Every radius along x that has a kernel of its own, and those beside them.
    for (int r = 1; r <= 13; ++r)
        for (int ry : {1, 2, 5}) {
            add(weightedRecipe("bilateral", 3, r, ry, 1), 45, 39, 3, r % 2, ry == 5);
            add(weightedRecipe("bilateral", 2, r, ry, 0), 66, 37, 2, r % 2 == 0);
        }
    // A sagittal slice.
    for (int dims = 2; dims <= 3; ++dims)
        for (int patch = 0; patch <= 3; ++patch)
            for (bool masked : {false, true}) {
                Case c{nlmRecipe(dims, patch, 3, 1), {23, 70, 9}};
                c.thin = true;
                c.masked = masked;
                all.push_back(c);
                c.recipe.h = 1;
                all.push_back(c);
                c.recipe.rician = true;
                c.recipe.sigma = 4;
                all.push_back(c);
            }
    // The columns at the right edge in a launch of their own.
    for (int dims = 2; dims <= 3; ++dims)
        for (int patch = 1; patch <= 3; ++patch)
            for (double g : {0.0, 1.0})
                for (double h : {10.0, 1.0})
                    for (int column : {1, 30, 62}) {
                        Recipe r = nlmRecipe(dims, patch, 3, g);
                        r.lastColumns = column;
                        r.h = h;
                        add(r, 66, 37, 5, column == 30);
                    }
    // Corners that resemble nothing around them, and noise in which no patches are similar.
    for (int dims = 2; dims <= 3; ++dims)
        for (int patch = 0; patch <= 3; ++patch)
            for (double h : {0.3, 1.0, 4.0}) {
                Recipe r = nlmRecipe(dims, patch, 3, patch % 2);
                r.h = h;
                add(r, 37, 22, 6);
                add(r, 37, 22, 6, true, true);
            }
    // Padding at the corner of a tile, and tiles that contain only padding.
    for (const char *filter : {"bilateral", "gaussian", "median"})
        for (int dims = 2; dims <= 3; ++dims) {
            Recipe r = weightedRecipe(filter, dims, 2, 2, 2);
            r.sigmaRange = 20;
            for (const auto &n : {std::array{12, 11, 6}, std::array{70, 64, 3}, std::array{97, 33, 2}}) add(r, n[0], n[1], n[2], true);
        }
    // A constant volume stays the same, to the bit.
    for (const char *filter : {"nlm", "bilateral", "gaussian", "median", "lpa"}) {
        Recipe r = weightedRecipe(filter, std::strcmp(filter, "lpa") ? 3 : 2, 2, 2, 2);
        r.patch = 1;
        for (double sigma : {0.0, 5.0}) {
            r.sigma = sigma;
            Case c{r, {37, 20, 5}};
            c.flat = true;
            all.push_back(c);
        }
    }
    if (small) {
        std::vector<Case> some;
        for (std::size_t i = 0; i < all.size(); i += 6) some.push_back(all[i]);
        return some;
    }
    // Large radii.
    add(nlmRecipe(2, 1, 32, 0), 90, 80, 1);
    add(nlmRecipe(2, 3, 20, 1), 75, 66, 1, true);
    add(nlmRecipe(2, 8, 6, 2), 40, 36, 1);
    add(nlmRecipe(3, 1, 10, 1), 34, 24, 22);
    add(nlmRecipe(3, 2, 12, 0), 14, 27, 20, true);
    add(nlmRecipe(3, 8, 1, 0), 20, 17, 5);
    add(weightedRecipe("bilateral", 2, 64, 64, 0), 150, 140, 1);
    add(weightedRecipe("bilateral", 2, 40, 2, 0), 150, 60, 2, true);
    add(weightedRecipe("bilateral", 3, 11, 11, 11), 40, 35, 20);
    add(weightedRecipe("gaussian", 2, 64, 64, 0), 150, 140, 1, true);
    add(weightedRecipe("gaussian", 3, 5, 9, 7), 50, 40, 16);
    add(weightedRecipe("gaussian", 3, 64, 64, 64), 50, 40, 20);
    add(weightedRecipe("gaussian", 3, 4, 4, 4), 65, 33, 40);
    add(weightedRecipe("median", 2, 16, 16, 0), 60, 50, 1);
    add(weightedRecipe("median", 3, 6, 6, 6), 30, 25, 15, true);
    Recipe lpa;
    lpa.filter = "lpa";
    lpa.dims = 2;
    lpa.sigma = 12;
    add(lpa, 256, 256, 3);
    add(lpa, 300, 201, 2, true, true);
    return all;
}

// fewestCases returns small cases that run every kernel of the filters without fields of
// their own, with tiles and search regions that do not fit each other.
static std::vector<Case> fewestCases()
{
    std::vector<Case> all;
    auto add = [&](Recipe r, int x, int y, int z, bool masked = false) {
        Case c{r, {x, y, z}};
        c.masked = masked;
        all.push_back(c);
    };
    for (int dims = 2; dims <= 3; ++dims) {
        for (int patch = 1; patch <= 3; ++patch)
            for (double g : {0.0, 1.0}) {
                if (patch == 1 && g == 0) continue; // the same kernel
                Recipe r = nlmRecipe(dims, patch, 2, g);
                r.parts = 1;
                r.sharedFrom = 4;
                add(r, 34, 9, dims == 3 ? 5 : 1);
                r.h = 1; // weights underflow, and all warps share their voxels
                r.parts = 4;
                add(r, 17, 9, dims == 3 ? 3 : 1, true);
            }
        Recipe apart = nlmRecipe(dims, 1, 2, 1);
        apart.lastColumns = 28;
        add(apart, 34, 9, dims == 3 ? 3 : 1);
        Recipe any = nlmRecipe(dims, 0, 2, 0);
        any.h = 0.3;
        add(any, 17, 9, 3);
        for (bool masked : {false, true}) add(weightedRecipe("gaussian", dims, 2, 3, 1), 34, 17, 9, masked);
        for (int r : {1, 2, 3}) add(weightedRecipe("median", dims, r, r, r), 17, 9, 3, r == 1);
    }
    for (int slices : {1, 3}) add(weightedRecipe("bilateral", 3, 3, 2, 1), 34, 9, slices, slices == 3);
    for (int r = 1; r <= 6; ++r) add(weightedRecipe("bilateral", 2, r, r, 0), 34, 9, 1, r == 3);
    for (int r = 2; r <= 12; ++r) add(weightedRecipe("bilateral", 3, r, 2, 1), 34, 9, 2, r == 3);
    Recipe lpa;
    lpa.filter = "lpa";
    lpa.dims = 2;
    lpa.sigma = 12;
    add(lpa, 34, 9, 2);
    lpa.scales = {1, 4, 9};
    add(lpa, 34, 9, 2, true);
    return all;
}

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // the last line before a crash is the last case
    bool small = false, fewest = false;
    const char *times = nullptr;
    std::string folder = ".";
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--small")) small = true;
        else if (!std::strcmp(argv[i], "--fewest")) small = fewest = true;
        else if (!std::strcmp(argv[i], "--times") && i + 1 < argc) times = argv[++i];
        else folder = argv[i];
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // a crash loses no line
    Device device(folder);
    if (times) {
        timeWorks(device, times);
        return 0;
    }
    std::vector<Case> all = fewest ? fewestCases() : cases(small);
    unsigned failed = 0, seed = 1;
    for (const Case &c : all) failed += !run(device, c, seed++);
    std::size_t count = all.size();
    for (const SadctCase &s : fewest ? fewestSadctCases() : sadctCases(small)) {
        Case c{{}, {s.dims[0], s.dims[1], s.dims[2]}};
        c.masked = s.masked;
        c.part = s.part;
        failed += !checkSadct(device, s, volumeFor(c, seed++), regionFor(c));
        ++count;
    }
    for (const BnlmCase &b : fewest ? fewestBnlmCases() : bnlmCases(small)) {
        Case c{{}, {b.dims[0], b.dims[1], b.dims[2]}};
        c.masked = b.masked;
        c.part = b.part;
        c.thin = b.thin;
        const Volume v = volumeFor(c, seed++);
        failed += !BlockFilter(b, v).check(device, regionFor(c));
        ++count;
    }
    if (!small) timeBnlm(device, [](int x, int y, int z) { return volumeFor(Case{{}, {x, y, z}}, 1); });
    for (const BlocksCase &b : fewest ? fewestBlocksCases() : blocksCases(small)) {
        Case c{{}, {b.dims[0], b.dims[1], b.dims[2]}};
        c.masked = b.masked;
        c.part = b.part;
        const Volume v = volumeFor(c, seed++);
        failed += !Blocks(b, v).check(device, regionFor(c));
        ++count;
    }
    if (!small) timeBlocks(device, [](int x, int y, int z) { return volumeFor(Case{{}, {x, y, z}}, 1); });
    if (!small) timeSadct(device, [](int x, int y, int z) { return volumeFor(Case{{}, {x, y, z}}, 1); });
    std::printf("%zu cases, %u failed, on %s, driver for CUDA %d.%d\n", count, failed, device.name, device.driver / 1000,
                device.driver % 1000 / 10);
    return failed > 0;
}
