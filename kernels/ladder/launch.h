// Launches the shipped fatbins through the driver API without Go. The launches are
// those of package kernels, computed here independently in C++.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../bilateral_params.cuh"
#include "../gaussian_params.cuh"
#include "../lpa_params.cuh"
#include "../median_params.cuh"
#include "../nlm_params.cuh"
#include "../sadct_params.cuh"

inline void cuCheck(CUresult r, const char *what)
{
    if (r == CUDA_SUCCESS) return;
    const char *text = "?";
    cuGetErrorString(r, &text);
    std::fprintf(stderr, "%s: %s\n", what, text);
    std::exit(1);
}
#define CU(call) cuCheck((call), #call)

// Recipe is a filter with its parameters as numbers, like a resolved denoise.Recipe.
struct Recipe {
    std::string filter;
    int dims = 3;
    // nlm
    int patch = 1, search = 3;
    double patchSigma = 0; // 0: uniform
    double h = 10, sigma = 0;
    bool one = false, rician = false;
    int parts = 0; // warps that share their voxels; 0: as quell chooses
    int sharedFrom = -1; // the slice from which on all of a block do; -1: as quell chooses
    int lastColumns = -1; // the column from which on those at the right edge have a launch of their own; -1: as quell chooses
    int lk = 0;
    double rho[6] = {}; // correlation of voxels 1 to 4 apart in a slice, then 1 and 2 slices apart
    // bilateral, gaussian, median
    int radius[3] = {0, 0, 0};
    double scale[3] = {1, 1, 1}; // 1 / sigma, in voxels
    double sigmaRange = 10;
    // lpa
    double gamma = 1.05;
    std::vector<int> scales = {1, 2, 3, 5, 7, 8};

    int patchAlong(int c) const { return c < dims ? patch : 0; }
    int searchAlong(int c) const { return c < dims ? search : 0; }
    int radiusAlong(int c) const { return c < dims ? radius[c] : 0; }

    // within returns the correlation of voxels of a slice that lie r apart.
    double within(double r) const
    {
        const double inSlice[] = {1, rho[0], rho[1], rho[2], rho[3], 0};
        const int k = int(r);
        return k < 5 ? inSlice[k] + (r - k) * (inSlice[k + 1] - inSlice[k]) : 0;
    }

    // cut returns what is subtracted from the distance of patches (x, y, z) apart.
    double cut(int x, int y, int z) const
    {
        const double across[] = {1, rho[4], rho[5]};
        const double correlation = std::abs(z) < 3 ? within(std::hypot(x, y)) * across[std::abs(z)] : 0;
        return 2 * sigma * sigma * (1 - correlation);
    }

    // taps returns the patch weights along an axis, whose sum is 1.
    std::vector<double> taps() const
    {
        std::vector<double> t(2 * patch + 1);
        double sum = 0;
        for (int k = -patch; k <= patch; ++k) sum += t[k + patch] = patchSigma > 0 ? std::exp(-0.5 * k * k / (patchSigma * patchSigma)) : 1;
        for (double &w : t) w /= sum;
        return t;
    }

    // reach returns how far around a voxel the result depends on the input along an axis.
    int reach(int c) const
    {
        if (c >= dims) return 0;
        if (filter == "nlm") return patch + search;
        if (filter == "lpa") return scales.back() - 1;
        return radius[c];
    }
};

// nlmRecipe returns a recipe of nlm with the default strength; patchSigma 0: uniform patches.
inline Recipe nlmRecipe(int dims, int patch, int search, double patchSigma)
{
    Recipe r;
    r.filter = "nlm";
    r.dims = dims;
    r.patch = patch;
    r.search = search;
    r.patchSigma = patchSigma;
    return r;
}

// Launch is one kernel start.
struct Launch {
    std::string module, kernel;
    unsigned grid = 0, block[2] = {1, 1}, shared = 0;
    std::vector<char> args;
};

inline unsigned blocks(const Field &f, int w, int h, int d)
{
    auto tiles = [&](int c, int n) { return unsigned((f.max[c] - f.min[c] + n - 1) / n); };
    return tiles(0, w) * tiles(1, h) * tiles(2, d);
}

