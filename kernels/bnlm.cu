// Blockwise non-local means (docs/FILTERS.md, bnlm). A block of (2 r + 1)^3 voxels
// stands on every step-th voxel, from voxel 0 of the volume on:
//
//   D_kj  = 1/|B| sum_o (v_{k+o} - v_{j+o})^2         j a candidate of k
//   w_kj  = exp(-D_kj / h^2),  w_kk = max_j w_kj
//   u_k,x = v_x + sum_j w_kj (v_{x+j-k} - v_x) / sum_j w_kj
//   out_x = the mean of u_k,x over the blocks k that voxel x belongs to
//
//   bnlm_3d, bnlm_2d  radius 1 and step 2
//   bnlm_blocks_N     any radius and step: u - v of blocks of up to 32 N voxels
//   bnlm_mean         any radius and step: out from these
//
// In bnlm_3d and bnlm_2d a thread computes one block. Its samples, those of the block that
// it is compared with, and its 27 sums stay in registers. From one offset to the next
// along x only a third of the samples is read anew. What the blocks give goes through
// shared memory: a tile's voxels need blocks of this thread block alone, so that those
// at its rim are computed by its neighbours too.
//
// In bnlm_blocks_N a warp computes one block, and a lane up to N of its voxels. What the
// blocks give goes through memory.
#include "bnlm_params.cuh"

__device__ inline int mirror(int i, int n)
{
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}

__device__ inline float powerOfTwo(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// sampleIndex returns the position in the input of voxel (x, y, z), mirrored.
__device__ inline std::size_t sampleIndex(const BnlmParams &p, int x, int y, int z)
{
    return &p.in.at(mirror(x, p.dims[0]), mirror(y, p.dims[1]), mirror(z, p.dims[2])) - p.in.data;
}

__device__ inline bool inside(const BnlmParams &p, int x, int y, int z)
{
    return unsigned(x) < unsigned(p.dims[0]) && unsigned(y) < unsigned(p.dims[1]) && unsigned(z) < unsigned(p.dims[2]);
}

// valid returns whether a voxel, mirrored, is not excluded.
__device__ inline bool validSample(const BnlmParams &p, int x, int y, int z)
{
    return p.mask.data == nullptr || p.mask.at(mirror(x, p.dims[0]), mirror(y, p.dims[1]), mirror(z, p.dims[2]));
}

// candidate returns whether a block is compared with that at distance d: with all, with
// the nearest and half of those beyond, or with a quarter of them.
__device__ inline bool candidate(const BnlmParams &p, int dx, int dy, int dz)
{
    const int far = max(abs(dx), max(abs(dy), abs(dz)));
    if (far < 2) return far == 1;
    if (p.spread == 1) return ((dx + dy + dz) & 1) == 0;
    if (p.spread == 2) return ((dx + dy) & 1) == 0 && (((dy + dz) & 1) == 0 || p.search[2] == 0);
    return true;
}

// exponent returns the exponent of 2 in the weight of the block at j for that at k in
// float64, less than 0 if j is not used.
__device__ inline double exponent(const BnlmParams &p, const int (&k)[3], int x, int y, int z)
{
    if (!candidate(p, x - k[0], y - k[1], z - k[2]) || !inside(p, x, y, z)) return -1;
    if (p.select.mean.data != nullptr && !p.select.alike(k[0], k[1], k[2], x, y, z)) return -1;
    double sum = 0;
    for (int oz = -p.radius[2]; oz <= p.radius[2]; ++oz)
        for (int oy = -p.radius[1]; oy <= p.radius[1]; ++oy)
            for (int ox = -p.radius[0]; ox <= p.radius[0]; ++ox) {
                if (!validSample(p, x + ox, y + oy, z + oz)) return -1;
                double d = double(__ldg(p.in.data + sampleIndex(p, k[0] + ox, k[1] + oy, k[2] + oz))) -
                    double(__ldg(p.in.data + sampleIndex(p, x + ox, y + oy, z + oz)));
                sum += d * d;
            }
    return sum * p.factor;
}

// exactChanges calls add(w, dx, dy, dz) with the weights of the blocks around k relative
// to the largest, and returns their sum with that of k itself; 0 if float64 holds none.
template <class Add>
__device__ inline double exactChanges(const BnlmParams &p, const int (&k)[3], Add add)
{
    double least = 1e300, den = 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (int dz = -p.search[2]; dz <= p.search[2]; ++dz)
            for (int dy = -p.search[1]; dy <= p.search[1]; ++dy)
                for (int dx = -p.search[0]; dx <= p.search[0]; ++dx) {
                    double e = exponent(p, k, k[0] + dx, k[1] + dy, k[2] + dz);
                    if (e < 0) continue;
                    if (pass == 0) {
                        least = fmin(least, e);
                        continue;
                    }
                    double w = exp2(least - e);
                    add(w, dx, dy, dz);
                    den += w;
                }
        if (exp2(-least) == 0) return 0;
    }
    return den;
}

