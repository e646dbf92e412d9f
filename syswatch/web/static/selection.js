// The page paused at a moment, or limited to a range of time.

import { byId, setTitle, write } from "./dom.js";
import { clock } from "./numbers.js";

/** The rows as they are now. */
export const pausedNow = (answer, history) => answer && {
  at: answer.Now && Math.floor(answer.Now), rows: answer.Stats, sparks: sparksOf(answer.Stats, history, history.end),
};

/**
 * The rows of a range. Counts, errors and times are known for every second, percentiles and
 * extremes only for the whole trace; of a recording of every call, the answer has exact rows.
 */
export function selectedRange(history, from, to, answer = null) {
  const [first, end] = [Math.floor(from), Math.ceil(to)];
  const rows = answer?.ExactRange ? answer.Stats.map((row) => ({ ...row, Rate: row.Count / (to - from) })) : [...history.sums(first, end)].map(([name, [Count, Errors, TotalTime]]) => ({
    Name: name,
    Category: history.categoryOf(name),
    Count, Errors, TotalTime,
    Timed: TotalTime ? Count : 0,
    AvgTime: Math.round(TotalTime / Count),
    Rate: Count / (end - first),
  }));
  return { from, to, rows, sparks: sparksOf(rows, history, end + end % 2) };
}

/** The same rows as before, until those of a range have been read. */
export const movedTo = (from, to, former, answer, history) => ({
  rows: answer.Stats, sparks: sparksOf(answer.Stats, history, history.end), ...former, from, to,
});

/** The sparklines of the minute before, because a selection may outlast the history. */
const sparksOf = (rows, history, until) => new Map(rows.map(({ Name }) => [Name, history.rates(Name, until)]));

/** Show what the page is limited to; the button resumes, or shows all of a recording. */
export function showSelection(selection, { isReplay }) {
  const button = byId("frozen");
  button.hidden = !selection;
  if (selection) write(button, isReplay ? "Show all" : `❄ ${describe(selection)} · Resume`);
  if (isReplay) setTitle(button, "Back to the whole recording");
}

/** The selected range in milliseconds, as the server takes it. */
export const limitsOf = ({ from, to }) => [from, to].map((seconds) => Math.round(1000 * seconds));

/** Whether an answer is limited to the range that is selected, or to none if none is. */
export function isAnswerFor({ ExactRange, Time: { FromMs, ToMs, History: { BinMs } } }, view) {
  if (view.from === null) return FromMs === undefined;
  const [from, to] = limitsOf(view);
  if (ExactRange) return FromMs === from && ToMs === to;
  return FromMs === Math.floor(from / BinMs) * BinMs && ToMs === Math.ceil(to / BinMs) * BinMs;
}

export function describe({ from, to, at }) {
  if (from === undefined) return at === null ? "Paused" : `Paused at ${clock(at)}`;
  if (to - from === 1) return `Second ${clock(from)}`;
  return to - from < 1 ? `${clock(from)}: ${Math.round(1000 * (to - from))} ms` : `${clock(from)} – ${clock(to)}`;
}
