// The pointwise shape-adaptive DCT (Foi, Katkovnik, Egiazarian 2007) in three passes,
// slice by slice. docs/FILTERS.md has all formulas.
//
//   sadct_scales     for eight directions the largest scale h whose means along a line,
//                    mu_h = sum_j g_hj v(X + j theta), and those of all shorter ones have
//                    confidence intervals mu_h +- gamma sigma |g_h| with a common point;
//                    packed as whole numbers of 24 bits
//   sadct_threshold  around every pixel X the support, a polygon of these lengths; its
//                    DCT along the columns, then over the coefficients of equal index;
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
// Two kernels compute a stage. The first has a warp for each support, which writes the
// estimate to scratch memory: for each support 2 reach + 1 rows of as many numbers, of
// which those of its pixels are written; then for each row of a support, support by
// support, a word with a bit for each pixel of the support; then for each support its
// weight. The second, sadct_gather, has a thread for each pixel, which adds the estimates
// that hold it in the order of their centres, so that the order of the sums is fixed.
//
// In correlated noise every coefficient has a threshold, or a sigma, of its own: that times
// its standard deviation in noise of sigma 1, which sadct_deviations computes before the
// supports, for every length of a column and of a line. White noise has kernels without.
#include "sadct_params.cuh"

constexpr unsigned kAll = ~0u;       // the lanes of a warp
constexpr float kUlp = 5.9604645e-8f; // 2^-24

__device__ constexpr int kStepX[8] = {1, 1, 0, -1, -1, -1, 0, 1};
__device__ constexpr int kStepY[8] = {0, 1, 1, 1, 0, -1, -1, -1};

// Place is where the results of a block or thread lie.
struct Place {
    int x, y, z;
};

// placeOf returns the first pixel of tile n of a region.
__device__ inline Place placeOf(const int (&min)[3], const int (&max)[3], unsigned n, int width, int height)
{
    const unsigned across = (max[0] - min[0] + width - 1) / width, down = (max[1] - min[1] + height - 1) / height;
    return {min[0] + int(n % across) * width, min[1] + int(n / across % down) * height, min[2] + int(n / across / down)};
}

