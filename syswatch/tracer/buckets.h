/* The buckets of durations; see `model/histogram.py`. */
#ifndef SYSWATCH_BUCKETS_H
#define SYSWATCH_BUCKETS_H

#define SUB_BITS 4
/* That of the longest duration, which has 63 bits, is the last one. */
#define BUCKETS ((64 - SUB_BITS) << SUB_BITS)

static inline int bucket_of(long long ns)
{
    if (ns < 1 << SUB_BITS)
        return (int)ns;
    int shift = 63 - __builtin_clzll((unsigned long long)ns) - SUB_BITS;

    return (shift << SUB_BITS) + (int)(ns >> shift);
}

#endif
