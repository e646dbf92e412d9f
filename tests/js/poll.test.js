// Tests of the polling: what is requested when, and what is reported of failures.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import "./dom-stub.js";

import { Poller } from "../../syswatch/web/static/poll.js";

let requests = [];
let respond = () => new Response("{}");

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  requests = [];
  mock.method(globalThis, "fetch", (url, options) => {
    requests.push({ url, headers: options.headers });
    return Promise.resolve(requests.length).then(respond);
  });
  document.hidden = false;
  // The pages have one poller, which is never removed.
  document.listeners = {};
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const ROUNDS = 10;

/** Wait until all promises of a request are settled: reading a body takes several rounds of the event loop. */
async function settle() {
  for (let round = 0; round < ROUNDS; round += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

function poller(url = () => "http://x/") {
  const answers = [];
  const troubles = [];
  const codes = [];
  const onConnection = (trouble, code) => { troubles.push(trouble); codes.push(code); };
  return { answers, troubles, codes, subject: new Poller(url, (answer) => answers.push(answer), onConnection) };
}

async function afterMs(ms) {
  mock.timers.tick(ms);
  await settle();
}

test("an answer is passed on, and the next request follows after a second", async () => {
  respond = (turn) => Response.json({ turn });
  const { subject, answers, troubles } = poller();
  subject.now();
  await settle();
  await afterMs(1000);
  assert.deepEqual(answers, [{ turn: 1 }, { turn: 2 }]);
  assert.deepEqual(troubles, [null, null]);
});

test("an unchanged answer is not passed on", async () => {
  respond = (turn) => turn === 1
    ? Response.json({}, { headers: { ETag: '"a"' } })
    : new Response(null, { status: 304 });
  const { subject, answers } = poller();
  subject.now();
  await settle();
  await afterMs(1000);
  assert.equal(answers.length, 1);
  assert.equal(requests[1].headers["If-None-Match"], '"a"');
});

test("another URL has no ETag yet, and neither has a refresh", async () => {
  respond = () => Response.json({}, { headers: { ETag: '"a"' } });
  let url = "http://x/1";
  const { subject } = poller(() => url);
  subject.now();
  await settle();
  url = "http://x/2";
  await afterMs(1000);
  assert.equal(requests[1].headers["If-None-Match"], undefined);
  subject.refresh();
  await settle();
  assert.equal(requests[2].headers["If-None-Match"], undefined);
});

test("a request during another one is sent right after it", async () => {
  respond = () => Response.json({});
  const { subject } = poller();
  subject.now();
  subject.now();
  assert.equal(requests.length, 1);
  await settle();
  await settle();
  assert.equal(requests.length, 2);
});

test("a hidden page sends nothing until it is visible", async () => {
  respond = () => Response.json({});
  const { subject } = poller();
  document.hidden = true;
  subject.now();
  await afterMs(5000);
  assert.equal(requests.length, 0);
  document.hidden = false;
  document.dispatch("visibilitychange");
  await settle();
  assert.equal(requests.length, 1);
});

test("failures are reported in words, and retries slow down to five seconds", async () => {
  const failures = [
    () => { throw new TypeError("Failed to fetch"); },
    () => { throw Object.assign(new Error("x"), { name: "TimeoutError" }); },
    () => new Response("<!doctype html>"),
    () => Response.json({ error: "busy", message: "Try later." }, { status: 503 }),
    () => new Response("", { status: 502 }),
  ];
  respond = (turn) => failures[turn - 1]();
  const { subject, answers, troubles, codes } = poller();
  subject.now();
  await settle();
  for (const ms of [1000, 1000, 2000, 4000]) {
    // oxlint-disable-next-line no-await-in-loop
    await afterMs(ms);
  }
  assert.deepEqual(troubles, ["server unreachable", "no response", "invalid response", "Try later.", "HTTP status 502"]);
  assert.deepEqual(codes.filter(Boolean), ["busy"]);
  assert.deepEqual(answers, []);
  respond = () => Response.json({});
  await afterMs(4999);
  assert.equal(requests.length, 5);
  await afterMs(1);
  assert.deepEqual([requests.length, troubles.at(-1)], [6, null]);
});
