// The three passes of sadct, each compared with the plain C of the fake driver on what
// the pass before computed on the device.
#pragma once

#include <cuda.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cstring>
#include <type_traits>

#include "reference.h"

namespace plain {
#include "../../gpu/fakecuda/sadct.c"
}

struct SadctCase {
    int dims[3];
    bool masked, part;
    double sigma;
    std::vector<int> scales, wiener;
    int overlap = 0;
    bool correlated = false;
};

inline std::vector<SadctCase> sadctCases(bool small)
{
    const std::vector<int> foi = {1, 2, 3, 5, 7, 9}, foiWiener = {1, 2, 3, 5, 6};
    std::vector<SadctCase> all = {
        {{1, 1, 1}, false, false, 10, foi, foiWiener},      {{33, 31, 2}, false, false, 10, foi, foiWiener},
        {{33, 31, 2}, true, true, 10, foi, foiWiener},      {{66, 37, 3}, true, false, 10, {1, 2, 3, 12}, {1, 3, 5, 8}},
        {{40, 40, 1}, false, true, 0, foi, foiWiener},      {{45, 39, 2}, false, false, 20, {1, 2, 3, 5, 7, 9, 12}, {1, 2, 3, 5, 6, 8}},
        {{60, 50, 2}, false, true, 20, {1, 4}, {1, 2, 9}}, {{60, 50, 2}, false, false, 20, foi, foiWiener, 20},
        {{70, 45, 2}, false, false, 1e-6, foi, foiWiener}, // every support is decided in float64
        {{66, 37, 2}, true, false, 10, foi, {1, 2, 3, 4, 5}, 0, true}, {{60, 50, 1}, false, true, 20, {1, 2, 3, 5, 12}, {1, 3, 8}, 0, true},
    };
    if (!small) all.push_back({{200, 180, 4}, false, false, 10, foi, foiWiener});
    return all;
}

// fewestSadctCases returns small cases that run every kernel.
inline std::vector<SadctCase> fewestSadctCases()
{
    return {{{17, 9, 2}, true, false, 10, {1, 2, 3, 5}, {1, 2, 3}}, {{17, 14, 1}, false, false, 20, {1, 12}, {1, 8}}};
}

// placed returns the parameters for a region of results.
template <class P>
inline P placed(P p, const Region &out)
{
    for (int c = 0; c < 3; ++c) p.out.min[c] = out.min[c], p.out.max[c] = out.max[c];
    return p;
}

inline unsigned sadctBlocks(const Region &r, int w, int h) { return unsigned((r.along(0) + w - 1) / w * ((r.along(1) + h - 1) / h) * r.along(2)); }

// Sadct holds the buffers of the passes: all fields cover the whole volume.
class Sadct {
    const SadctCase &c;
    const Volume &v;
    Region whole;
    Buffer voxels, mask;

    template <class T>
    Box<T> box(T *data) const { return {data, {0, 0, 0}, {v.dims[0], v.dims[1], v.dims[2]}}; }

    void lengths(int &count, int (&to)[kScales], const std::vector<int> &scales) const
    {
        count = int(scales.size());
        std::copy(scales.begin(), scales.end(), to);
    }

public:
    Buffer scales, pilot, scratch, deviations;

    // The scratch memory is that of so many slices.
    Sadct(const SadctCase &c, const Volume &v, int slices)
        : c(c), v(v), whole{{0, 0, 0}, {v.dims[0], v.dims[1], v.dims[2]}}, voxels(v.data.size() * 4),
          mask(std::max<std::size_t>(v.mask.size(), 4)), scales(v.data.size() * 4), pilot(v.data.size() * 4),
          scratch(scratchBytes(v.dims[0] * v.dims[1] * slices, std::max(c.scales.back(), c.wiener.back()) - 1)), deviations(8 * 276 * 276)
    {
        voxels.put(v.data.data());
        if (!v.mask.empty()) mask.put(v.mask.data());
    }

    SadctScalesParams scalesParams(const Region &region, float *out) const
    {
        SadctScalesParams p{};
        p.in = p.voxels = box<const float>(voxels.as<float>());
        p.mask = box<const std::uint8_t>(v.mask.empty() ? nullptr : mask.as<std::uint8_t>());
        p.out.data = out;
        std::copy(v.dims, v.dims + 3, p.dims);
        lengths(p.count, p.lengths, c.scales);
        const double gamma = 1.6;
        for (int s = 0; s < p.count; ++s) {
            const int h = p.lengths[s];
            double squares = 0;
            for (int j = 0; j < h; ++j) { // any weights that sum to 1
                p.weights[s][j] = (1.25 - 0.5 * (j + 0.5) / h) / h;
                squares += p.weights[s][j] * p.weights[s][j];
            }
            p.half[0][s] = gamma * c.sigma * std::sqrt(squares);
            p.half[1][s] = (c.correlated ? 0.9 : 1) * p.half[0][s];
        }
        return placed(p, region);
    }

