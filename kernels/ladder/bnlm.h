// The passes of preselection, nlm with preselection and bnlm: each compared with plain
// C on the same inputs, the first two passes to the bit; and timed beside nlm without.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <cstring>

#include "../bnlm_params.cuh"
#include "reference.h"

namespace plain {
#include "../../gpu/fakecuda/bnlm.c"
}

// PreselectParams mirrors that of preselect.cu.
struct PreselectParams {
    Box<const float> in;
    Box<float> out;
    int dims[3], radius[3];
    double zero;
};

struct BnlmCase {
    bool bnlm; // or nlm with preselection
    int dims[3], dimensions;
    bool masked, part, selects;
    int search, radius, step; // radius: of blocks, or of patches
    double h;
    double meanRatio = 0.95, varianceRatio = 0.5, zero = 0;
    bool thin = false; // one column along x
    int spread = 0;    // of the candidates
};

inline std::vector<BnlmCase> bnlmCases(bool small)
{
    std::vector<BnlmCase> all;
    const int sizes[][3] = {{1, 1, 1}, {2, 2, 2}, {1, 33, 2}, {31, 2, 3}, {23, 15, 7}, {45, 31, 13}, {97, 64, 3}};
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (const auto &n : sizes)
            for (bool masked : {false, true}) {
                if (small && n[0] * n[1] * n[2] > 3000) continue;
                for (bool selects : {false, true})
                    for (bool part : {false, true}) all.push_back({true, {n[0], n[1], n[2]}, dimensions, masked, part, selects, 3, 1, 2, 12});
                all.push_back({false, {n[0], n[1], n[2]}, dimensions, masked, false, true, 3, 1, 0, 10});
                all.push_back({false, {n[0], n[1], n[2]}, dimensions, masked, true, true, 2, 2, 0, 3, 0.8, 0.2, 40});
            }
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (double h : {1e-3, 0.3, 1.0, 3.0, 500.0})
            for (bool selects : {false, true}) {
                all.push_back({true, {31, 22, 6}, dimensions, true, true, selects, 2, 1, 2, h});
                all.push_back({true, {31, 22, 6}, dimensions, false, false, selects, 2, 1, 2, h, 0.7, 0.1, 150});
                if (selects) all.push_back({false, {31, 22, 6}, dimensions, true, true, selects, 2, 1, 0, h, 0.7, 0.1, 150});
            }
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (bool masked : {false, true}) {
            all.push_back({true, {17, 12, 5}, dimensions, masked, true, true, 1, 2, 3, 12});
            all.push_back({true, {17, 12, 5}, dimensions, masked, false, false, 2, 0, 1, 25});
            all.push_back({true, {17, 12, 5}, dimensions, masked, false, true, 1, 1, 1, 12});
            all.push_back({true, {33, 24, 11}, dimensions, masked, true, false, 1, 3, 1, 12});
            all.push_back({true, {33, 24, 11}, dimensions, masked, true, false, 2, 4, 2, 12});
            for (double h : {0.05, 0.3, 1.0}) all.push_back({true, {17, 12, 9}, dimensions, masked, false, masked, 2, 2, 1, h});
            BnlmCase thin{true, {17, 40, 9}, dimensions, masked, false, true, 3, 1, 2, 12};
            thin.thin = true;
            all.push_back(thin);
            for (int spread : {1, 2})
                for (int radius : {1, 2}) {
                    BnlmCase fewer{true, {31, 22, 9}, dimensions, masked, masked, false, 3, radius, radius + 1, 12};
                    fewer.spread = spread;
                    all.push_back(fewer);
                }
        }
    return all;
}

// fewestBnlmCases returns a small case for every kernel, and one whose weights underflow.
inline std::vector<BnlmCase> fewestBnlmCases()
{
    std::vector<BnlmCase> all;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        all.push_back({true, {17, 9, 3}, dimensions, true, false, true, 2, 1, 2, 12});
        for (int patch = 0; patch <= 3; ++patch) all.push_back({false, {17, 9, 3}, dimensions, true, false, true, 2, patch, 0, patch == 0 ? 0.3 : 10, 0.7, 0.1, 150});
    }
    all.push_back({true, {17, 9, 3}, 3, true, false, false, 1, 2, 3, 12});
    all.push_back({true, {9, 7, 5}, 3, true, false, false, 1, 4, 5, 12});
    return all;
}