// exactBlock writes what a block gives, in float64, where its weights underflow.
template <int SAMPLES>
__device__ __noinline__ void exactBlock(const BnlmParams &p, int kx, int ky, int kz, float *given, int stride)
{
    const int k[3] = {kx, ky, kz};
    double num[SAMPLES];
    for (double &n : num) n = 0;
    auto each = [&](auto f) {
        int i = 0;
        for (int oz = -p.radius[2]; oz <= p.radius[2]; ++oz)
            for (int oy = -p.radius[1]; oy <= p.radius[1]; ++oy)
                for (int ox = -p.radius[0]; ox <= p.radius[0]; ++ox) f(i++, ox, oy, oz);
    };
    double den = exactChanges(p, k, [&](double w, int dx, int dy, int dz) {
        each([&](int i, int ox, int oy, int oz) {
            num[i] += w * (double(__ldg(p.in.data + sampleIndex(p, kx + ox + dx, ky + oy + dy, kz + oz + dz))) -
                           double(__ldg(p.in.data + sampleIndex(p, kx + ox, ky + oy, kz + oz))));
        });
    });
    each([&](int i, int, int, int) { given[i * stride] = den == 0 ? 0 : float(num[i] / den); });
}

// Shape is that of a thread block: X x Y x Z blocks, a thread for each. They cover a tile
// of voxels from that under the first on.
template <int DIMS>
struct Shape;
template <>
struct Shape<3> {
    static constexpr int X = 12, Y = 8, Z = 4, kTall = 14, kDeep = 6, kPlanes = 3;
};
template <>
struct Shape<2> {
    static constexpr int X = 24, Y = 16, Z = 1, kTall = 30, kDeep = 1, kPlanes = 1;
};

constexpr int kThreads = 384;
constexpr float kNone = 1e30f;      // exponent of no weight
constexpr float kUnderflow = 64;    // exponent from which on float32 does not hold the ratios of weights
constexpr float kUnderflow64 = 1200; // and from which on float64 holds no weight

// Samples reads those of the blocks in a row of the search region, column by column.
template <int PLANES>
struct Samples {
    static constexpr int kColumn = 3 * PLANES;
    const float *slice[PLANES];
    int row[3];
    const std::uint8_t *maskSlice[PLANES];
    int maskRow[3];

    __device__ Samples(const BnlmParams &p, int y, int z)
    {
#pragma unroll
        for (int oz = 0; oz < PLANES; ++oz) {
            int m = mirror(z + oz - PLANES / 2, p.dims[2]);
            slice[oz] = p.in.data + std::size_t(m - p.in.min[2]) * (p.in.max[1] - p.in.min[1]) * (p.in.max[0] - p.in.min[0]);
            if (p.mask.data != nullptr)
                maskSlice[oz] = p.mask.data + std::size_t(m - p.mask.min[2]) * (p.mask.max[1] - p.mask.min[1]) * (p.mask.max[0] - p.mask.min[0]);
        }
#pragma unroll
        for (int oy = 0; oy < 3; ++oy) {
            int m = mirror(y + oy - 1, p.dims[1]);
            row[oy] = (m - p.in.min[1]) * (p.in.max[0] - p.in.min[0]);
            maskRow[oy] = (m - p.mask.min[1]) * (p.mask.max[0] - p.mask.min[0]);
        }
    }

