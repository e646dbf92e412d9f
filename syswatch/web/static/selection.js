// The table paused at a moment, or computed for a range of time.

import { byId, write } from "./dom.js";
import { clock } from "./numbers.js";

/** The rows as they are now. */
export const pausedNow = (answer, history) => answer && {
  at: answer.Now && Math.floor(answer.Now), rows: answer.Stats, sparks: sparksOf(answer.Stats, history, history.end),
};

/**
 * The rows of a range. Counts, errors and times are known for every second, percentiles and
 * extremes only for the whole trace.
 */
export function selectedRange(history, from, to) {
  const rows = [...history.sums(from, to)].map(([name, [Count, Errors, TotalTime]]) => ({
    Name: name,
    Category: history.categoryOf(name),
    Count, Errors, TotalTime,
    Timed: TotalTime ? Count : 0,
    AvgTime: Math.round(TotalTime / Count),
    Rate: Count / (to - from),
  }));
  return { from, to, rows, sparks: sparksOf(rows, history, to + to % 2) };
}

/** The sparklines of the minute before, because a selection may outlast the history. */
const sparksOf = (rows, history, until) => new Map(rows.map(({ Name }) => [Name, history.rates(Name, until)]));

/** Show what the table is limited to; the button resumes. */
export function showSelection(selection) {
  const button = byId("frozen");
  button.hidden = !selection;
  if (selection) write(button, `❄ ${describe(selection)} · Resume`);
}

export function describe({ from, to, at }) {
  if (from === undefined) return at === null ? "Paused" : `Paused at ${clock(at)}`;
  return to - from === 1 ? `Second ${clock(from)}` : `${clock(from)} – ${clock(to)}`;
}
