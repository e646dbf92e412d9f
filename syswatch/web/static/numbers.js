// Numbers with three digits and a unit, as in every view.

const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const COUNTS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k", 1e3]];

export function threeDigits(value) {
  if (value < 9.995) return trimmed(value.toFixed(2));
  if (value < 99.95) return trimmed(value.toFixed(1));
  return value.toFixed(0);
}

const trimmed = (text) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;

function scaled(value, units) {
  for (const [from, unit, factor = from] of units) {
    if (value >= from) return { value: threeDigits(value / factor), unit };
  }
  return null;
}

export const count = (number) =>
  scaled(number, COUNTS) ?? { value: Number.isInteger(number) ? String(number) : threeDigits(number), unit: "" };

export const duration = (ns) => scaled(ns, TIMES) ?? { value: "0", unit: "ns" };

/** Calls per second. */
export function rate(number) {
  const { value, unit } = count(number < 10 ? number : Math.round(number));
  return { value, unit: `${unit}/s` };
}

/** Nanoseconds in calls per second. */
export function load(ns) {
  const { value, unit } = duration(ns);
  return { value, unit: `${unit}/s` };
}

export function share(part) {
  const percent = 100 * part;
  if (percent > 0 && percent < 0.1) return { value: "<0.1", unit: "%" };
  if (percent >= 99.95 && percent < 100) return { value: ">99.9", unit: "%" };
  return { value: threeDigits(percent), unit: "%" };
}

export const text = ({ value, unit }) => unit ? `${value} ${unit}` : value;

/** A number with all digits, for titles. */
export const exact = (number) => EXACT.format(number);

const EXACT = new Intl.NumberFormat("en");
const TWO = new Intl.NumberFormat("en", { minimumIntegerDigits: 2 });

/** A second of trace time as local time of day. */
export function clock(second, withSeconds = true) {
  const date = new Date(second * 1000);
  const parts = [date.getHours(), date.getMinutes()];
  if (withSeconds) parts.push(date.getSeconds());
  return parts.map((part) => TWO.format(part)).join(":");
}

/** The time of a call as local time of day, with a fraction of some digits. */
export function moment(time, digits) {
  const fraction = time.slice(19, 20 + digits);
  return time ? `${clock(Math.floor(Date.parse(time) / 1000))}${fraction}` : "–";
}

export function age(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${threeDigits(seconds / 3600)} h`;
}

const BYTES = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];

export const bytes = (number) => scaled(number, BYTES) ?? { value: "0", unit: "B" };