// chosen returns the index of the scale of one direction.
__device__ inline int chosen(const SadctScalesParams &p, Place at, int direction)
{
    const int stepX = kStepX[direction], stepY = kStepY[direction];
    const double(&half)[kScales] = p.half[direction % 2];
    const double v0 = p.in.at(at.x, at.y, at.z);
    double lower = -1e300, upper = 1e300;
    for (int s = 0; s < p.count; ++s) {
        double mu = 0;
        for (int j = 0; j < p.lengths[s]; ++j) {
            const int x = at.x + j * stepX, y = at.y + j * stepY;
            if (!valid(p.dims, p.mask, x, y, at.z)) return s - 1;
            mu = __dadd_rn(mu, __dmul_rn(p.weights[s][j], __dsub_rn(p.in.at(x, y, at.z), v0)));
        }
        lower = fmax(lower, __dsub_rn(mu, half[s]));
        upper = fmin(upper, __dadd_rn(mu, half[s]));
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

// padded returns n rounded up to whole groups of four, which are read at once.
__device__ inline int padded(int n) { return (n + 3) & ~3; }

// stride returns the distance of the rows of a table of length n, an odd number of groups
// of four, so that neither groups of neighbouring rows nor those of a column share banks.
__device__ inline int stride(int n) { return (n + 3) / 4 * 4 | 4; }

// basis returns c_l cos(pi (2j+1) l / (2n)) of the orthonormal DCT of length n.
__device__ inline float basis(int n, int l, int j)
{
    int m = (2 * j + 1) * l % (4 * n);
    if (m > 2 * n) m = 4 * n - m;
    const bool negative = m > n;
    if (negative) m = 2 * n - m;
    const float c = sqrtf((l == 0 ? 1.f : 2.f) / float(n)) * cospif(float(m) / float(2 * n));
    return negative ? -c : c;
}

// tableAt returns where the table of length n begins: the sum of m stride(m) for m < n.
// Row l holds basis_l(j) and zeros up to its stride.
__device__ inline int tableAt(int n)
{
    int sum = 0; // of m stride(m) over the lengths up to 4, 12, 20 and 28
    for (int from = 1, step = 4; from < n; from = step + 1, step += 8) {
        const int to = min(step, n - 1);
        sum += step * (to * (to + 1) - from * (from - 1)) / 2;
    }
    return sum;
}

// Span is where a column or a line of a support lies: its beginning, its length and where
// the table of this length begins, in one word.
struct Span {
    unsigned word;

    __device__ static Span of(int first, int n, int table) { return {unsigned(first) | unsigned(n) << 10 | unsigned(table) << 15}; }
    __device__ int first() const { return word & 1023; }
    __device__ int length() const { return word >> 10 & 31; }
    __device__ int table() const { return word >> 15; }
};

// Pixel k of column i, at reach + dy, belongs with coefficient k of the column, which lies
// at at among the lines, in one word.
struct Item {
    unsigned word;

    __device__ static Item of(int i, int k, int dy, int at) { return {unsigned(i) | unsigned(k) << 5 | unsigned(dy) << 10 | unsigned(at) << 15}; }
    __device__ int i() const { return word & 31; }
    __device__ int k() const { return word >> 5 & 31; }
    __device__ int dy() const { return word >> 10 & 31; }
    __device__ int at() const { return word >> 15; }
};

// Support is one support in shared memory. In u the columns begin at multiples of four, with
// zeros between them. Line k, of the coefficients k of the columns that have one, in their
// order, follows line k - 1 likewise.
struct Support {
    unsigned row[32];  // pixels: bit reach + dx for dx from the centre
    Span columns[32];  // of each column
    Span lines[32];    // of each line
    short table[32];   // where the table of length n begins
    Item *items;       // the pixels, column by column
    float *u, *c, *d;  // pixels, coefficients of the columns, coefficients
    int cx, cy, n;     // centre; pixels, 0 for a support that is not used
    float weight;
};
static_assert(sizeof(Support) == 496); // as in sadct.go

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

// span returns the bits of the pixels from..to on one side of the centre.
__device__ inline unsigned span(int side, int from, int to, int reach)
{
    if (to < from) return 0;
    const unsigned bits = (2u << (to - from)) - 1;
    return bits << (side > 0 ? reach + from : reach - to);
}

// polygonRow returns the row dy of the polygon of the lengths h.
__device__ inline unsigned polygonRow(const int (&h)[8], int dy, int reach)
{
    unsigned bits = 0;
    const int i = abs(dy);
    for (int side = -1; side <= 1; side += 2) { // sign of dx
        const int across = h[side > 0 ? 0 : 4];
        for (int sign = -1; sign <= 1; sign += 2) { // sign of dy; both for dy = 0
            if (dy * sign < 0) continue;
            const int down = h[sign > 0 ? 2 : 6], b = sign > 0 ? (side > 0 ? h[1] : h[3]) : (side > 0 ? h[7] : h[5]);
            // The sector beside the axis along x: step e of the diagonal is in row e.
            if (i < b) bits |= span(side, i, b > 1 ? ((across - 1) * (b - 1) - i * (across - b)) / (b - 1) : across - 1, reach);
            // The one beside the axis along y: step e is in column e, of pixels e..last(e), where
            // last(e) (b-1) = (down-1) (b-1) - e (down-b).
            int from = 0, to = min(i, b - 1);
            const int beyond = (i - (down - 1)) * (b - 1);
            if (b == 1) to = i < down ? 0 : -1;
            else if (beyond <= 0 && down > b) to = min(to, -beyond / (down - b));
            else if (beyond > 0) from = down < b ? (beyond + b - down - 1) / (b - down) : b;
            bits |= span(side, from, to, reach);
        }
    }
    return bits;
}

// build finds the pixels of the support around (cx, cy) and their places.
__device__ inline void build(Support &s, const SadctStageParams &p, int cx, int cy, int z, int lane)
{
    unsigned bits = 0;
    if (valid(p.dims, p.mask, cx, cy, z)) {
        const int packed = int(p.scales.at(cx, cy, z)), dy = lane - p.reach, y = cy + dy;
        int h[8];
        for (int d = 0; d < 8; ++d) h[d] = p.lengths[min(packed >> (3 * d) & 7, p.count - 1)];
        if (dy <= p.reach && y >= 0 && y < p.dims[1]) bits = polygonRow(h, dy, p.reach);
        bits &= ~0u << max(p.reach - cx, 0);
        bits &= (1u << min(p.dims[0] - cx + p.reach, 31)) - 1;
        if (p.mask.data != nullptr)
            for (unsigned rest = bits; rest != 0; rest &= rest - 1) {
                const int b = __ffs(rest) - 1;
                if (!p.mask.at(cx + b - p.reach, y, z)) bits &= ~(1u << b);
            }
    }
    s.row[lane] = bits;
    unsigned column = 0; // of this lane: bit reach + dy for dy from the centre
    for (int i = 0; i <= 2 * p.reach; ++i) {
        const unsigned have = __ballot_sync(kAll, bits >> i & 1);
        if (lane == i) column = have;
    }
    const int length = __popc(column), number = before(length, lane), n = __shfl_sync(kAll, number + length, 31);
    const bool used = n > 0 && (p.overlap == 0 || bayer(cx & 7, cy & 7) * n < 64 * p.overlap);
    s.columns[lane] = Span::of(before(padded(length), lane), length, s.table[length]);
    if (lane == 0) {
        s.cx = cx;
        s.cy = cy;
        s.n = used ? n : 0;
    }
    int line = 0;
    for (int k = 0; k <= 2 * p.reach; ++k) {
        const unsigned have = __ballot_sync(kAll, length > k);
        const int count = __popc(have);
        if (lane == k) s.lines[k] = Span::of(line, count, s.table[count]);
        if (k < length) {
            s.items[number + k] = Item::of(lane, k, __ffs(column) - 1, line + __popc(have & ((1u << lane) - 1)));
            column &= column - 1;
        }
        line += padded(count);
    }
    __syncwarp();
}

// clear sets an array of a support to 0.
__device__ inline void clear(float *to, int room, int lane)
{
    for (int q = lane; q < room / 4; q += 32) reinterpret_cast<float4 *>(to)[q] = make_float4(0, 0, 0, 0);
    __syncwarp();
}

// load reads the pixels less their mean, in sigmas, into s.u, whose gaps are 0 already.
// It returns this lane's part of the sum of their squares before the mean was subtracted.
template <int SIDE>
__device__ inline float load(const Support &s, const Box<const float> &in, int reach, int z, float scale, int lane)
{
    constexpr int kRounds = (SIDE * SIDE + 31) / 32;
    const float *centre = &in.at(s.cx, s.cy, z), v0 = *centre;
    const int width = in.max[0] - in.min[0];
    float u[kRounds], sum = 0, squares = 0;
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
        u[r] = 0;
        if (lane + 32 * r < s.n) {
            const Item item = s.items[lane + 32 * r];
            u[r] = (centre[(item.dy() - reach) * width + item.i() - reach] - v0) * scale;
        }
    }
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
        sum += u[r];
        squares += u[r] * u[r];
    }
    const float mean = warpSum(sum) / float(s.n);
#pragma unroll
    for (int r = 0; r < kRounds; ++r)
        if (lane + 32 * r < s.n) {
            const Item item = s.items[lane + 32 * r];
            s.u[s.columns[item.i()].first() + item.k()] = u[r] - mean;
        }
    __syncwarp();
    return squares;
}

