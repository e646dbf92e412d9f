// The reference of a system call.

import { el } from "./dom.js";

export function reference({ Description, Signature, Arguments, Returns, Errnos, Advice }) {
  if (!Description) {
    return [el("p", { class: "dim" }, "No description available; see the manual page.")];
  }
  return [
    el("p", {}, `${Description}.`),
    el("pre", { class: "code" }, Signature),
    ...terms("Arguments", Arguments.map(({ Name, Kind }) => [Name, kindText(Kind)])),
    el("div", {}, el("h3", {}, "Returns"), el("p", {}, Returns)),
    ...terms("Common errors", Errnos.map(({ Name, Meaning }) => [Name, Meaning])),
    el("div", {}, el("h3", {}, "When it is slow or fails"), el("p", { class: "advice" }, Advice)),
  ];
}

const KINDS = {
  fd: "descriptor", dirfd: "directory descriptor", hex: "number or flags", int: "number", uint: "number", long: "number",
  size: "size or count", mode: "permissions", pointer: "address", uid: "user or group",
};

/** The type of an argument as text. */
function kindText(kind) {
  const [, plain, way] = /^(.*?)(?:_(in|out|inout))?$/.exec(kind.toLowerCase());
  const text = KINDS[plain] ?? plain.replaceAll("_", " ");
  return way === "out" ? `${text}, filled by the kernel` : text;
}

function terms(title, pairs) {
  if (!pairs.length) return [];
  return [el("div", {}, el("h3", {}, title), el("dl", { class: "terms" },
    ...pairs.flatMap(([term, text]) => [el("dt", {}, el("code", {}, term)), el("dd", {}, text)])))];
}
