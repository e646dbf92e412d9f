// The columns of lists of slow calls.

import { callLink, objectLink, stateChip, thread, time } from "./cells.js";
import { el } from "./dom.js";
import { dash } from "./listing.js";
import { moment } from "./numbers.js";

/** The columns; `page` opens an object without loading another page. */
export function slowColumns(page = null) {
  return [
    { key: "Duration", title: "Duration", className: "number-cell", value: (each) => each.Duration, cell: (each) => time(each.Duration) },
    { key: "Waiting", title: "Waiting", about: "The part of the duration in which it waited", value: (each) => each.Waiting ?? -1, cell: (each) => time(each.Waiting) },
    { key: "Call", title: "Call", wide: true, value: (each) => each.Name, cell: (each) => callLink(each.Name) },
    { key: "Object", title: "Object", wide: true, className: "name-cell", value: (each) => each.Object.Name, cell: (each) => objectLink(each.Object, page) },
    { key: "State", title: "Wait", wide: true, minor: true, value: (each) => each.State, cell: (each) => each.State ? el("span", { title: each.Reason }, stateChip(each.State)) : dash() },
    { key: "Thread", title: "Thread", wide: true, minor: true, value: (each) => each.TID, cell: (each) => thread(each) },
    { key: "Time", title: "Time", wide: true, minor: true, className: "code", value: (each) => each.Time, cell: (each) => moment(each.Time, 3) },
    { key: "Args", title: "Arguments and result", wide: true, minor: true, className: "code args-cell", value: (each) => each.Args, cell: argsOf },
  ];
}

function argsOf({ Args, RetVal, Error }) {
  return el("span", {}, `(${Args}) = ${RetVal}`, Error ? el("span", { class: "failing" }, ` ${Error}`) : null);
}
