// The table held at a moment, or computed for a range of time.

import { byId, write } from "./dom.js";
import { clock } from "./numbers.js";

/** The rows as they are now. */
export const freezeMoment = (answer, history) => answer && {
  at: answer.Now && Math.floor(answer.Now), rows: answer.Stats, sparks: sparksOf(answer.Stats, history, history.end),
};

/**
 * What happened in a range. Counts, errors and times are kept for every second; percentiles
 * and extremes only for the whole trace, so a row of a range has none.
 */
export function freezeRange(history, from, to) {
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

/** The lines of the minute before, kept: what is frozen may stay longer than the history. */
const sparksOf = (rows, history, until) => new Map(rows.map(({ Name }) => [Name, history.rates(Name, until)]));

/** Say what the table shows while it is not live; the button leads back. */
export function showFrozen(frozen) {
  const button = byId("frozen");
  button.hidden = !frozen;
  if (frozen) write(button, `❄ ${when(frozen)} · back to live`);
}

function when({ from, to, at }) {
  if (from === undefined) return at === null ? "frozen" : `frozen at ${clock(at)}`;
  return to - from === 1 ? `the second ${clock(from)}` : `${clock(from)} – ${clock(to)}`;
}