// dot returns the sum of the products of n numbers, rounded up to groups of four.
template <int GROUPS>
__device__ inline float dot(const float *a, const float *b, int n)
{
    float even = 0, odd = 0;
#pragma unroll
    for (int q = 0; q < GROUPS; ++q)
        if (4 * q < n) {
            const float4 x = reinterpret_cast<const float4 *>(a)[q], y = reinterpret_cast<const float4 *>(b)[q];
            even += x.x * y.x;
            odd += x.y * y.y;
            even += x.z * y.z;
            odd += x.w * y.w;
        }
    return even + odd;
}

// across returns the sum of a_j b_(j step) over the same.
template <int GROUPS>
__device__ inline float across(const float *a, const float *b, int step, int n)
{
    float even = 0, odd = 0;
#pragma unroll
    for (int q = 0; q < GROUPS; ++q)
        if (4 * q < n) {
            const float4 x = reinterpret_cast<const float4 *>(a)[q];
            const float *y = b + 4 * q * step;
            even += x.x * y[0];
            odd += x.y * y[step];
            even += x.z * y[2 * step];
            odd += x.w * y[3 * step];
        }
    return even + odd;
}

// forItems calls store(item, value(item)) for every pixel, two at a time, so that the reads
// of both are under way together.
template <class Value, class Store>
__device__ inline void forItems(const Support &s, int lane, Value value, Store store)
{
    for (int t = lane; t < s.n; t += 64) {
        const bool two = t + 32 < s.n;
        const Item a = s.items[t], b = s.items[two ? t + 32 : t];
        const float x = value(a), y = value(b);
        store(a, x);
        if (two) store(b, y);
    }
    __syncwarp();
}

