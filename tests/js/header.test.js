// Tests of the state in the header.

import assert from "node:assert/strict";
import { test } from "node:test";

import { stateOf } from "../../syswatch/web/static/header.js";

const CONNECTED = { trouble: null };

test("the state has the colour of its kind", () => {
  for (const [status, kind] of [
    [{ State: "tracing" }, "live"],
    [{ State: "exited", Done: true }, "done"],
    [{ State: "exited with status 3", Done: true, ExitCode: 3 }, "bad"],
    [{ State: "killed by SIGSEGV", Done: true, ExitSignal: 11 }, "bad"],
    [{ State: "cut short", Done: true, Trouble: "the tracer was killed" }, "bad"],
  ]) assert.deepEqual(stateOf(status, CONNECTED), { label: status.State, kind });
});

test("a lost connection takes precedence", () => {
  assert.deepEqual(stateOf({ State: "tracing" }, { trouble: "no response" }), { label: "disconnected", kind: "lost" });
});