    // column reads the samples at x, less the reference, scaled.
    __device__ void column(const BnlmParams &p, int x, float reference, float (&to)[kColumn]) const
    {
        const int m = mirror(x, p.dims[0]) - p.in.min[0];
#pragma unroll
        for (int oz = 0; oz < PLANES; ++oz)
#pragma unroll
            for (int oy = 0; oy < 3; ++oy) to[oz * 3 + oy] = (__ldg(slice[oz] + row[oy] + m) - reference) * p.scale;
    }

    // complete returns whether no sample at x is excluded.
    __device__ bool complete(const BnlmParams &p, int x) const
    {
        const int m = mirror(x, p.dims[0]) - p.mask.min[0];
        bool all = true;
#pragma unroll
        for (int oz = 0; oz < PLANES; ++oz)
#pragma unroll
            for (int oy = 0; oy < 3; ++oy) all &= __ldg(maskSlice[oz] + maskRow[oy] + m) != 0;
        return all;
    }
};

// block computes what the block at (x, y, z) gives to its voxels: given[i stride] for the
// samples i, column by column, planes slowest in each.
template <int PLANES>
__device__ inline void block(const BnlmParams &p, int x, int y, int z, float reference, float *given, int stride)
{
    constexpr int kColumn = 3 * PLANES;
    float own[3][kColumn], num[3][kColumn];
    {
        const Samples<PLANES> samples(p, y, z);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            samples.column(p, x + c - 1, reference, own[c]);
#pragma unroll
            for (int i = 0; i < kColumn; ++i) num[c][i] = 0;
        }
    }
    const bool selects = p.select.mean.data != nullptr, masked = p.mask.data != nullptr;
    const float mean = selects ? __ldg(&p.select.mean.at(x, y, z)) : 0, deviation = selects ? __ldg(&p.select.deviation.at(x, y, z)) : 0;
    float den = 0, least = kNone;
    for (int jz = max(z - p.search[2], 0); jz <= min(z + p.search[2], p.dims[2] - 1); ++jz) {
        for (int jy = max(y - p.search[1], 0); jy <= min(y + p.search[1], p.dims[1] - 1); ++jy) {
            // Rows without a candidate but the nearest are far apart from those with some.
            if (p.spread == 2 && PLANES > 1 && ((jy - y + jz - z) & 1) && max(abs(jy - y), abs(jz - z)) > 1) continue;
            const Samples<PLANES> samples(p, jy, jz);
            const int from = max(x - p.search[0], 0), to = min(x + p.search[0], p.dims[0] - 1);
            const float *means = selects ? &p.select.mean.at(x, jy, jz) : nullptr;
            const float *deviations = selects ? &p.select.deviation.at(x, jy, jz) : nullptr;
            float there[3][kColumn];
            unsigned complete = 7; // a bit for each column
            samples.column(p, from - 1, reference, there[1]);
            samples.column(p, from, reference, there[2]);
            if (masked) complete = samples.complete(p, from - 1) << 1 | samples.complete(p, from) << 2;
            for (int jx = from; jx <= to; ++jx) {
#pragma unroll
                for (int i = 0; i < kColumn; ++i) {
                    there[0][i] = there[1][i];
                    there[1][i] = there[2][i];
                }
                samples.column(p, jx + 1, reference, there[2]);
                if (masked) complete = complete >> 1 | samples.complete(p, jx + 1) << 2;
                if (!candidate(p, jx - x, jy - y, jz - z) || complete != 7) continue;
                if (selects && !p.select.alike(mean, deviation, __ldg(means + (jx - x)), __ldg(deviations + (jx - x)))) continue;
                float e = 0;
#pragma unroll
                for (int c = 0; c < 3; ++c)
#pragma unroll
                    for (int i = 0; i < kColumn; ++i) {
                        float d = there[c][i] - own[c][i];
                        e = fmaf(d, d, e);
                    }
                if (e < least) { // weights are relative to the largest
                    const float less = powerOfTwo(e - least);
                    den *= less;
#pragma unroll
                    for (int c = 0; c < 3; ++c)
#pragma unroll
                        for (int i = 0; i < kColumn; ++i) num[c][i] *= less;
                    least = e;
                }
                const float w = powerOfTwo(least - e);
                den += w;
#pragma unroll
                for (int c = 0; c < 3; ++c)
#pragma unroll
                    for (int i = 0; i < kColumn; ++i) num[c][i] = fmaf(w, there[c][i], num[c][i]);
            }
        }
    }
    if (least > kUnderflow && least < kUnderflow64) {
        exactBlock<3 * kColumn>(p, x, y, z, given, stride);
        return;
    }
    const float share = least < kUnderflow64 ? p.inverse / (den + 1) : 0;
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
        for (int oz = 0; oz < PLANES; ++oz)
