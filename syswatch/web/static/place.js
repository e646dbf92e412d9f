// Where the server is mounted: one level above the folder of this file, whatever a proxy puts before.

const ROOT = new URL("../", import.meta.url);

export const address = (path) => new URL(path, ROOT).href;

export const callPage = (name) => address(`syscall/${encodeURIComponent(name)}`);
