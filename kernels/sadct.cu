// The pointwise shape-adaptive DCT (Foi, Katkovnik, Egiazarian 2007) in three passes,
// slice by slice. docs/FILTERS.md has all formulas.
//
//   sadct_scales     for eight directions the largest scale h whose means along a line,
//                    mu_h = sum_j g_hj v(X + j theta), and those of all shorter ones have
//                    confidence intervals mu_h +- gamma sigma |g_h| with a common point;
//                    packed as whole numbers of 24 bits
//   sadct_threshold  around every pixel X the support, a polygon of these lengths; its
//                    DCT along the rows, then over the coefficients of equal index;
//                    coefficients up to sigma T sqrt(2 ln N + 1) are removed.
//                    out = sum w est / sum w over the supports that hold the pixel,
//                    w = 1 / ((1 + kept) N)
//   sadct_wiener     the same with coefficients multiplied by P^2 / (P^2 + sigma^2), P
//                    those of the pilot, and w = 1 / ((1 + sum of squared gains) N)
//
// The scales are decided in float64, in the order of operations that every engine uses.
// A threshold is decided in float32 with a bound on the error; if a coefficient is within
// the bound, the support is transformed again in float64.
//
// A block computes a tile of pixels: all supports that touch it, a warp each, as many at
// once as it has warps, in the order of their centres. A thread adds their estimates to
// the sums of its own pixels, so that the order of the sums is fixed.
#include "sadct_params.cuh"

constexpr int kTile = 32;            // pixels of a block along x and y
constexpr unsigned kAll = ~0u;       // the lanes of a warp
constexpr float kUlp = 5.9604645e-8f; // 2^-24

__device__ constexpr int kStepX[8] = {1, 1, 0, -1, -1, -1, 0, 1};
__device__ constexpr int kStepY[8] = {0, 1, 1, 1, 0, -1, -1, -1};

// Place is where the results of a block or thread lie.
struct Place {
    int x, y, z;
};

// placeOf returns the first pixel of tile n of the region.
__device__ inline Place placeOf(const Box<float> &out, unsigned n, int width, int height)
{
    const unsigned across = (out.max[0] - out.min[0] + width - 1) / width, down = (out.max[1] - out.min[1] + height - 1) / height;
    return {out.min[0] + int(n % across) * width, out.min[1] + int(n / across % down) * height, out.min[2] + int(n / across / down)};
}

// chosen returns the index of the scale of one direction.
__device__ inline int chosen(const SadctScalesParams &p, Place at, int stepX, int stepY)
{
    const double v0 = p.in.at(at.x, at.y, at.z);
    double lower = -1e300, upper = 1e300;
    for (int s = 0; s < p.count; ++s) {
        double mu = 0;
        for (int j = 0; j < p.lengths[s]; ++j) {
            const int x = at.x + j * stepX, y = at.y + j * stepY;
            if (!valid(p.dims, p.mask, x, y, at.z)) return s - 1;
            mu = __dadd_rn(mu, __dmul_rn(p.weights[s][j], __dsub_rn(p.in.at(x, y, at.z), v0)));
        }
        lower = fmax(lower, __dsub_rn(mu, p.half[s]));
        upper = fmin(upper, __dadd_rn(mu, p.half[s]));
        if (lower > upper) return s - 1;
    }
    return p.count - 1;
}

// Order of the centres that are used as the overlap rises.
__device__ inline int bayer(int x, int y)
{
    int n = 0;
    for (int b = 0; b < 3; ++b) n |= (((x ^ y) >> b & 1) << 1 | (y >> b & 1)) << (2 * (2 - b));
    return n;
}

// stride returns the distance of the rows of a table of length n: odd, so that neither
// rows nor columns share banks.
__device__ inline int stride(int n) { return n | 1; }

// basis returns c_l cos(pi (2j+1) l / (2n)) of the orthonormal DCT of length n.
template <class T>
__device__ inline T basis(int n, int l, int j)
{
    int m = (2 * j + 1) * l % (4 * n);
    if (m > 2 * n) m = 4 * n - m;
    const bool negative = m > n;
    if (negative) m = 2 * n - m;
    if constexpr (sizeof(T) == 8) {
        const double c = sqrt((l == 0 ? 1. : 2.) / n) * cospi(double(m) / (2 * n));
        return negative ? -c : c;
    } else {
        const float c = sqrtf((l == 0 ? 1.f : 2.f) / float(n)) * cospif(float(m) / float(2 * n));
        return negative ? -c : c;
    }
}