#pragma unroll
            for (int oy = 0; oy < 3; ++oy) {
                const int i = oz * 3 + oy;
                given[((oz * 3 + oy) * 3 + c) * stride] = share == 0 ? 0 : fmaf(-den, own[c][i], num[c][i]) * share;
            }
}

template <int DIMS>
__device__ inline void bnlmTile(const BnlmParams &p)
{
    using S = Shape<DIMS>;
    constexpr int kWide = 2 * S::X - 2, kStepZ = DIMS == 3 ? 2 : 1;
    static_assert(S::X * S::Y * S::Z == kThreads);
    extern __shared__ float given[]; // of sample i of block b: [i kThreads + b]
    const Box<float> &o = p.out;
    // Tiles begin on blocks.
    const int x0 = o.min[0] / 2 * 2, y0 = o.min[1] / 2 * 2, z0 = o.min[2] / kStepZ * kStepZ;
    const unsigned across = (o.max[0] - x0 + kWide - 1) / kWide, down = (o.max[1] - y0 + S::kTall - 1) / S::kTall;
    const unsigned line = blockIdx.x / across, layer = line / down;
    const int tx = x0 + int(blockIdx.x - line * across) * kWide, ty = y0 + int(line - layer * down) * S::kTall,
              tz = z0 + int(layer) * S::kDeep;
    const float reference = __ldg(p.in.data + sampleIndex(p, max(tx, o.min[0]), max(ty, o.min[1]), max(tz, o.min[2])));

    const int b = threadIdx.x;
    const int x = tx + b % S::X * 2, y = ty + b / S::X % S::Y * 2, z = tz + b / (S::X * S::Y) * kStepZ;
    // Only blocks that reach the region: the boxes hold what these read.
    if (inside(p, x, y, z) && x <= o.max[0] && y <= o.max[1] && (DIMS == 3 ? z <= o.max[2] : z < o.max[2]))
        block<S::kPlanes>(p, x, y, z, reference, given + b, kThreads);
    __syncthreads();

    for (int i = b; i < kWide * S::kTall * S::kDeep; i += kThreads) {
        const int vx = tx + i % kWide, vy = ty + i / kWide % S::kTall, vz = tz + i / (kWide * S::kTall);
        if (vx < o.min[0] || vy < o.min[1] || vz < o.min[2] || vx >= o.max[0] || vy >= o.max[1] || vz >= o.max[2]) continue;
        if (p.mask.data != nullptr && !p.mask.at(vx, vy, vz)) {
            o.at(vx, vy, vz) = p.voxels.at(vx, vy, vz);
            continue;
        }
        // An even voxel is the middle of a block, an odd one between two, the last of which
        // may be outside the volume.
        float sum = 0;
        int n = 0;
        const int pz = DIMS == 3 ? vz & 1 : 0, py = vy & 1, px = vx & 1;
        for (int oz = -pz; oz <= pz; oz += 2 * pz + (pz == 0))
            for (int oy = -py; oy <= py; oy += 2 * py + (py == 0))
                for (int ox = -px; ox <= px; ox += 2 * px + (px == 0)) {
                    // The block at (vx, vy, vz) - (ox, oy, oz).
                    if (!inside(p, vx - ox, vy - oy, vz - oz)) continue;
                    const int k = ((vz - oz - tz) / kStepZ * S::Y + (vy - oy - ty) / 2) * S::X + (vx - ox - tx) / 2;
                    const int sample = ((DIMS == 3 ? oz + 1 : 0) * 3 + oy + 1) * 3 + ox + 1;
                    sum += given[sample * kThreads + k];
                    ++n;
                }
        o.at(vx, vy, vz) = float(double(__ldg(p.in.data + sampleIndex(p, vx, vy, vz))) + double(sum / n));
    }
}

