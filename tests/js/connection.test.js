// Tests of the state of the connection.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Connection } from "../../syswatch/web/static/connection.js";

function connection(t) {
  mock.timers.enable({ apis: ["setInterval"] });
  let nowMs = 1000;
  const clock = mock.method(performance, "now", () => nowMs);
  t.after(() => { mock.timers.reset(); clock.mock.restore(); });
  const changes = [];
  const subject = new Connection(() => changes.push(subject.lostS));
  return { subject, changes, advance: (ms) => { nowMs += ms; mock.timers.tick(ms); } };
}

test("responses in a row change nothing", (t) => {
  const { subject, changes, advance } = connection(t);
  subject.set(null);
  advance(1000);
  subject.set(null);
  assert.deepEqual([changes, subject.lostS], [[], 0]);
});

test("the age of the data increases while there is no response", (t) => {
  const { subject, changes, advance } = connection(t);
  subject.set(null);
  advance(1000);
  subject.set("no response");
  advance(1000);
  advance(1000);
  assert.deepEqual(changes, [1, 2, 3]);
  subject.set(null);
  advance(5000);
  assert.deepEqual([changes, subject.lostS, subject.trouble], [[1, 2, 3, 0], 0, null]);
});