// tableAt returns where the table of length n begins: the sum of m stride(m) for m < n.
__device__ inline int tableAt(int n) { return (n - 1) * n * (2 * n - 1) / 6 + (n - 1) / 2 * ((n - 1) / 2 + 1); }

// Support is one support in shared memory. Its rows lie one below the other, without
// gaps; column k, of the coefficients k of the rows that have one, follows column k - 1.
// A pixel of row i and a coefficient k of it share a place in a row, the l-th of column
// k belongs to the l-th row that has k.
struct Support {
    unsigned row[32];     // pixels: bit reach + dx for dx from the centre
    unsigned rows[32];    // rows that have a coefficient k
    short first[32];      // place of the first pixel of a row
    short column[32];     // place of the first coefficient k
    unsigned char *rowOf; // row of a place
    unsigned char *dxOf;  // reach + dx of a place
    float *u, *c, *d;     // pixels, coefficients of the rows, coefficients
    int cx, cy, n;        // centre; pixels, 0 for a support that is not used
    float weight;

    __device__ int length(int i) const { return __popc(row[i]); }
    __device__ int count(int k) const { return __popc(rows[k]); }
    // rank returns the position of row i in column k.
    __device__ int rank(int k, int i) const { return __popc(rows[k] & ((1u << i) - 1)); }
};
static_assert(sizeof(Support) == 440); // as in sadct.go

template <class T>
__device__ inline T warpSum(T v)
{
    for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(kAll, v, s);
    return v;
}

__device__ inline int warpMax(int v)
{
    for (int s = 16; s > 0; s /= 2) v = max(v, __shfl_xor_sync(kAll, v, s));
    return v;
}

// before returns the sum of v over the lanes before this one.
__device__ inline int before(int v, int lane)
{
    int sum = v;
    for (int s = 1; s < 32; s *= 2) {
        int other = __shfl_up_sync(kAll, sum, s);
        if (lane >= s) sum += other;
    }
    return sum - v;
}

// polygonRow returns the row dy of the polygon of the lengths h.
__device__ inline unsigned polygonRow(const int (&h)[8], int dy, int reach)
{
    unsigned bits = 0;
    const int i = abs(dy);
    // The sectors beside +y are 1 and 2, beside -y 5 and 6; the diagonals are odd.
    for (int side = -1; side <= 1; side += 2) { // sign of dx
        for (int sign = -1; sign <= 1; sign += 2) { // sign of dy; both for dy = 0
            if (dy * sign < 0) continue;
            const int across = h[side > 0 ? 0 : 4], down = h[sign > 0 ? 2 : 6];
            const int b = sign > 0 ? (side > 0 ? h[1] : h[3]) : (side > 0 ? h[7] : h[5]);
            // Between the diagonal and the axis along x: pixel e of the diagonal is in row e.
            if (i < b) {
                int last = b > 1 ? ((across - 1) * (b - 1) - i * (across - b)) / (b - 1) : across - 1;
                for (int x = i; x <= last; ++x) bits |= 1u << (reach + side * x);
            }
            // Between the diagonal and the axis along y: pixel e of the diagonal is in column e.
            for (int e = 0; e <= min(i, b - 1); ++e)
                if (b > 1 ? i * (b - 1) <= (down - 1) * (b - 1) - e * (down - b) : i < down) bits |= 1u << (reach + side * e);
        }
    }
    return bits;
}

// build finds the pixels of the support around (cx, cy) and their places.
__device__ inline void build(Support &s, const SadctStageParams &p, int cx, int cy, int z, int lane)
{
    unsigned bits = 0;
    const bool usable = valid(p.dims, p.mask, cx, cy, z);
    if (usable) {
        const int packed = int(p.scales.at(cx, cy, z)), dy = lane - p.reach;
        int h[8];
        for (int d = 0; d < 8; ++d) h[d] = p.lengths[min(packed >> (3 * d) & 7, p.count - 1)];
        const int y = cy + dy;
        if (dy <= p.reach && y >= 0 && y < p.dims[1]) bits = polygonRow(h, dy, p.reach);
        for (int b = 0; b <= 2 * p.reach; ++b) {
            const int x = cx + b - p.reach;
            if ((bits >> b & 1) && !valid(p.dims, p.mask, x, y, z)) bits &= ~(1u << b);
        }
    }
    const int length = __popc(bits), first = before(length, lane), n = __shfl_sync(kAll, first + length, 31);
    const bool used = n > 0 && (p.overlap == 0 || bayer(cx & 7, cy & 7) * n < 64 * p.overlap);
    s.row[lane] = bits;
    s.first[lane] = short(first);
    if (lane == 0) {
        s.cx = cx;
        s.cy = cy;
        s.n = used ? n : 0;
    }
    unsigned mine = 0;
    for (int k = 0; k <= 2 * p.reach; ++k) {
        unsigned have = __ballot_sync(kAll, length > k);
        if (lane == k) mine = have;
    }
    s.rows[lane] = mine;
    s.column[lane] = short(before(__popc(mine), lane));
    for (int j = 0, rest = int(bits); rest != 0; rest &= rest - 1, ++j) {
        s.rowOf[first + j] = static_cast<unsigned char>(lane);
        s.dxOf[first + j] = static_cast<unsigned char>(__ffs(rest) - 1);
    }
    __syncwarp();
}