constexpr int kWarps = 8; // of a thread block of bnlm_blocks_N

template <class T>
__device__ inline T warpSum(T x)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart >>= 1) x += __shfl_xor_sync(~0u, x, apart);
    return x;
}

// LaneSamples are the samples 32 i + lane of a block, x fastest. The samples beyond the block are
// not used.
template <int PER>
struct LaneSamples {
    int from[PER]; // of a block inside the box: the sample's place behind the first sample's
    int lane, samples;

    __device__ explicit LaneSamples(const BnlmParams &p) : lane(threadIdx.x & 31)
    {
        samples = (2 * p.radius[0] + 1) * (2 * p.radius[1] + 1) * (2 * p.radius[2] + 1);
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            int o[3];
            offset(p, i, o);
            from[i] = int(place(p.in, o[0], o[1], o[2]));
        }
    }

    __device__ bool has(int i) const { return i * 32 + lane < samples; }

    // offset returns where sample i lies from the first one.
    __device__ void offset(const BnlmParams &p, int i, int (&o)[3]) const
    {
        const int n = i * 32 + lane, w = 2 * p.radius[0] + 1, h = 2 * p.radius[1] + 1;
        o[0] = n % w, o[1] = n / w % h, o[2] = n / (w * h);
    }

    template <class T>
    static __device__ std::ptrdiff_t place(const Box<T> &b, int x, int y, int z)
    {
        return (std::ptrdiff_t(z) * (b.max[1] - b.min[1]) + y) * (b.max[0] - b.min[0]) + x;
    }

    // read calls use(i, v) with the samples of the block at (x, y, z), and returns whether none
    // of the block is excluded.
    template <class Use>
    __device__ bool read(const BnlmParams &p, int x, int y, int z, Use use) const
    {
        const int fx = x - p.radius[0], fy = y - p.radius[1], fz = z - p.radius[2];
        const bool within = fx >= 0 && fy >= 0 && fz >= 0 && x + p.radius[0] < p.dims[0] && y + p.radius[1] < p.dims[1] && z + p.radius[2] < p.dims[2];
        bool complete = true;
        if (within && p.mask.data == nullptr) {
            const float *first = p.in.data + place(p.in, fx - p.in.min[0], fy - p.in.min[1], fz - p.in.min[2]);
#pragma unroll
            for (int i = 0; i < PER; ++i)
                if (has(i)) use(i, __ldg(first + from[i]));
            return true;
        }
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            if (!has(i)) continue;
            int o[3];
            offset(p, i, o);
            complete &= validSample(p, fx + o[0], fy + o[1], fz + o[2]);
            use(i, __ldg(p.in.data + sampleIndex(p, fx + o[0], fy + o[1], fz + o[2])));
        }
        return __all_sync(~0u, complete);
    }
};

