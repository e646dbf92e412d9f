// Where the server is mounted: one level above the folder of this file, whatever a proxy puts before.

const ROOT = new URL("../", import.meta.url);

export const address = (path) => new URL(path, ROOT).href;

/** Whether this is the page of a call. */
export const isHere = (name) => location.href.split(/[?#]/)[0] === callPage(name);

export const callPage = (name) => address(`syscall/${encodeURIComponent(name)}`);