template <class P>
std::vector<char> bytes(const P &p)
{
    const char *at = reinterpret_cast<const char *>(&p);
    return {at, at + sizeof p};
}

// swapOf returns the field with x and y exchanged.
inline Field swapOf(Field f)
{
    f.swapped = 1;
    std::swap(f.dims[0], f.dims[1]);
    std::swap(f.min[0], f.min[1]);
    std::swap(f.max[0], f.max[1]);
    return f;
}

// columnApart returns the first of the columns that a launch of their own filters, with x and y swapped: those that do not
// fill a tile of w, in a large volume where that saves two per cent of the work. 0: there are none.
inline int columnApart(const Recipe &r, const Field &f, int w, int warps, int y, int z)
{
    if (r.lastColumns >= 0) return r.lastColumns;
    const int across = (f.dims[0] + w - 1) / w, down = (f.dims[1] + warps * y - 1) / (warps * y), column = f.dims[0] / w * w;
    for (int c = 0; c < 2; ++c)
        if (f.min[c] != 0 || f.max[c] != f.dims[c]) return 0;
    const long blocks = long(across) * down * ((f.dims[2] + z - 1) / z);
    if (column == 0 || column == f.dims[0] || f.dims[1] <= y || blocks < 17 * 264) return 0;
    const int strips = (f.dims[0] - column + y - 1) / y * ((f.dims[1] + w - 1) / w); // of one warp's rows
    return down * warps - strips >= 0.02 * across * down * warps ? column : 0;
}

inline NlmParams nlmParams(const Recipe &r, const Field &f)
{
    NlmParams p{};
    p.field = f;
    std::vector<double> taps = r.taps();
    double norm = std::pow(taps[r.patch], r.dims), unit = std::log2(std::exp(1.0)) / (r.h * r.h);
    for (int c = 0; c < 3; ++c) {
        p.search[c] = r.searchAlong(c);
        p.patch[c] = r.patchAlong(c);
    }
    for (int k = 0; k <= r.patch; ++k) p.ring[k] = float(taps[r.patch + k] / taps[r.patch]);
    const double g = p.ring[1], h = p.ring[2], part = g > 0 ? h / g : 0, m = g - h * part, middle = 1 - m * part;
    const double steps[] = {part, m / middle, h / middle, g / middle};
    for (int k = 0; k < 4; ++k) p.steps[k] = float(steps[k]);
    p.stepScale = float(std::sqrt(middle));
    p.scale = r.lk ? 1 : float(std::sqrt(unit * norm));
    p.inverse = 1 / p.scale;
    p.cut = r.lk ? 0 : float(2 * r.sigma * r.sigma * unit);
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 5; ++x) p.cuts[z][y][x] = r.lk ? 0 : float(r.cut(x, y, z) * unit);
    p.bias = float(2 * r.sigma * r.sigma);
    p.lk = r.lk;
    p.rician = r.rician;
    p.one = r.one;
    p.norm = float(norm);
    p.parts = 1;
    p.sharedFrom = 1 << 30;
    p.columns = f.max[0] - f.min[0];
    return p;
}

