// The tab of files: the most frequently opened paths.

import { el, quantity, write } from "./dom.js";
import { Listing, amount, bar } from "./listing.js";
import { exact, share } from "./numbers.js";

export class FilesTab {

  constructor(page) {
    this.order = page.view.table("files", {});
    this.filter = el("input", { type: "search", id: "files-filter", placeholder: "/ filter", "aria-label": "Filter paths", autocomplete: "off", spellcheck: "false", oninput: () => {
      this.order.filter = this.filter.value.trim();
      page.view.keep();
      this.#render();
    } });
    this.tools = [this.filter];
    this.note = el("p", { class: "empty dim" });
    this.listing = new Listing("Opened paths", [
      { title: "Path", wide: true, className: "code long path-cell", cell: (file) => file.path },
      { title: "Opens", cell: (file) => amount(file.count) },
      { title: "Failed", cell: (file) => amount(file.failed) },
      { title: "Share", cell: (file) => quantity(share(file.part)) },
      { title: "", wide: true, className: "bar-cell", cell: (file) => bar(file.size) },
    ], "files");
    this.node = el("div", {}, this.listing.node, this.note);
  }

  restore() {
    if (this.filter.value.trim() !== this.order.filter) this.filter.value = this.order.filter;
    this.#render();
  }

  update({ answer }) {
    if (!answer.Files) return;
    this.answer = answer;
    this.#render();
  }

  #render() {
    if (!this.answer) return;
    const { Files: files, Opens: opens, FailedOpens: failed } = this.answer;
    const filter = this.filter.value.trim();
    const most = files[0]?.count ?? 0;
    const found = files.filter((file) => file.path.includes(filter));
    this.listing.update(found
      .map((file) => ({ ...file, part: file.count / opens, size: file.count / most })));
    if (files.length && !found.length) write(this.note, "No matching paths");
    else write(this.note, files.length
      ? `${exact(opens)} calls of open, openat, openat2 and creat, ${exact(failed)} failed; top ${files.length} paths`
      : "No data yet");
  }
}