// load reads the pixels less their mean, in sigmas. It returns this lane's part of the sum
// of their squares before the mean was subtracted.
__device__ inline float load(const Support &s, const Box<const float> &in, int reach, int z, float scale, int lane)
{
    const float v0 = in.at(s.cx, s.cy, z);
    float sum = 0, squares = 0;
    for (int t = lane; t < s.n; t += 32) {
        const float u = (in.at(s.cx + s.dxOf[t] - reach, s.cy + s.rowOf[t] - reach, z) - v0) * scale;
        s.u[t] = u;
        sum += u;
        squares += u * u;
    }
    const float mean = warpSum(sum) / float(s.n);
    for (int t = lane; t < s.n; t += 32) s.u[t] -= mean;
    __syncwarp();
    return squares;
}

// transform computes the coefficients of s.u in d.
__device__ inline void transform(const Support &s, const float *table, float *d, int lane)
{
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], first = s.first[i], k = t - first, n = s.length(i), step = stride(n);
        const float *f = table + tableAt(n) + k;
        float c = 0;
        for (int j = 0; j < n; ++j) c += s.u[first + j] * f[j * step];
        s.c[s.column[k] + s.rank(k, i)] = c;
    }
    __syncwarp();
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], k = t - s.first[i], n = s.count(k), l = s.rank(k, i), column = s.column[k], step = stride(n);
        const float *f = table + tableAt(n) + l;
        float c = 0;
        for (int j = 0; j < n; ++j) c += s.c[column + j] * f[j * step];
        d[column + l] = c;
    }
    __syncwarp();
}

// invert computes the estimate less the pixel, in s.u, from the coefficients in s.d, of
// which those with k above top or l above last are 0.
__device__ inline void invert(const Support &s, const float *table, int top, int last, int lane)
{
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], k = t - s.first[i];
        float e = 0;
        if (k <= top) {
            const int n = s.count(k), column = s.column[k];
            const float *f = table + tableAt(n) + s.rank(k, i) * stride(n);
            for (int l = 0; l <= min(last, n - 1); ++l) e += s.d[column + l] * f[l];
        }
        s.c[t] = e;
    }
    __syncwarp();
    // No other lane reads the pixel that the result replaces.
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], first = s.first[i], n = s.length(i);
        const float *f = table + tableAt(n) + (t - first) * stride(n);
        float r = 0;
        for (int k = 0; k <= min(top, n - 1); ++k) r += s.c[first + k] * f[k];
        s.u[t] = r - s.u[t];
    }
    __syncwarp();
}

// Kept is what a threshold leaves: the number of coefficients and the largest indices.
struct Kept {
    int count, top, last;
};

// decide removes coefficients in s.d. It returns whether float32 suffices. squares is this
// lane's part of those of the pixels relative to the centre.
__device__ inline bool decide(const Support &s, const SadctStageParams &p, float squares, Kept &kept, int lane)
{
    const int side = 2 * p.reach + 1;
    const float limit = float(p.threshold) * sqrtf(2 * logf(float(s.n)) + 1);
    const float slack = (sqrtf(warpSum(squares)) * float(6 * side + 32) + limit * 8) * kUlp;
    kept = {0, -1, -1};
    bool sure = limit > slack;
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], k = t - s.first[i], l = s.rank(k, i);
        float &d = s.d[s.column[k] + l];
        const float size = fabsf(d);
        sure &= fabsf(size - limit) > slack; // false for a NaN
        if (size > limit) {
            ++kept.count;
            kept.top = max(kept.top, k);
            kept.last = max(kept.last, l);
        } else {
            d = 0;
        }
    }
    return __all_sync(kAll, sure);
}