inline std::vector<Launch> nlmLaunches(const Recipe &r, const Field &f)
{
    const NlmParams p = nlmParams(r, f);
    struct Tile {
        int dims, patch, x, y, z, warps, steps;
    };
    static const Tile tiles[] = {{2, 1, 2, 4, 1, 4, 1}, {2, 2, 2, 4, 1, 4, 1}, {2, 3, 2, 4, 1, 4, 1},
                                 {3, 1, 2, 4, 2, 4, 3}, {3, 2, 1, 4, 4, 4, 6}, {3, 3, 1, 4, 3, 4, 1}};
    for (const Tile &t : tiles) {
        if (t.dims != r.dims || t.patch != r.patch || r.lk) continue;
        // For a region that is thin along x fewer lanes are idle with x and y swapped, and for
        // one that is thin along y, or a small image, the warps share their voxels.
        const int w = 32 * t.x - 2 * t.patch;
        if (const int column = columnApart(r, f, w, t.warps, t.y, t.z)) {
            Field left = f, right = f;
            left.max[0] = right.min[0] = column;
            right.out += column;
            Recipe one = r;
            one.lastColumns = 0;
            std::vector<Launch> all = nlmLaunches(one, left);
            one.parts = t.warps;
            one.sharedFrom = 1 << 30;
            all.push_back(nlmLaunches(one, swapOf(right))[0]);
            for (Launch &l : all) reinterpret_cast<NlmParams *>(l.args.data())->columns = p.columns;
            return all;
        }
        auto partsOf = [&](const Field &f) {
            if (r.parts) return unsigned(r.parts);
            Field whole = f;
            for (int c = 0; c < 3; ++c) whole.min[c] = 0, whole.max[c] = f.dims[c];
            const bool few = f.dims[2] == 1 && blocks(whole, w, t.warps * t.y, t.z) < 264;
            return unsigned(few || f.max[1] - f.min[1] <= t.y ? t.warps : 1);
        };
        const Field swapped = swapOf(f);
        auto gridOf = [&](const Field &f) { return blocks(f, w, t.warps / int(partsOf(f)) * t.y, t.z); };
        NlmParams q = p;
        if (!f.swapped && 2 * gridOf(swapped) * partsOf(f) <= gridOf(f) * partsOf(swapped)) q.field = swapped;
        q.parts = int(partsOf(q.field));
        std::string name = "nlm_" + std::to_string(t.dims) + "d_f" + std::to_string(t.patch);
        if (t.patch > 1) name += r.patchSigma > 0 && p.ring[1] != 1 ? "_gaussian" : "_uniform";
        int brick = t.dims == 3 ? 9 : 17; // offsets along x and along y in shared memory at once
        int columns = 32 * t.x + brick - 1, rows = t.warps * t.y + 2 * t.patch + brick - 1;
        int planes = t.dims == 3 ? t.z + 2 * t.patch + t.steps - 1 : 1;
        // Where the blocks of a volume are a few waves and at most half a wave more, the warps
        // of the last layers of blocks of 3^3 share their voxels.
        unsigned grid = gridOf(q.field);
        Field whole = q.field;
        for (int c = 0; c < 3; ++c) whole.min[c] = 0, whole.max[c] = whole.dims[c];
        const int layers = (whole.dims[2] + t.z - 1) / t.z, all = int(blocks(whole, w, t.warps * t.y, t.z)), layer = all / layers;
        const int last = (all % 264 + layer - 1) / layer;
        const bool shares = t.dims == 3 && t.patch == 1;
        if (shares && whole.dims[2] > 1 && all >= 264 && all < 17 * 264 && all % 264 != 0 && 2 * last * layer <= 264) q.sharedFrom = (layers - last) * t.z;
        if (shares && r.sharedFrom >= 0) q.sharedFrom = r.sharedFrom;
        const int from = q.field.min[2] + (std::max(q.sharedFrom - q.field.min[2], 0) + t.z - 1) / t.z * t.z;
        if (q.parts == 1 && from < q.field.max[2]) {
            Field below = q.field, rest = q.field;
            below.max[2] = rest.min[2] = from;
            grid = blocks(below, w, t.warps * t.y, t.z) + blocks(rest, w, t.y, t.z);
        }
        const int tile = planes * rows * (columns + (columns + 31) / 32), sums = 3 * 32 * t.warps * t.x * t.y * t.z;
        return {{"nlm", name, grid, {32, unsigned(t.warps)}, 4 * unsigned(std::max(tile, sums)), bytes(q)}};
    }
    std::vector<Launch> all = {{"nlm", "nlm_any", blocks(f, 32, 4, 1), {32, 4}, 0, bytes(p)}};
    std::size_t voxels = std::size_t(f.max[0] - f.min[0]) * (f.max[1] - f.min[1]) * (f.max[2] - f.min[2]);
    if (!r.lk && !r.one) all.push_back({"nlm", "nlm_underflow", unsigned((voxels + 4095) / 4096), {256, 1}, 0, bytes(p)});
    return all;
}