// transform computes the coefficients of s.u in d.
template <int SIDE>
__device__ inline void transform(const Support &s, const float *table, float *d, int room, int lane)
{
    constexpr int kGroups = (SIDE + 3) / 4;
    clear(s.c, room, lane);
    forItems(s, lane, [&](Item item) {
        const Span column = s.columns[item.i()];
        return dot<kGroups>(s.u + column.first(), table + column.table() + item.k() * stride(column.length()), column.length());
    }, [&](Item item, float c) { s.c[item.at()] = c; });
    forItems(s, lane, [&](Item item) {
        const Span line = s.lines[item.k()];
        return dot<kGroups>(s.c + line.first(), table + line.table() + (item.at() - line.first()) * stride(line.length()), line.length());
    }, [&](Item item, float c) { d[item.at()] = c; });
}

// invert computes the estimate less the pixel, in s.u, from the coefficients in s.d, of
// which those with k above top or l above last are 0.
template <int SIDE>
__device__ inline void invert(const Support &s, const float *table, int top, int last, int room, int lane)
{
    constexpr int kGroups = (SIDE + 3) / 4;
    clear(s.c, room, lane);
    forItems(s, lane, [&](Item item) {
        const Span line = s.lines[item.k()];
        const int n = item.k() <= top ? min(last + 1, line.length()) : 0;
        return across<kGroups>(s.d + line.first(), table + line.table() + item.at() - line.first(), stride(line.length()), n);
    }, [&](Item item, float c) { s.c[s.columns[item.i()].first() + item.k()] = c; });
    // No other pixel reads the one that the result replaces.
    forItems(s, lane, [&](Item item) {
        const Span column = s.columns[item.i()];
        const int n = min(top + 1, column.length());
        return across<kGroups>(s.c + column.first(), table + column.table() + item.k(), stride(column.length()), n) - s.u[column.first() + item.k()];
    }, [&](Item item, float u) { s.u[s.columns[item.i()].first() + item.k()] = u; });
}

// Deviations of the coefficients of a support in correlated noise of sigma 1.
template <bool CORRELATED>
struct Deviations {
    const double *of; // those that follow from the longest column

    __device__ Deviations(const Support &s, const SadctStageParams &p, int lane) : of(nullptr)
    {
        if (!CORRELATED) return;
        const int side = 2 * p.reach + 1, longest = __popc(__ballot_sync(kAll, lane < side && s.lines[lane].length() > 0));
        of = p.deviations + std::size_t(longest * (longest - 1) / 2) * rows(side);
    }

    __device__ static int rows(int side) { return side * (side + 1) / 2; }

    // at returns that of coefficient l of line k.
    __device__ double at(const SadctStageParams &p, int k, int n, int l) const
    {
        return CORRELATED ? __ldg(of + k * rows(2 * p.reach + 1) + n * (n - 1) / 2 + l) : 1;
    }
};

// Kept is what a threshold leaves: the number of coefficients and the largest indices.
struct Kept {
    int count, top, last;
};

