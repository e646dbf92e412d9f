// What the catalog says of a system call.

import { el } from "./dom.js";

export function reference({ Description, Signature, Arguments, Returns, Errnos, Advice }) {
  if (!Description) {
    return [el("p", { class: "dim" }, "Nobody has described this call yet; its manual page may say more.")];
  }
  return [
    el("p", {}, `${Description}.`),
    el("pre", { class: "code" }, Signature),
    ...terms("Arguments", Arguments.map(({ Name, Kind }) => [Name, spoken(Kind)])),
    el("div", {}, el("h3", {}, "Returns"), el("p", {}, Returns)),
    ...terms("Common errors", Errnos.map(({ Name, Meaning }) => [Name, Meaning])),
    el("div", {}, el("h3", {}, "When it is slow or fails"), el("p", { class: "advice" }, Advice)),
  ];
}

const KINDS = {
  fd: "descriptor", dirfd: "descriptor of a directory", hex: "number or flags", int: "number", uint: "number", long: "number",
  size: "how many, or how much", mode: "permissions", pointer: "address", uid: "user or group",
};

/** A kind as words; who writes what it points to is told where that is the kernel. */
function spoken(kind) {
  const [, plain, way] = /^(.*?)(?:_(in|out|inout))?$/.exec(kind.toLowerCase());
  const words = KINDS[plain] ?? plain.replaceAll("_", " ");
  return way === "out" ? `${words}, which the kernel fills` : words;
}

function terms(title, pairs) {
  if (!pairs.length) return [];
  return [el("div", {}, el("h3", {}, title), el("dl", { class: "terms" },
    ...pairs.flatMap(([term, words]) => [el("dt", {}, el("code", {}, term)), el("dd", {}, words)])))];
}
