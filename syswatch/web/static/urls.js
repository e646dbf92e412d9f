// URLs of the server, which a proxy may mount below a prefix: one level above this file.

const ROOT = new URL("../", import.meta.url);

export const address = (path) => new URL(path, ROOT).href;

/** Whether this is the page of the given call. */
export const isHere = (name) => location.href.split(/[?#]/)[0] === callPage(name);

export const callPage = (name) => address(`syscall/${encodeURIComponent(name)}`);
