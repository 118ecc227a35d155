// Sorting networks in registers. All indices are known to the compiler, which keeps
// every list in registers and leaves out what no result needs. The network is that of
// package median: sorted columns are merged by Batcher's odd-even merge (Knuth, TAOCP 3,
// 5.3.4) except for the last two lists, of which only the ranks that count are
// computed.
#pragma once

// List holds N values; those of lists that count as sorted rise.
template <int N>
struct List {
    float v[N > 0 ? N : 1];
};

// everyOther returns the values of a list at FIRST, FIRST + 2, ...
template <int FIRST, int N>
__device__ inline List<(N + 1 - FIRST) / 2> everyOther(const List<N> &list)
{
    List<(N + 1 - FIRST) / 2> other;
#pragma unroll
    for (int i = FIRST; i < N; i += 2) other.v[i / 2] = list.v[i];
    return other;
}

// merge merges two sorted lists: their values at even positions, those at odd ones, and
// then neighbours.
template <int A, int B>
__device__ inline List<A + B> merge(const List<A> &a, const List<B> &b)
{
    if constexpr (A == 0) {
        return b;
    } else if constexpr (B == 0) {
        return a;
    } else if constexpr (A == 1 && B == 1) {
        return {fminf(a.v[0], b.v[0]), fmaxf(a.v[0], b.v[0])};
    } else {
        const auto even = merge(everyOther<0>(a), everyOther<0>(b));
        const auto odd = merge(everyOther<1>(a), everyOther<1>(b));
        constexpr int kEven = (A + 1) / 2 + (B + 1) / 2, kOdd = A / 2 + B / 2;
        List<A + B> merged;
        merged.v[0] = even.v[0];
#pragma unroll
        for (int i = 0; i < kOdd; ++i) {
            if (i + 1 < kEven) {
                merged.v[2 * i + 1] = fminf(odd.v[i], even.v[i + 1]);
                merged.v[2 * i + 2] = fmaxf(odd.v[i], even.v[i + 1]);
            } else {
                merged.v[2 * i + 1] = odd.v[i];
            }
        }
        if constexpr (kEven == kOdd + 2) merged.v[A + B - 1] = even.v[kEven - 1];
        return merged;
    }
}

// sorted sorts the N values from FIRST on by merging halves.
template <int FIRST, int N, int SIZE>
__device__ inline List<N> sorted(const List<SIZE> &list)
{
    if constexpr (N == 1) {
        return {list.v[FIRST]};
    } else {
        return merge(sorted<FIRST, N / 2>(list), sorted<FIRST + N / 2, N - N / 2>(list));
    }
}

// rankOf returns the K-th smallest value of two sorted lists, K from 1: the smallest of
// the larger ones of A_i and B_{K-i} over all i, where A_0 and B_0 are -inf.
template <int K, int A, int B>
__device__ inline float rankOf(const List<A> &a, const List<B> &b)
{
    float least = __int_as_float(0x7f800000);
#pragma unroll
    for (int i = K > B ? K - B : 0; i <= (K < A ? K : A); ++i) {
        float larger = i == 0 ? b.v[K - 1] : i == K ? a.v[K - 1] : fmaxf(a.v[i > 0 ? i - 1 : 0], b.v[K - i > 0 ? K - i - 1 : 0]);
        least = fminf(least, larger);
    }
    return least;
}

// Columns are the values of a neighbourhood of WIDTH columns.
template <int WIDTH, int HEIGHT>
struct Columns {
    List<HEIGHT> column[WIDTH];
};

// Middle finds single ranks of a neighbourhood: of the last column and all others.
template <int WIDTH, int HEIGHT>
struct Middle {
    List<(WIDTH - 1) * HEIGHT> others;
    List<HEIGHT> last;

    __device__ explicit Middle(const Columns<WIDTH, HEIGHT> &c)
        : others(mergeColumns<0, WIDTH - 1>(c)), last(sorted<0, HEIGHT>(c.column[WIDTH - 1]))
    {
    }

    // mergeColumns returns N columns from FIRST on as one sorted list.
    template <int FIRST, int N>
    __device__ static List<N * HEIGHT> mergeColumns(const Columns<WIDTH, HEIGHT> &c)
    {
        if constexpr (N == 1) {
            return sorted<0, HEIGHT>(c.column[FIRST]);
        } else {
            return merge(mergeColumns<FIRST, N / 2>(c), mergeColumns<FIRST + N / 2, N - N / 2>(c));
        }
    }

    // rank returns the K-th smallest value, K from 1.
    template <int K>
    __device__ float rank() const { return rankOf<K>(others, last); }
};