// eachCandidate calls use with the blocks that the block at (x, y, z) is compared with.
template <class Use>
__device__ inline void eachCandidate(const BnlmParams &p, int x, int y, int z, Use use)
{
    for (int jz = max(z - p.search[2], 0); jz <= min(z + p.search[2], p.dims[2] - 1); ++jz)
        for (int jy = max(y - p.search[1], 0); jy <= min(y + p.search[1], p.dims[1] - 1); ++jy)
            for (int jx = max(x - p.search[0], 0); jx <= min(x + p.search[0], p.dims[0] - 1); ++jx) {
                if (!candidate(p, jx - x, jy - y, jz - z)) continue;
                if (p.select.mean.data == nullptr || p.select.alike(x, y, z, jx, jy, jz)) use(jx, jy, jz);
            }
}

// exactBlockOfWarp computes what a block gives in float64, if its weights underflow in float32.
template <int PER>
__device__ __noinline__ void exactBlockOfWarp(const BnlmParams &p, int x, int y, int z, float *to)
{
    const LaneSamples<PER> lanes(p);
    double own[PER], there[PER], num[PER];
    double least = 1e300, den = 1;
#pragma unroll
    for (int i = 0; i < PER; ++i) own[i] = num[i] = there[i] = 0;
    lanes.read(p, x, y, z, [&](int i, float v) { own[i] = v; });
    for (int pass = 0; pass < 2; ++pass) {
        eachCandidate(p, x, y, z, [&](int jx, int jy, int jz) {
            double e = 0;
            const bool complete = lanes.read(p, jx, jy, jz, [&](int i, float v) {
                there[i] = double(v) - own[i];
                e += there[i] * there[i];
            });
            if (!complete) return;
            e = warpSum(e) * p.factor;
            if (pass == 0) {
                least = fmin(least, e);
                return;
            }
            const double w = exp2(least - e);
            den += w;
#pragma unroll
            for (int i = 0; i < PER; ++i) num[i] += w * there[i];
        });
        if (exp2(-least) == 0) den = INFINITY; // float64 holds no weight
    }
#pragma unroll
    for (int i = 0; i < PER; ++i)
        if (lanes.has(i)) to[i * 32 + lanes.lane] = float(num[i] / den);
}

// blockOfWarp writes what a block gives to its voxels. Sums over a block are the same in all
// lanes: each step of warpSum adds the same pair.
template <int PER>
__device__ inline void blockOfWarp(const BnlmParams &p)
{
    const std::size_t block = std::size_t(blockIdx.x) * kWarps + threadIdx.x / 32, line = block / p.count[0];
    if (line >= std::size_t(p.count[1]) * p.count[2]) return;
    const int x = (p.first[0] + int(block - line * p.count[0])) * p.step[0], y = (p.first[1] + int(line % p.count[1])) * p.step[1],
              z = (p.first[2] + int(line / p.count[1])) * p.step[2];
    const LaneSamples<PER> lanes(p);
    float *to = p.changes + block * lanes.samples;
    const float reference = __ldg(p.in.data + sampleIndex(p, x, y, z));
    float own[PER], there[PER], num[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) own[i] = num[i] = there[i] = 0;
    lanes.read(p, x, y, z, [&](int i, float v) { own[i] = (v - reference) * p.scale; });
    float den = 0, least = kNone;
    eachCandidate(p, x, y, z, [&](int jx, int jy, int jz) {
        float e = 0;
        const bool complete = lanes.read(p, jx, jy, jz, [&](int i, float v) {
            there[i] = (v - reference) * p.scale;
            const float d = there[i] - own[i];
            e = fmaf(d, d, e);
        });
        if (!complete) return;
        e = warpSum(e);
        if (e < least) { // weights are relative to the largest
            const float less = powerOfTwo(e - least);
            den *= less;
#pragma unroll
            for (int i = 0; i < PER; ++i) num[i] *= less;
            least = e;
        }
        const float w = powerOfTwo(least - e);
        den += w;
#pragma unroll
        for (int i = 0; i < PER; ++i) num[i] = fmaf(w, there[i], num[i]);
    });
    if (least > kUnderflow && least < kUnderflow64) {
        exactBlockOfWarp<PER>(p, x, y, z, to);
        return;
    }
    const float share = least < kUnderflow64 ? p.inverse / (den + 1) : 0;
#pragma unroll
    for (int i = 0; i < PER; ++i)
        if (lanes.has(i)) to[i * 32 + lanes.lane] = share == 0 ? 0 : fmaf(-den, own[i], num[i]) * share;
}