// decide removes coefficients in s.d. It returns whether float32 suffices. squares is this
// lane's part of those of the pixels relative to the centre.
template <bool CORRELATED>
__device__ inline bool decide(const Support &s, const SadctStageParams &p, float squares, Kept &kept, int lane)
{
    const int side = 2 * p.reach + 1;
    const float limit = float(p.threshold) * sqrtf(2 * logf(float(s.n)) + 1);
    const float error = sqrtf(warpSum(squares)) * float(6 * side + 32), whole = (error + limit * 8) * kUlp;
    const Deviations<CORRELATED> deviations(s, p, lane);
    kept = {0, -1, -1};
    bool sure = limit > whole;
    for (int t = lane; t < s.n; t += 32) {
        const Item item = s.items[t];
        const int k = item.k(), l = item.at() - s.lines[k].first();
        float &d = s.d[item.at()];
        const float size = fabsf(d);
        float bound = limit, slack = whole;
        if (CORRELATED) {
            bound = limit * float(deviations.at(p, k, s.lines[k].length(), l));
            slack = (error + bound * 10) * kUlp;
            sure &= bound > slack;
        }
        sure &= fabsf(size - bound) > slack; // false for a NaN
        if (size > bound) {
            ++kept.count;
            kept.top = max(kept.top, k);
            kept.last = max(kept.last, l);
        } else {
            d = 0;
        }
    }
    return __all_sync(kAll, sure);
}

// cosinesAt returns where the cosines of length n begin, cos(pi m / (2n)) for m = 0..n.
__device__ inline int cosinesAt(int n) { return (n - 1) * (n + 2) / 2; }

// exactSum returns sum_j value(j) basis_l(j) in float64.
template <class Value>
__device__ inline double exactSum(const double *cosines, int n, int l, Value value)
{
    const double *c = cosines + cosinesAt(n);
    double sum = 0;
    for (int j = 0, m = l; j < n; ++j) { // m = (2j + 1) l modulo 4n
        const int half = m > 2 * n ? 4 * n - m : m;
        sum += value(j) * (half > n ? -c[2 * n - half] : c[half]);
        m += 2 * l;
        if (m >= 4 * n) m -= 4 * n;
    }
    return sum * sqrt((l == 0 ? 1. : 2.) / n);
}

// decideExactly computes the coefficients in float64 and removes those up to the
// threshold. They pass through s.c and s.d, which hold float64 in between, and s.u.
template <int SIDE, bool CORRELATED>
__device__ __noinline__ void decideExactly(const Support &s, const SadctStageParams &p, const double *cosines, int z, int room, Kept &kept, int lane)
{
    const double v0 = p.in.at(s.cx, s.cy, z);
    auto pixel = [&](int t) {
        const Item item = s.items[t];
        return p.in.at(s.cx + item.i() - p.reach, s.cy + item.dy() - p.reach, z) - v0;
    };
    double mean = 0;
    for (int t = lane; t < s.n; t += 32) mean += pixel(t);
    mean = warpSum(mean) / s.n;
    double *c = reinterpret_cast<double *>(s.c); // as long as s.c and s.d
    for (int t = lane; t < s.n; t += 32) {
        const Item item = s.items[t];
        c[item.at()] = exactSum(cosines, s.columns[item.i()].length(), item.k(), [&](int j) { return pixel(t - item.k() + j) - mean; });
    }
    __syncwarp();
    const double limit = p.sigma * p.threshold * sqrt(2 * log(double(s.n)) + 1);
    const Deviations<CORRELATED> deviations(s, p, lane);
    kept = {0, -1, -1};
    clear(s.u, room, lane);
    for (int t = lane; t < s.n; t += 32) {
        const Item item = s.items[t];
        const Span line = s.lines[item.k()];
        const int k = item.k(), l = item.at() - line.first();
        const double sum = exactSum(cosines, line.length(), l, [&](int j) { return c[line.first() + j]; });
        if (fabs(sum) > (CORRELATED ? limit * deviations.at(p, k, line.length(), l) : limit)) {
            s.u[item.at()] = float(sum / p.sigma);
            ++kept.count;
            kept.top = max(kept.top, k);
            kept.last = max(kept.last, l);
        }
    }
    __syncwarp();
    for (int t = lane; t < room; t += 32) s.d[t] = s.u[t];
    __syncwarp();
    clear(s.u, room, lane);
    load<SIDE>(s, p.in, p.reach, z, float(1 / p.sigma), lane);
}