// weightedParams returns the parameters of bilateral or gaussian, without those that follow the weights.
template <class P>
P weightedParams(const Recipe &r, const Field &f)
{
    P p{};
    p.field = f;
    for (int c = 0; c < 3; ++c) {
        p.radius[c] = r.radiusAlong(c);
        p.decay[c] = float(0.5 * std::log2(std::exp(1.0)) * r.scale[c] * r.scale[c]);
    }
    return p;
}

inline BilateralParams bilateralParams(const Recipe &r, const Field &f)
{
    BilateralParams p = weightedParams<BilateralParams>(r, f);
    p.scale = float(std::sqrt(0.5 * std::log2(std::exp(1.0))) / r.sigmaRange);
    p.inverse = 1 / p.scale;
    return p;
}

inline MedianParams medianParams(const Recipe &r, const Field &f)
{
    MedianParams p{};
    p.field = f;
    for (int c = 0; c < 3; ++c) p.radius[c] = r.radiusAlong(c);
    return p;
}

inline LpaParams lpaParams(const Recipe &r, const Field &f, unsigned long long *map)
{
    LpaParams p{};
    p.field = f;
    p.map = map;
    p.width = r.gamma * r.sigma;
    for (int k = 0; k < kLags; ++k) {
        p.rho[0][k] = r.within(k + 1);
        p.rho[1][k] = r.within(std::sqrt(2.0) * (k + 1));
    }
    p.count = int(r.scales.size());
    std::copy(r.scales.begin(), r.scales.end(), p.scales);
    return p;
}

inline std::vector<Launch> launchesFor(const Recipe &r, const Field &f, unsigned long long *map)
{
    if (r.filter == "nlm") return nlmLaunches(r, f);
    if (r.filter == "bilateral") {
        const BilateralParams p = bilateralParams(r, f);
        const int usual = (f.dims[0] + 31) / 32 * ((f.dims[1] + 31) / 32);
        const bool small = f.dims[2] == 1 && usual < 192;
        const int rows = small ? 8 : 32;
        if (small && p.radius[0] == p.radius[1] && 0 < p.radius[0] && p.radius[0] <= 6)
            return {{"bilateral", "bilateral_small_r" + std::to_string(p.radius[0]), blocks(f, 32, 8, 1), {32, 8}, 0, bytes(p)}};
        std::string name = small ? "bilateral_small" : "bilateral";
        if (!small && p.radius[0] >= 2 && p.radius[0] <= 12 && p.radius[1] >= 2) name += "_r" + std::to_string(p.radius[0]);
        return {{"bilateral", name, blocks(f, 32, rows, 1), {32, small ? 4u : 8u},
                 unsigned(64 * (rows + 2 * p.radius[1]) * 4), bytes(p)}};
    }
    if (r.filter == "gaussian") {
        GaussianParams p = weightedParams<GaussianParams>(r, f);
        const bool masked = f.mask != nullptr;
        const int sums = masked ? 2 : 1, depth = masked ? 8 : 16;
        auto fours = [](int n) { return (n + 3) / 4 * 4; };
        const int pitch = 32 + fours(2 * p.radius[0] + 1), rows = fours(32 + 2 * p.radius[1]);
        const int read = 256 * (masked ? 4 : 7), most = read / pitch / 4 * 4, bands = (rows + most - 1) / most;
        p.band = fours((rows + bands - 1) / bands);
        p.buffers = 2;
        auto shared = [&] {
            return 4u * unsigned(pitch - 32 + fours(2 * p.radius[1] + 4) + fours(2 * p.radius[2] + 2 * depth - 1) + depth +
                                 sums * (2 * read + p.buffers * rows * 32));
        };
        if (shared() > 48 << 10) p.buffers = 1;
        return {{"gaussian", masked ? "gaussian_masked" : "gaussian", blocks(f, 32, 32, depth), {32, 8}, shared(), bytes(p)}};
    }
    if (r.filter == "median") {
        const MedianParams p = medianParams(r, f);
        const std::string box = std::to_string(p.radius[0]) + std::to_string(p.radius[1]) + std::to_string(p.radius[2]);
        const char *kernel = box == "110" ? "median_3x3" : box == "220" ? "median_5x5" : box == "111" ? "median_3x3x3" : "median";
        return {{"median", kernel, blocks(f, 32, 8, 1), {32, 8}, 0, bytes(p)}};
    }
    const LpaParams p = lpaParams(r, f, map);
    const bool correlated = std::any_of(&p.rho[0][0], &p.rho[0][0] + 2 * kLags, [](double rho) { return rho != 0; });
    bool paper = r.scales == std::vector<int>{1, 2, 3, 5, 7, 8} && f.mask == nullptr;
    return {{"lpa", std::string(paper ? "lpa_paper" : "lpa_any") + (correlated ? "_correlated" : ""), blocks(f, 32, 32, 1), {32, 8}, 0, bytes(p)}};
}