    static std::size_t scratchBytes(std::size_t supports, int reach)
    {
        const std::size_t side = 2 * reach + 1;
        return supports * 4 * (side * side + side + 1);
    }

    SadctStageParams stageParams(const Region &region, float *out, bool wiener) const
    {
        SadctStageParams p{};
        p.scales = box<const float>(scales.as<float>());
        p.in = p.voxels = box<const float>(voxels.as<float>());
        p.pilot = box<const float>(pilot.as<float>());
        p.mask = box<const std::uint8_t>(v.mask.empty() ? nullptr : mask.as<std::uint8_t>());
        p.out.data = out;
        std::copy(v.dims, v.dims + 3, p.dims);
        lengths(p.count, p.lengths, wiener ? c.wiener : c.scales);
        p.reach = p.lengths[p.count - 1] - 1;
        p.overlap = c.overlap;
        p.sigma = c.sigma;
        p.threshold = 0.77;
        p.supports.data = scratch.as<float>();
        if (c.correlated) p.deviations = deviations.as<double>();
        for (int k = 0; k < 3; ++k) {
            const int reach = k < 2 ? p.reach : 0;
            p.from[k] = region.min[k];
            p.to[k] = region.max[k];
            p.supports.min[k] = std::max(region.min[k] - reach, 0);
            p.supports.max[k] = std::min(region.max[k] + reach, v.dims[k]);
        }
        return placed(p, region);
    }

    Launch scalesLaunch(const Region &region, float *out) const
    {
        return {"sadct", "sadct_scales", sadctBlocks(region, 32, 8), {32, 8}, 0, bytes(scalesParams(region, out))};
    }

    // deviationsParams returns the parameters for the coefficients of supports of that reach.
    SadctDeviationsParams deviationsParams(int reach) const
    {
        SadctDeviationsParams p{deviations.as<double>(), {}, 1.0 / 32, 2 * reach + 1, 0};
        const double lags[] = {1, 0.6, 0.1, -0.1, -0.05};
        for (int y = 0; y <= kNoiseLags; ++y)
            for (int x = 0; x <= kNoiseLags; ++x) p.rho[y][x] = lags[std::max(x, y)] * (x && y ? 0.6 : 1);
        return p;
    }

    // stageLaunches returns the launches of the deviations if the noise is correlated, of the
    // supports and of the gather.
    std::vector<Launch> stageLaunches(const Region &region, float *out, bool wiener) const
    {
        SadctStageParams p = stageParams(region, out, wiener);
        auto padded = [](unsigned n) { return (n + 3) / 4 * 4; };
        const unsigned side = 2 * p.reach + 1;
        unsigned warps = 8;
        std::string kernel = wiener ? "sadct_wiener" : "sadct_threshold";
        if (side > (wiener ? 11 : 17)) {
            warps = wiener ? 2 : 4;
            kernel += "_long";
        }
        unsigned table = 3 * (padded(side) | 4), centres = 1;
        for (unsigned n = 1; n <= side; ++n) table += n * (padded(n) | 4);
        for (int k = 0; k < 3; ++k) centres *= unsigned(p.supports.max[k] - p.supports.min[k]);
        const unsigned shared = 4 * table + warps * (496 + side * padded(side) * (4 * (wiener ? 4 : 3) + 4)) + (wiener ? 0 : 8 * side * (side + 3) / 2);
        const unsigned each = warps * 4; // supports of a block
        std::vector<Launch> all;
        if (c.correlated) {
            const unsigned rows = side * (side + 1) / 2;
            all.push_back({"sadct", "sadct_deviations", (rows * rows + 127) / 128, {128, 1}, 0, bytes(deviationsParams(p.reach))});
            kernel += "_correlated";
        }
        all.push_back({"sadct", kernel, (centres + each - 1) / each, {32 * warps, 1}, shared, bytes(p)});
        all.push_back({"sadct", "sadct_gather", sadctBlocks(region, 32, 8), {32, 8}, 0, bytes(p)});
        return all;
    }

    // start queues the three passes for the whole volume, the stages slice by slice.
    void start(Device &device, float *out)
    {
        std::vector<Launch> all = {scalesLaunch(whole, scales.as<float>())};
        for (bool wiener : {false, true})
            for (int z = 0; z < v.dims[2]; ++z) {
                const Region slice{{0, 0, z}, {v.dims[0], v.dims[1], z + 1}};
                float *to = (wiener ? out : pilot.as<float>()) + v.index(0, 0, z);
                for (const Launch &l : stageLaunches(slice, to, wiener)) all.push_back(l);
            }
        device.start(all);
    }