// shrink computes the estimate of the threshold stage.
template <int SIDE, bool CORRELATED>
__device__ inline void shrink(Support &s, const SadctStageParams &p, const float *table, const double *cosines, int room, int z, int lane)
{
    clear(s.u, room, lane);
    clear(s.d, room, lane);
    const float squares = load<SIDE>(s, p.in, p.reach, z, float(1 / p.sigma), lane);
    transform<SIDE>(s, table, s.d, room, lane);
    Kept kept;
    if (!decide<CORRELATED>(s, p, squares, kept, lane)) {
        __syncwarp();
        decideExactly<SIDE, CORRELATED>(s, p, cosines, z, room, kept, lane);
    }
    const int count = warpSum(kept.count), top = warpMax(kept.top), last = warpMax(kept.last);
    if (lane == 0) s.weight = 1.f / float((1 + count) * s.n);
    __syncwarp();
    invert<SIDE>(s, table, top, last, room, lane);
}

// attenuate computes the estimate of the Wiener stage. q is room for the pilot's
// coefficients.
template <int SIDE, bool CORRELATED>
__device__ inline void attenuate(Support &s, const SadctStageParams &p, const float *table, float *q, int room, int z, int lane)
{
    const float scale = float(1 / p.sigma);
    clear(s.u, room, lane);
    clear(s.d, room, lane);
    clear(q, room, lane);
    load<SIDE>(s, p.pilot, p.reach, z, scale, lane);
    transform<SIDE>(s, table, q, room, lane);
    if (CORRELATED) {
        const Deviations<CORRELATED> deviations(s, p, lane);
        for (int t = lane; t < s.n; t += 32) {
            const Item item = s.items[t];
            const Span line = s.lines[item.k()];
            q[item.at()] /= float(deviations.at(p, item.k(), line.length(), item.at() - line.first()));
        }
        __syncwarp();
    }
    load<SIDE>(s, p.in, p.reach, z, scale, lane);
    transform<SIDE>(s, table, s.d, room, lane);
    float sum = 0;
    for (int t = lane; t < room; t += 32) { // in the gaps 0 remains
        const float gain = 1 - 1 / (1 + q[t] * q[t]);
        s.d[t] *= gain;
        sum += gain * gain;
    }
    sum = warpSum(sum);
    if (lane == 0) s.weight = 1 / ((1 + sum) * float(s.n));
    __syncwarp();
    invert<SIDE>(s, table, 2 * p.reach, 2 * p.reach, room, lane);
}

constexpr int kEach = 4; // supports of a warp, as in sadct.go

// Scratch is what the first kernel of a stage leaves to the second.
struct Scratch {
    float *estimates;
    unsigned *rows;
    float *weights;
    std::size_t count;        // of supports
    int x, y, z, across, down; // the centres

    __device__ explicit Scratch(const SadctStageParams &p)
    {
        const Box<float> &b = p.supports;
        const std::size_t side = 2 * p.reach + 1;
        x = b.min[0], y = b.min[1], z = b.min[2];
        across = b.max[0] - x, down = b.max[1] - y;
        count = std::size_t(across) * down * (b.max[2] - z);
        estimates = b.data;
        rows = reinterpret_cast<unsigned *>(estimates + count * side * side);
        weights = reinterpret_cast<float *>(rows + count * side);
    }
};