// Device is the first device with the modules of a folder.
class Device {
    std::string folder;
    std::map<std::string, CUmodule> modules;

public:
    char name[128];
    int driver = 0, processors = 0, clock = 0; // clock in kHz

    explicit Device(std::string folder) : folder(std::move(folder))
    {
        CUdevice d;
        CUcontext c;
        CU(cuInit(0));
        CU(cuDeviceGet(&d, 0));
        CU(cuDevicePrimaryCtxRetain(&c, d));
        CU(cuCtxSetCurrent(c));
        CU(cuDeviceGetName(name, sizeof name, d));
        CU(cuDriverGetVersion(&driver));
        CU(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d));
        CU(cuDeviceGetAttribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, d));
    }

    CUfunction function(const Launch &l)
    {
        auto found = modules.find(l.module);
        if (found == modules.end()) {
            CUmodule m;
            CU(cuModuleLoad(&m, (folder + "/" + l.module + ".fatbin").c_str()));
            found = modules.emplace(l.module, m).first;
        }
        CUfunction fn;
        cuCheck(cuModuleGetFunction(&fn, found->second, l.kernel.c_str()), l.kernel.c_str());
        if (l.shared > 48 << 10) CU(cuFuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(l.shared)));
        return fn;
    }

    // start queues all launches in order.
    void start(const std::vector<Launch> &all)
    {
        for (const Launch &l : all) start(function(l), l);
    }

    static void start(CUfunction fn, const Launch &l)
    {
        std::size_t size = l.args.size();
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<char *>(l.args.data()),
                         CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
        cuCheck(cuLaunchKernel(fn, l.grid, 1, 1, l.block[0], l.block[1], 1, l.shared, nullptr, nullptr, extra), l.kernel.c_str());
    }
};

// Buffer is device memory with a guard band of bytes on both sides.
class Buffer {
    CUdeviceptr base = 0;

public:
    static constexpr std::size_t kGuard = 1024;
    static constexpr unsigned char kPoison = 0xFF; // as float32 a NaN
    std::size_t size;

    explicit Buffer(std::size_t size) : size(size) { CU(cuMemAlloc(&base, size + 2 * kGuard)); poison(); }
    Buffer(const Buffer &) = delete;
    ~Buffer() { cuMemFree(base); }

    void poison() { CU(cuMemsetD8(base, kPoison, size + 2 * kGuard)); }
    CUdeviceptr at() const { return base + kGuard; }
    template <class T>
    T *as() const { return reinterpret_cast<T *>(at()); }
    void put(const void *from) { CU(cuMemcpyHtoD(at(), from, size)); }
    void get(void *to) const { CU(cuMemcpyDtoH(to, at(), size)); }

    // guarded returns whether the guard bands are unchanged.
    bool guarded() const
    {
        std::vector<unsigned char> all(size + 2 * kGuard);
        CU(cuMemcpyDtoH(all.data(), base, all.size()));
        for (std::size_t i = 0; i < kGuard; ++i)
            if (all[i] != kPoison || all[kGuard + size + i] != kPoison) return false;
        return true;
    }
};