    // agrees runs a pass twice and compares it with the plain form, which reads copies of
    // the same buffers. The scales must be equal.
    template <class P>
    bool agrees(Device &device, const std::vector<Launch> &pass, P p, const Buffer &out, const Region &region, void (*form)(const void *), bool exact)
    {
        std::vector<float> got(region.voxels()), again(got), want(got), s(v.data.size()), q(s), host(exact ? 0 : scratchBytes(v.data.size(), kLongest - 1) / 4);
        std::vector<double> table;
        const_cast<Buffer &>(out).poison();
        const std::string &kernel = pass[exact ? 0 : pass.size() - 2].kernel;
        if (!exact) scratch.poison();
        device.start(pass);
        cuCheck(cuCtxSynchronize(), kernel.c_str());
        out.get(got.data());
        const bool guarded = out.guarded() && (exact || scratch.guarded());
        const_cast<Buffer &>(out).poison();
        device.start(pass);
        CU(cuCtxSynchronize());
        out.get(again.data());
        if constexpr (sizeof(P) == sizeof(SadctStageParams)) {
            scales.get(s.data());
            p.scales.data = s.data();
            if (form == plain::sadctWiener) pilot.get(q.data());
            p.pilot.data = q.data();
            p.supports.data = host.data();
            if (c.correlated) {
                SadctDeviationsParams all = deviationsParams(p.reach);
                table.resize(276 * 276);
                all.to = table.data();
                plainly<plain::DeviationsParams>(plain::sadctDeviations, all);
                p.deviations = table.data();
            }
        }
        p.in.data = p.voxels.data = v.data.data();
        p.mask.data = v.mask.empty() ? nullptr : v.mask.data();
        p.out.data = want.data();
        using Plain = std::conditional_t<sizeof(P) == sizeof(SadctStageParams), plain::StageParams, plain::ScalesParams>;
        plainly<Plain>(form, p);
        if (!exact) plainly<Plain>(plain::sadctGather, p);
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
        const bool good = finite && same && guarded && (exact ? worst == 0 : worst <= 1e-4 && rms <= 1e-5);
        std::printf("%s  max %.1e rms %.1e of range%s%s%s  sadct %dx%dx%d%s%s sigma=%g scales=%zu overlap=%d %s\n", good ? "ok  " : "FAIL", worst, rms,
                    finite ? "" : " NOT FINITE", same ? "" : " NOT REPEATABLE", guarded ? "" : " WROTE OUTSIDE", v.dims[0], v.dims[1], v.dims[2],
                    c.masked ? " masked" : "", c.part ? " part" : c.correlated ? " correlated" : "", c.sigma, c.scales.size(), c.overlap, kernel.c_str());
        return good;
    }

    bool check(Device &device, const Region &region)
    {
        Buffer out(region.voxels() * 4);
        bool good = agrees(device, {scalesLaunch(whole, scales.as<float>())}, scalesParams(whole, nullptr), scales, whole, plain::sadctScales, true);
        good &= agrees(device, stageLaunches(whole, pilot.as<float>(), false), stageParams(whole, nullptr, false), pilot, whole, plain::sadctThreshold, false);
        good &= agrees(device, stageLaunches(region, out.as<float>(), true), stageParams(region, nullptr, true), out, region, plain::sadctWiener, false);
        return good;
    }
};

inline bool checkSadct(Device &device, const SadctCase &c, const Volume &v, const Region &region)
{
    return Sadct(c, v, v.dims[2]).check(device, region);
}

// timeSadct prints what the three passes take with the default scales at sigma 10.
template <class VolumeOf>
void timeSadct(Device &device, VolumeOf volumeOf)
{
    const int sizes[][3] = {{256, 256, 1}, {512, 512, 1}, {256, 256, 64}};
    for (const auto &n : sizes) {
        SadctCase c{{n[0], n[1], n[2]}, false, false, 10, {1, 2, 3, 5, 7, 9}, {1, 2, 3, 5, 6}};
        Volume v = volumeOf(n[0], n[1], n[2]);
        Sadct passes(c, v, 1);
        Buffer out(v.data.size() * 4);
        CUevent from, to;
        CU(cuEventCreate(&from, 0));
        CU(cuEventCreate(&to, 0));
        std::vector<float> times;
        for (int i = 0; i < 12; ++i) {
            float ms;
            CU(cuEventRecord(from, nullptr));
            passes.start(device, out.as<float>());
            CU(cuEventRecord(to, nullptr));
            CU(cuEventSynchronize(to));
            CU(cuEventElapsedTime(&ms, from, to));
            if (i >= 2) times.push_back(ms);
        }
        std::sort(times.begin(), times.end());
        std::printf("sadct %dx%dx%d takes %.3f ms\n", n[0], n[1], n[2], times[times.size() / 2]);
    }
}