// decideExactly computes the coefficients in float64 and removes those up to the
// threshold. They pass through s.c and s.d, which hold float64 in between, and s.u.
__device__ __noinline__ void decideExactly(const Support &s, const SadctStageParams &p, int z, Kept &kept, int lane)
{
    const double v0 = p.in.at(s.cx, s.cy, z);
    auto pixel = [&](int t) { return p.in.at(s.cx + s.dxOf[t] - p.reach, s.cy + s.rowOf[t] - p.reach, z) - v0; };
    double mean = 0;
    for (int t = lane; t < s.n; t += 32) mean += pixel(t);
    mean = warpSum(mean) / s.n;
    double *c = reinterpret_cast<double *>(s.c); // as long as s.c and s.d
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], first = s.first[i], k = t - first, n = s.length(i);
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += (pixel(first + j) - mean) * basis<double>(n, k, j);
        c[s.column[k] + s.rank(k, i)] = sum;
    }
    __syncwarp();
    const double limit = p.sigma * p.threshold * sqrt(2 * log(double(s.n)) + 1);
    kept = {0, -1, -1};
    for (int t = lane; t < s.n; t += 32) {
        const int i = s.rowOf[t], k = t - s.first[i], n = s.count(k), l = s.rank(k, i), column = s.column[k];
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += c[column + j] * basis<double>(n, l, j);
        const bool keep = fabs(sum) > limit;
        s.u[column + l] = keep ? float(sum / p.sigma) : 0;
        if (keep) {
            ++kept.count;
            kept.top = max(kept.top, k);
            kept.last = max(kept.last, l);
        }
    }
    __syncwarp();
    for (int t = lane; t < s.n; t += 32) s.d[t] = s.u[t];
    __syncwarp();
    load(s, p.in, p.reach, z, float(1 / p.sigma), lane);
}

// shrink computes the estimate of the threshold stage.
__device__ inline void shrink(Support &s, const SadctStageParams &p, const float *table, int z, int lane)
{
    const float squares = load(s, p.in, p.reach, z, float(1 / p.sigma), lane);
    transform(s, table, s.d, lane);
    Kept kept;
    if (!decide(s, p, squares, kept, lane)) {
        __syncwarp();
        decideExactly(s, p, z, kept, lane);
    }
    const int count = warpSum(kept.count), top = warpMax(kept.top), last = warpMax(kept.last);
    if (lane == 0) s.weight = 1.f / float((1 + count) * s.n);
    __syncwarp();
    invert(s, table, top, last, lane);
}

// attenuate computes the estimate of the Wiener stage. q is room for the pilot's
// coefficients.
__device__ inline void attenuate(Support &s, const SadctStageParams &p, const float *table, float *q, int z, int lane)
{
    const float scale = float(1 / p.sigma);
    load(s, p.pilot, p.reach, z, scale, lane);
    transform(s, table, q, lane);
    load(s, p.in, p.reach, z, scale, lane);
    transform(s, table, s.d, lane);
    float sum = 0;
    for (int t = lane; t < s.n; t += 32) {
        const float gain = 1 - 1 / (1 + q[t] * q[t]);
        s.d[t] *= gain;
        sum += gain * gain;
    }
    sum = warpSum(sum);
    if (lane == 0) s.weight = 1 / ((1 + sum) * float(s.n));
    __syncwarp();
    invert(s, table, 2 * p.reach, 2 * p.reach, lane);
}

// Sums are those of one pixel: of weighted estimates less the voxel, in sigmas, and of
// weights.
struct Sums {
    float num = 0, den = 0;

    __device__ void add(const Support &s, int reach, int x, int y)
    {
        const int i = y - s.cy + reach, b = x - s.cx + reach;
        if (unsigned(i) > unsigned(2 * reach) || unsigned(b) > unsigned(2 * reach) || s.n == 0) return;
        const unsigned row = s.row[i];
        if (!(row >> b & 1)) return;
        num += s.weight * s.u[s.first[i] + __popc(row & ((1u << b) - 1))];
        den += s.weight;
    }
};

