// What the catalog says of a system call.

import { el } from "./dom.js";

export function reference({ Description, Signature, Arguments, Returns, Errnos, Advice }) {
  if (!Description) {
    return [el("p", { class: "dim" }, "Nobody has described this call yet; its manual page may say more.")];
  }
  return [
    el("p", {}, `${Description}.`),
    el("pre", { class: "code" }, Signature),
    ...terms("Arguments", Arguments.map(({ Name, Kind }) => [Name, Kind.replaceAll("_", " ")])),
    el("div", {}, el("h3", {}, "Returns"), el("p", {}, Returns)),
    ...terms("Common errors", Errnos.map(({ Name, Meaning }) => [Name, Meaning])),
    el("div", {}, el("h3", {}, "When it is slow or fails"), el("p", { class: "advice" }, Advice)),
  ];
}

function terms(title, pairs) {
  if (!pairs.length) return [];
  return [el("div", {}, el("h3", {}, title), el("dl", { class: "terms" },
    ...pairs.flatMap(([term, words]) => [el("dt", {}, el("code", {}, term)), el("dd", {}, words)])))];
}