// supports computes kEach supports with each of WARPS warps, of up to SIDE pixels across.
// The shared memory holds the tables, then the supports, then their floats and items, and
// in the threshold stage the cosines.
template <bool WIENER, int WARPS, int SIDE, bool CORRELATED>
__device__ inline void supports(const SadctStageParams &p)
{
    constexpr int kThreads = 32 * WARPS;
    constexpr int kFloats = WIENER ? 4 : 3; // arrays of a support
    extern __shared__ __align__(16) unsigned char memory[];
    if (!(p.sigma > 0)) return;
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int side = 2 * p.reach + 1;
    float *table = reinterpret_cast<float *>(memory);
    const int tableSize = tableAt(side + 1) + 3 * stride(side); // groups may end beyond the last row
    for (int e = thread; e < tableSize; e += kThreads) table[e] = 0;
    __syncthreads();
    for (int n = 1; n <= side; ++n)
        for (int e = thread; e < n * n; e += kThreads) table[tableAt(n) + e / n * stride(n) + e % n] = basis(n, e / n, e % n);
    Support *shared = reinterpret_cast<Support *>(table + tableSize);
    const int room = side * padded(side);
    Support &mine = shared[warp];
    float *all = reinterpret_cast<float *>(shared + WARPS), *floats = all + kFloats * room * warp;
    Item *items = reinterpret_cast<Item *>(all + kFloats * room * WARPS);
    double *cosines = reinterpret_cast<double *>(items + room * WARPS);
    if (!WIENER)
        for (int n = 1; n <= side; ++n)
            for (int m = thread; m <= n; m += kThreads) cosines[cosinesAt(n) + m] = cospi(double(m) / (2 * n));
    if (lane == 0) {
        mine.c = floats; // with d the memory of float64
        mine.d = floats + room;
        mine.u = floats + 2 * room;
        mine.items = items + room * warp;
    }
    if (lane <= side) mine.table[lane] = short(tableAt(lane));
    __syncthreads();

    const Scratch to(p);
    const std::size_t first = (std::size_t(blockIdx.x) * WARPS + warp) * kEach;
    for (std::size_t i = first; i < first + kEach && i < to.count; ++i) {
        const int x = to.x + int(i % to.across), y = to.y + int(i / to.across % to.down), z = to.z + int(i / to.across / to.down);
        build(mine, p, x, y, z, lane);
        if (mine.n > 0 && WIENER) attenuate<SIDE, CORRELATED>(mine, p, table, floats + 3 * room, room, z, lane);
        else if (mine.n > 0) shrink<SIDE, CORRELATED>(mine, p, table, cosines, room, z, lane);
        if (lane < side) to.rows[lane * to.count + i] = mine.n > 0 ? mine.row[lane] : 0;
        if (lane == 0) to.weights[i] = mine.n > 0 ? mine.weight : 0;
        float *estimate = to.estimates + i * side * side;
        for (int t = lane; t < mine.n; t += 32) {
            const Item item = mine.items[t];
            estimate[item.dy() * side + item.i()] = mine.u[mine.columns[item.i()].first() + item.k()];
        }
        __syncwarp();
    }
}

// gather returns the sum of the weighted estimates of pixel (x, y, z) less the voxel, in
// sigmas, over that of the weights; 0 without an estimate. The lanes of a warp have
// neighbouring pixels, from x - lane on.
__device__ inline float gather(const SadctStageParams &p, int x, int y, int z, int lane)
{
    const Scratch from(p);
    const int side = 2 * p.reach + 1, x0 = x - lane;
    const int lo = max(x0 - p.reach, from.x), hi = min(x0 + 31 + p.reach, from.x + from.across - 1);
    const int top = max(y - p.reach, from.y), bottom = min(y + p.reach, from.y + from.down - 1);
    float num = 0, den = 0;
    for (int cy = top; cy <= bottom; ++cy) {
        const std::size_t row = (std::size_t(z - from.z) * from.down + (cy - from.y)) * from.across;
        const int i = y - cy + p.reach;
        for (int first = lo; first <= hi; first += 32) {
            const std::size_t at = row + (first - from.x);
            const bool inside = first + lane <= hi;
            const unsigned mine = inside ? from.rows[i * from.count + at + lane] : 0;
            const float own = inside ? from.weights[at + lane] : 0;
            constexpr int kAhead = 8; // reads that are under way together
            for (int k = 0; k < 32 && first + k <= hi; k += kAhead) {
                float u[kAhead], weight[kAhead];
#pragma unroll
                for (int j = 0; j < kAhead; ++j) {
                    const unsigned bits = __shfl_sync(kAll, mine, k + j);
                    const int b = x - (first + k + j) + p.reach;
                    const bool holds = unsigned(b) < unsigned(side) && (bits >> b & 1);
                    weight[j] = __shfl_sync(kAll, own, k + j);
                    u[j] = 0;
                    if (holds) u[j] = from.estimates[((at + k + j) * side + i) * side + b];
                    else weight[j] = 0;
                }
#pragma unroll
                for (int j = 0; j < kAhead; ++j) { // a weight of 0 changes neither sum
                    num += weight[j] * u[j];
                    den += weight[j];
                }
            }
        }
    }
    return den > 0 ? num / den : 0;
}

