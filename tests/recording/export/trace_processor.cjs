// Runs Perfetto's trace processor, whose engine is made for a worker of a browser: it gets such
// surroundings.  Requests are read from standard input, replies are written to standard output.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = process.argv[2];
const content = (name) => fs.readFileSync(path.join(folder, path.basename(name)));
const log = (...words) => process.stderr.write(`${words.join(" ")}\n`);

class FileRequest {
  open(_method, name) {
    this.name = name;
  }

  send() {
    const bytes = content(this.name);
    this.status = 200;
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }
}

const worker = vm.createContext({
  TextDecoder,
  TextEncoder,
  WorkerGlobalScope: Object,
  XMLHttpRequest: FileRequest,
  clearTimeout,
  console: { error: log, log, warn: log },
  crypto: globalThis.crypto,
  importScripts: () => {},
  location: { href: "" },
  performance,
  setTimeout,
});
worker.self = worker;
vm.runInContext(content("engine_bundle.js").toString(), worker);
const port = { postMessage: (reply) => fs.writeSync(1, reply) };
worker.onmessage({ data: port });
const requests = vm.runInContext("(bytes) => Uint8Array.from(bytes)", worker)(fs.readFileSync(0));
// By then the engine has been started.
setImmediate(() => port.onmessage({ data: requests }));