// BlockFilter holds the buffers of the passes: all fields cover the whole volume.
class BlockFilter {
    const BnlmCase &c;
    const Volume &v;
    Buffer voxels, mask, mean, deviation, changes;

    int along(int axis, int r) const { return axis < c.dimensions ? r : 0; }

    std::size_t samplesOfBlock() const
    {
        std::size_t n = 1;
        for (int a = 0; a < 3; ++a) n *= 2 * along(a, c.radius) + 1;
        return n;
    }

    // changesBytes is enough for what all blocks of the volume give.
    std::size_t changesBytes() const { return c.bnlm && (c.radius != 1 || c.step != 2) ? 4 * samplesOfBlock() * v.data.size() : 1; }

    template <class T>
    Box<T> box(T *data) const { return {data, {0, 0, 0}, {v.dims[0], v.dims[1], v.dims[2]}}; }

    static unsigned tiles(int n, int size) { return unsigned((n + size - 1) / size); }

    Launch preselectLaunch(Buffer &out, const char *kernel, std::vector<char> *args = nullptr) const
    {
        PreselectParams p{};
        p.in = box<const float>(voxels.as<float>());
        p.out = box<float>(out.as<float>());
        std::copy(v.dims, v.dims + 3, p.dims);
        for (int a = 0; a < 3; ++a) p.radius[a] = along(a, 1);
        p.zero = c.zero;
        return {"preselect", kernel, tiles(int(v.data.size()), 256), {256, 1}, 0, bytes(p)};
    }

    Selection selection() const
    {
        Selection s{};
        if (!c.selects) return s;
        s.mean = box<const float>(mean.as<float>());
        s.deviation = box<const float>(deviation.as<float>());
        s.apart = float(1 - c.meanRatio);
        s.ratio = float(std::sqrt(c.varianceRatio));
        return s;
    }

    BnlmParams bnlmParams(const Region &region, float *out) const
    {
        BnlmParams p{};
        p.in = p.voxels = box<const float>(voxels.as<float>());
        if (!v.mask.empty()) p.mask = box<const std::uint8_t>(mask.as<std::uint8_t>());
        p.out.data = out;
        p.select = selection();
        for (int a = 0; a < 3; ++a) {
            p.out.min[a] = region.min[a], p.out.max[a] = region.max[a];
            p.dims[a] = v.dims[a];
            p.search[a] = along(a, c.search);
            p.radius[a] = along(a, c.radius);
            p.step[a] = a < c.dimensions ? c.step : 1;
        }
        p.spread = c.spread;
        p.factor = std::log2(std::exp(1.0)) / (c.h * c.h * double(samplesOfBlock()));
        p.scale = float(std::sqrt(p.factor));
        p.inverse = 1 / p.scale;
        p.changes = changes.as<float>();
        for (int a = 0; a < 3; ++a) {
            p.first[a] = (std::max(region.min[a] - p.radius[a], 0) + p.step[a] - 1) / p.step[a];
            p.count[a] = std::min(region.max[a] - 1 + p.radius[a], p.dims[a] - 1) / p.step[a] - p.first[a] + 1;
        }
        return p;
    }

    NlmSelectParams nlmParams(const Field &f) const
    {
        NlmSelectParams p{};
        Recipe whole = recipe();
        whole.lastColumns = 0;
        std::vector<Launch> plain = nlmLaunches(whole, f);
        std::memcpy(&p.nlm, plain.back().args.data(), sizeof p.nlm); // not swapped
        p.select = selection();
        return p;
    }

public:
    BlockFilter(const BnlmCase &c, const Volume &v)
        : c(c), v(v), voxels(v.data.size() * 4), mask(std::max<std::size_t>(v.mask.size(), 1)), mean(v.data.size() * 4),
          deviation(v.data.size() * 4), changes(changesBytes())
    {
        voxels.put(v.data.data());
        if (!v.mask.empty()) mask.put(v.mask.data());
    }

    Recipe recipe() const
    {
        Recipe r;
        r.filter = "nlm";
        r.dims = c.dimensions;
        r.patch = c.radius;
        r.search = c.search;
        r.h = c.h;
        return r;
    }