// stage computes a tile with a block of WARPS warps. The shared memory holds the table,
// then the supports, then their floats and bytes.
template <bool WIENER, int WARPS>
__device__ inline void stage(const SadctStageParams &p)
{
    constexpr int kThreads = 32 * WARPS, kPixels = kTile * kTile / kThreads; // of a thread
    constexpr int kFloats = WIENER ? 4 : 3;                                  // arrays of a support
    extern __shared__ __align__(16) unsigned char memory[];
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int side = 2 * p.reach + 1;
    float *table = reinterpret_cast<float *>(memory);
    for (int n = 1; n <= side; ++n)
        for (int e = thread; e < n * n; e += kThreads) table[tableAt(n) + e / n * stride(n) + e % n] = basis<float>(n, e % n, e / n);
    const int tableSize = (tableAt(side + 1) + 3) / 4 * 4;
    Support *supports = reinterpret_cast<Support *>(table + tableSize);
    const int room = (p.samples + 3) / 4 * 4;
    Support &mine = supports[warp];
    float *all = reinterpret_cast<float *>(supports + WARPS), *floats = all + kFloats * room * warp;
    unsigned char *bytes = reinterpret_cast<unsigned char *>(all + kFloats * room * WARPS) + 2 * room * warp;
    if (lane == 0) {
        mine.c = floats; // with d the memory of float64
        mine.d = floats + room;
        mine.u = floats + 2 * room;
        mine.rowOf = bytes;
        mine.dxOf = bytes + room;
    }
    __syncthreads();

    const Place tile = placeOf(p.out, blockIdx.x, kTile, kTile);
    const int endX = min(tile.x + kTile, p.out.max[0]), endY = min(tile.y + kTile, p.out.max[1]), z = tile.z;
    const int x0 = max(tile.x - p.reach, 0), y0 = max(tile.y - p.reach, 0);
    const int across = min(endX + p.reach, p.dims[0]) - x0, centres = across * (min(endY + p.reach, p.dims[1]) - y0);
    Sums sums[kPixels];
    for (int from = 0; from < centres && p.sigma > 0; from += WARPS) {
        const int n = from + warp;
        if (n < centres) {
            build(mine, p, x0 + n % across, y0 + n / across, z, lane);
            if (mine.n > 0 && WIENER) attenuate(mine, p, table, floats + 3 * room, z, lane);
            else if (mine.n > 0) shrink(mine, p, table, z, lane);
        } else if (lane == 0) {
            mine.n = 0;
        }
        __syncthreads();
        for (int w = 0; w < WARPS; ++w) {
            const Support &s = supports[w];
#pragma unroll
            for (int i = 0; i < kPixels; ++i) {
                const int at = thread + i * kThreads;
                sums[i].add(s, p.reach, tile.x + at % kTile, tile.y + at / kTile);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
        const int at = thread + i * kThreads, x = tile.x + at % kTile, y = tile.y + at / kTile;
        if (x >= endX || y >= endY) continue;
        if (!valid(p.dims, p.mask, x, y, z)) {
            p.out.at(x, y, z) = p.voxels.at(x, y, z);
            continue;
        }
        const float v = p.in.at(x, y, z);
        p.out.at(x, y, z) = sums[i].den > 0 ? float(v + p.sigma * (sums[i].num / sums[i].den)) : v;
    }
}

extern "C" {

// sadct_scales: a thread for each pixel, a block for 32 x 8 of them.
__global__ void __launch_bounds__(256) sadct_scales(const __grid_constant__ SadctScalesParams p)
{
    Place at = placeOf(p.out, blockIdx.x, 32, 8);
    at.x += threadIdx.x;
    at.y += threadIdx.y;
    if (at.x >= p.out.max[0] || at.y >= p.out.max[1]) return;
    if (!valid(p.dims, p.mask, at.x, at.y, at.z)) {
        p.out.at(at.x, at.y, at.z) = p.voxels.at(at.x, at.y, at.z);
        return;
    }
    int packed = 0;
    for (int d = 0; d < 8; ++d) packed |= chosen(p, at, kStepX[d], kStepY[d]) << (3 * d);
    p.out.at(at.x, at.y, at.z) = float(packed);
}

// Supports of up to 17 x 17 pixels, and longer ones, which leave memory for four at once.
__global__ void __launch_bounds__(256, 3) sadct_threshold(const __grid_constant__ SadctStageParams p) { stage<false, 8>(p); }
__global__ void __launch_bounds__(128) sadct_threshold_long(const __grid_constant__ SadctStageParams p) { stage<false, 4>(p); }
__global__ void __launch_bounds__(256, 3) sadct_wiener(const __grid_constant__ SadctStageParams p) { stage<true, 8>(p); }
__global__ void __launch_bounds__(128) sadct_wiener_long(const __grid_constant__ SadctStageParams p) { stage<true, 4>(p); }

} // extern "C"