extern "C" {

__global__ void __launch_bounds__(kThreads, 1) bnlm_3d(const __grid_constant__ BnlmParams p) { bnlmTile<3>(p); }

__global__ void __launch_bounds__(kThreads, 1) bnlm_2d(const __grid_constant__ BnlmParams p) { bnlmTile<2>(p); }

__global__ void __launch_bounds__(kWarps * 32) bnlm_blocks_1(const __grid_constant__ BnlmParams p) { blockOfWarp<1>(p); }

__global__ void __launch_bounds__(kWarps * 32) bnlm_blocks_4(const __grid_constant__ BnlmParams p) { blockOfWarp<4>(p); }

__global__ void __launch_bounds__(kWarps * 32) bnlm_blocks_11(const __grid_constant__ BnlmParams p) { blockOfWarp<11>(p); }

__global__ void __launch_bounds__(kWarps * 32) bnlm_blocks_23(const __grid_constant__ BnlmParams p) { blockOfWarp<23>(p); }

// bnlm_mean computes a voxel in a thread.
__global__ void __launch_bounds__(128) bnlm_mean(const __grid_constant__ BnlmParams p)
{
    const Box<float> &o = p.out;
    const unsigned w = o.max[0] - o.min[0], h = o.max[1] - o.min[1], d = o.max[2] - o.min[2];
    const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, line = n / w;
    if (line >= std::size_t(h) * d) return;
    const int v[3] = {o.min[0] + int(n - line * w), o.min[1] + int(line % h), o.min[2] + int(line / h)};
    if (p.mask.data != nullptr && !p.mask.at(v[0], v[1], v[2])) {
        o.at(v[0], v[1], v[2]) = p.voxels.at(v[0], v[1], v[2]);
        return;
    }
    int first[3], last[3], side[3];
    for (int c = 0; c < 3; ++c) {
        first[c] = max(v[c] - p.radius[c] + p.step[c] - 1, 0) / p.step[c];
        last[c] = min(v[c] + p.radius[c], p.dims[c] - 1) / p.step[c];
        side[c] = 2 * p.radius[c] + 1;
    }
    double sum = 0;
    int blocks = 0;
    for (int kz = first[2]; kz <= last[2]; ++kz)
        for (int ky = first[1]; ky <= last[1]; ++ky)
            for (int kx = first[0]; kx <= last[0]; ++kx) {
                const std::size_t block = (std::size_t(kz - p.first[2]) * p.count[1] + (ky - p.first[1])) * p.count[0] + (kx - p.first[0]);
                const int oz = v[2] - kz * p.step[2] + p.radius[2], oy = v[1] - ky * p.step[1] + p.radius[1],
                          ox = v[0] - kx * p.step[0] + p.radius[0];
                sum += double(p.changes[block * (side[0] * side[1] * side[2]) + (oz * side[1] + oy) * side[0] + ox]);
                ++blocks;
            }
    o.at(v[0], v[1], v[2]) = float(double(__ldg(p.in.data + sampleIndex(p, v[0], v[1], v[2]))) + sum / blocks);
}

} // extern "C"