    Field field(const Region &region, float *out) const
    {
        Field f{};
        f.in = voxels.as<float>();
        f.mask = v.mask.empty() ? nullptr : mask.as<std::uint8_t>();
        f.out = out;
        f.slices = v.dims[2];
        for (int a = 0; a < 3; ++a) f.dims[a] = v.dims[a], f.min[a] = region.min[a], f.max[a] = region.max[a];
        return f;
    }

    std::vector<Launch> preselectLaunches()
    {
        if (!c.selects) return {};
        return {preselectLaunch(mean, "preselect_mean"), preselectLaunch(deviation, "preselect_deviation")};
    }

    std::vector<Launch> averageLaunches(const Region &region, float *out) const
    {
        if (!c.bnlm) {
            Field f = field(region, out);
            std::vector<char> args = bytes(nlmParams(f));
            const Launch l = nlmLaunches(recipe(), f)[0]; // the same tiles as without preselection, not swapped
            if (l.kernel == "nlm_any")
                return {{"nlm_select", "nlm_select_any", blocks(f, 32, 4, 1), {32, 4}, 0, args},
                        {"nlm_select", "nlm_select_underflow", tiles(int(region.voxels()), 4096), {256, 1}, 0, args}};
            const bool deep = c.dimensions == 3;
            const int x = deep && c.radius > 1 ? 1 : 2, z = !deep ? 1 : c.radius == 1 ? 2 : c.radius == 2 ? 4 : 3;
            return {{"nlm_select", "nlm_select_" + std::to_string(c.dimensions) + "d_f" + std::to_string(c.radius),
                     blocks(f, 32 * x - 2 * c.radius, 16, z), {32, 4}, l.shared, args}};
        }
        BnlmParams p = bnlmParams(region, out);
        if (c.radius != 1 || c.step != 2) {
            const int samples = int(samplesOfBlock());
            const char *per = samples <= 32 ? "1" : samples <= 128 ? "4" : samples <= 352 ? "11" : "23";
            return {{"bnlm", std::string("bnlm_blocks_") + per, tiles(p.count[0] * p.count[1] * p.count[2], 8), {256, 1}, 0, bytes(p)},
                    {"bnlm", "bnlm_mean", tiles(int(region.voxels()), 128), {128, 1}, 0, bytes(p)}};
        }
        const bool deep = c.dimensions == 3;
        const int size[3] = {deep ? 22 : 46, deep ? 14 : 30, deep ? 6 : 1};
        unsigned grid = 1;
        for (int a = 0; a < 3; ++a) grid *= tiles(region.along(a) + region.min[a] % p.step[a], size[a]);
        return {{"bnlm", deep ? "bnlm_3d" : "bnlm_2d", grid, {384, 1}, unsigned(4 * 384 * (deep ? 27 : 9)), bytes(p)}};
    }