extern "C" {

// sadct_scales: a thread for each pixel, a block for 32 x 8 of them.
__global__ void __launch_bounds__(256) sadct_scales(const __grid_constant__ SadctScalesParams p)
{
    Place at = placeOf(p.out.min, p.out.max, blockIdx.x, 32, 8);
    at.x += threadIdx.x;
    at.y += threadIdx.y;
    if (at.x >= p.out.max[0] || at.y >= p.out.max[1]) return;
    if (!valid(p.dims, p.mask, at.x, at.y, at.z)) {
        p.out.at(at.x, at.y, at.z) = p.voxels.at(at.x, at.y, at.z);
        return;
    }
    int packed = 0;
    for (int d = 0; d < 8; ++d) packed |= chosen(p, at, d) << (3 * d);
    p.out.at(at.x, at.y, at.z) = float(packed);
}

// Supports of up to 17 and 11 pixels across, which are those of Foi's scales, and longer
// ones, which leave memory for few at once.
__global__ void __launch_bounds__(256, 3) sadct_threshold(const __grid_constant__ SadctStageParams p) { supports<false, 8, 17, false>(p); }
__global__ void __launch_bounds__(256, 3) sadct_threshold_correlated(const __grid_constant__ SadctStageParams p) { supports<false, 8, 17, true>(p); }
__global__ void __launch_bounds__(128) sadct_threshold_long(const __grid_constant__ SadctStageParams p) { supports<false, 4, 23, false>(p); }
__global__ void __launch_bounds__(128) sadct_threshold_long_correlated(const __grid_constant__ SadctStageParams p) { supports<false, 4, 23, true>(p); }
__global__ void __launch_bounds__(256, 3) sadct_wiener(const __grid_constant__ SadctStageParams p) { supports<true, 8, 11, false>(p); }
__global__ void __launch_bounds__(256, 3) sadct_wiener_correlated(const __grid_constant__ SadctStageParams p) { supports<true, 8, 11, true>(p); }
__global__ void __launch_bounds__(64) sadct_wiener_long(const __grid_constant__ SadctStageParams p) { supports<true, 2, 23, false>(p); }
__global__ void __launch_bounds__(64) sadct_wiener_long_correlated(const __grid_constant__ SadctStageParams p) { supports<true, 2, 23, true>(p); }

// sadct_deviations: a thread for each coefficient k of a column of length m and coefficient l of a
// line of length n, at (m (m-1) / 2 + k) side (side+1) / 2 + n (n-1) / 2 + l.
__global__ void __launch_bounds__(128) sadct_deviations(const __grid_constant__ SadctDeviationsParams p)
{
    const int rows = p.side * (p.side + 1) / 2, i = blockIdx.x * 128 + threadIdx.x;
    if (i >= rows * rows) return;
    double products[2][kNoiseLags + 1];
    for (int a = 0; a < 2; ++a) {
        int k = a ? i % rows : i / rows, n = 1;
        for (; k >= n; ++n) k -= n;
        auto basis = [&](int j) { return sqrt((k == 0 ? 1. : 2.) / n) * cospi(double((2 * j + 1) * k) / (2 * n)); };
        for (int d = 0; d <= kNoiseLags; ++d) {
            double sum = 0;
            for (int j = d; j < n; ++j) sum += basis(j) * basis(j - d);
            products[a][d] = d > 0 ? 2 * sum : sum;
        }
    }
    double power = 0;
    for (int dy = 0; dy <= kNoiseLags; ++dy)
        for (int dx = 0; dx <= kNoiseLags; ++dx) power += products[0][dy] * products[1][dx] * p.rho[dy][dx];
    p.to[i] = sqrt(fmax(power, p.least));
}

// sadct_gather: a thread for each pixel, a block for 32 x 8 of them.
__global__ void __launch_bounds__(256) sadct_gather(const __grid_constant__ SadctStageParams p)
{
    Place at = placeOf(p.from, p.to, blockIdx.x, 32, 8);
    at.x += threadIdx.x;
    at.y += threadIdx.y;
    if (at.y >= p.to[1]) return; // all lanes of a warp
    const float mean = p.sigma > 0 ? gather(p, at.x, at.y, at.z, threadIdx.x) : 0;
    if (at.x >= p.to[0]) return;
    if (!valid(p.dims, p.mask, at.x, at.y, at.z)) {
        p.out.at(at.x, at.y, at.z) = p.voxels.at(at.x, at.y, at.z);
        return;
    }
    const float v = p.in.at(at.x, at.y, at.z);
    p.out.at(at.x, at.y, at.z) = mean != 0 ? float(v + p.sigma * mean) : v;
}

} // extern "C"
