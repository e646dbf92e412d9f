// The arithmetic of the scrubber. Times are in milliseconds; a range is `[from, to]`.

// The shortest range that the server knows.
const SHORTEST_MS = 1;
const ROUND_MS = [1, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 3_600_000];
const WINDOWS = 20;
const WHOLE_IN_MS = 60_000;

/** The choices of speed: recorded time per real time; null plays everything in a minute. */
export const SPEEDS = [["0.1", 0.1, "0.1×"], ["1", 1, "1×"], ["10", 10, "10×"], ["100", 100, "100×"], ["minute", null, "all in 1 min"]];

export const lengthOf = ([from, to]) => to - from;

/** The speed at first: that of life, unless this would take more than a minute. */
export const firstSpeed = (whole) => lengthOf(whole) > WHOLE_IN_MS ? "minute" : "1";

export const factorOf = (key, whole) => SPEEDS.find(([each]) => each === key)[1] ?? lengthOf(whole) / WHOLE_IN_MS;

/** The window that is played if no range is selected: of a round length, a small part of the whole. */
export function firstWindow([from, to]) {
  const length = ROUND_MS.findLast((each) => each <= (to - from) / WINDOWS) ?? SHORTEST_MS;
  return [from, Math.min(from + length, to)];
}

/** A range of the same length that is later by some time, and inside of the whole. */
export function shifted([from, to], byMs, whole) {
  const length = Math.min(to - from, lengthOf(whole));
  const begin = Math.round(Math.min(Math.max(from + byMs, whole[0]), whole[1] - length));
  return [begin, begin + Math.round(length)];
}

/** The range between two moments, in order, inside of the whole, and not empty. */
export function between(one, other, whole) {
  const [from, to] = [one, other].map((at) => Math.round(Math.min(Math.max(at, whole[0]), whole[1]))).sort((a, b) => a - b);
  if (to - from >= SHORTEST_MS) return [from, to];
  return from + SHORTEST_MS <= whole[1] ? [from, from + SHORTEST_MS] : [to - SHORTEST_MS, to];
}

/** A range that is longer or shorter by a factor, with the same end if there is room. */
export function resized([from, to], factor, whole) {
  const length = Math.min(Math.max(Math.round((to - from) * factor), SHORTEST_MS), lengthOf(whole));
  return shifted([to - length, to], 0, whole);
}

/** What a place is part of, where `range` is in pixels: an end, the inside, or the outside. */
export function partAt(x, [from, to], reach) {
  const [toFrom, toTo] = [Math.abs(x - from), Math.abs(x - to)];
  if (Math.min(toFrom, toTo) <= reach) return toTo <= toFrom ? "to" : "from";
  return x > from && x < to ? "inside" : "outside";
}

/** The calls and errors of all threads by column of a picture of the timeline, which has at most so many. */
export function activityOf({ Bins, Slices, From, To }, most) {
  const step = Bins?.Step ?? (To - From) / most;
  const columns = Math.max(Math.ceil((To - From) / step), 1);
  const sums = Array.from({ length: columns }, () => ({ calls: 0, errors: 0 }));
  const { Start, Calls, Errors } = Bins ?? { Start: Slices.Start, Errors: Slices.Failed };
  Start.forEach((start, index) => {
    const at = Math.min(Math.max(Math.floor((start - From) / step), 0), columns - 1);
    sums[at].calls += Calls?.[index] ?? 1;
    sums[at].errors += Errors[index];
  });
  return sums;
}