    bool check(Device &device, const Region &region)
    {
        static_assert(sizeof(plain::PreselectParams) == sizeof(PreselectParams));
        std::vector<float> means(v.data.size()), deviations(means), hostMeans(means), hostDeviations(means);
        Buffer out(region.voxels() * 4);
        std::vector<Launch> before = preselectLaunches(), average = averageLaunches(region, out.as<float>());
        std::vector<float> got(region.voxels()), again(got);
        std::vector<float> want(got.size());
        device.start(before);
        device.start(average);
        cuCheck(cuCtxSynchronize(), average[0].kernel.c_str());
        out.get(got.data());
        bool guarded = out.guarded() && mean.guarded() && deviation.guarded(), sameBits = true;
        out.poison();
        device.start(average);
        CU(cuCtxSynchronize());
        out.get(again.data());
        if (c.selects) {
            mean.get(means.data());
            deviation.get(deviations.data());
            plain::PreselectParams p; // copied: a cast would break the rules of aliasing
            std::memcpy(&p, before[0].args.data(), sizeof p);
            p.in.data = v.data.data();
            p.out.data = hostMeans.data();
            plain::preselectMean(&p);
            p.out.data = hostDeviations.data();
            plain::preselectDeviation(&p);
            sameBits = std::memcmp(means.data(), hostMeans.data(), means.size() * 4) == 0 &&
                std::memcmp(deviations.data(), hostDeviations.data(), means.size() * 4) == 0;
        }
        if (c.bnlm) {
            BnlmParams p = bnlmParams(region, nullptr);
            p.in.data = p.voxels.data = v.data.data();
            if (!v.mask.empty()) p.mask.data = v.mask.data();
            if (c.selects) p.select.mean.data = hostMeans.data(), p.select.deviation.data = hostDeviations.data();
            p.out.data = want.data();
            plainly<plain::BnlmParams>(plain::bnlm, p);
        } else {
            Selection select = selection();
            select.mean.data = hostMeans.data();
            select.deviation.data = hostDeviations.data();
            std::vector<unsigned char> map;
            want = reference(recipe(), v, region, map, &select);
        }
        double worst = 0, squares = 0;
        bool finite = true;
        for (std::size_t i = 0; i < got.size(); ++i) {
            double d = std::fabs(double(got[i]) - want[i]) / 255;
            finite &= std::isfinite(got[i]);
            worst = std::max(worst, d);
            squares += d * d;
        }
        const double rms = std::sqrt(squares / double(got.size()));
        const bool same = std::memcmp(got.data(), again.data(), got.size() * 4) == 0;
        const bool good = finite && same && guarded && sameBits && worst <= 1e-4 && rms <= 1e-5;
        std::printf("%s  max %.1e rms %.1e of range%s%s%s%s  %s %dd %dx%dx%d%s%s%s s=%d r=%d n=%d spread=%d h=%g %s\n", good ? "ok  " : "FAIL", worst, rms,
                    finite ? "" : " NOT FINITE", same ? "" : " NOT REPEATABLE", guarded ? "" : " WROTE OUTSIDE",
                    sameBits ? "" : " OTHER MEANS", c.bnlm ? "bnlm" : "nlm", c.dimensions, v.dims[0], v.dims[1], v.dims[2],
                    c.masked ? " masked" : "", c.part ? " part" : "", c.selects ? " preselect" : "", c.search, c.radius, c.step, c.spread, c.h,
                    average[0].kernel.c_str());
        return good;
    }
};

// timeBnlm prints what nlm, nlm with preselection and bnlm take on 512 x 512 x 128 voxels
// at one search region.
template <class VolumeOf>
void timeBnlm(Device &device, VolumeOf volumeOf)
{
    const int n[3] = {512, 512, 128};
    Volume v = volumeOf(n[0], n[1], n[2]);
    const Region whole{{0, 0, 0}, {n[0], n[1], n[2]}};
    Buffer out(v.data.size() * 4);
    auto time = [&](const char *what, const std::vector<Launch> &launches) {
        CUevent from, to;
        CU(cuEventCreate(&from, 0));
        CU(cuEventCreate(&to, 0));
        std::vector<float> times;
        for (int i = 0; i < 5; ++i) {
            float ms;
            CU(cuEventRecord(from, nullptr));
            device.start(launches);
            CU(cuEventRecord(to, nullptr));
            CU(cuEventSynchronize(to));
            CU(cuEventElapsedTime(&ms, from, to));
            if (i >= 1) times.push_back(ms);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s 512x512x128 takes %.3f ms\n", what, times[times.size() / 2]);
    };
    const struct {
        const char *what;
        bool bnlm, selects;
        int spread;
    } filters[] = {
        {"nlm 3^3 in 7^3", false, false, 0},
        {"nlm 3^3 in 7^3 with preselection", false, true, 0},
        {"bnlm in 7^3", true, false, 2},
        {"bnlm in 7^3, all candidates", true, false, 0},
        {"bnlm in 7^3, all candidates with preselection", true, true, 0},
    };
    for (const auto &f : filters) {
        BnlmCase c{f.bnlm, {n[0], n[1], n[2]}, 3, false, false, f.selects, 3, 1, f.bnlm ? 2 : 0, 12};
        c.spread = f.spread;
        BlockFilter passes(c, v);
        std::vector<Launch> all = passes.preselectLaunches();
        for (const Launch &l : f.bnlm || f.selects ? passes.averageLaunches(whole, out.as<float>())
                                                   : nlmLaunches(passes.recipe(), passes.field(whole, out.as<float>())))
            all.push_back(l);
        time(f.what, all);
    }
}
