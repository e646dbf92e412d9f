// Tests of all modules: each can be loaded, and all but the pages' own are imported by another.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import "./dom-stub.js";

const FOLDER = new URL("../../syswatch/web/static/", import.meta.url);
// These run at once, and need the document of their page.
const PAGES = new Set(["dashboard.js", "syscall.js", "theme.js"]);
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));

test("every module can be loaded without a page", async () => {
  await Promise.all(names.filter((name) => !PAGES.has(name)).map((name) => import(new URL(name, FOLDER))));
});

test("every export is imported somewhere", () => {
  const sources = new Map(names.map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]));
  const tests = readdirSync(import.meta.dirname).map((name) => readFileSync(new URL(name, import.meta.url), "utf8"));
  const imports = [...sources.values(), ...tests].join("\n");
  for (const [name, source] of sources) {
    for (const [, exported] of source.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)) {
      const used = new RegExp(`import \\{[^}]*\\b${exported}\\b[^}]*\\} from "[^"]*/${name}"`);
      const usedLater = new RegExp(`import\\("\\./${name}"\\)(?:\\)\\.${exported}\\b|\\.then\\(\\(\\{ ${exported} \\})`);
      const isTab = imports.includes(`import("./${name}")`) && exported === tabOf(name);
      assert.ok(isTab || used.test(imports) || usedLater.test(imports) || PAGES.has(name), `${name}: ${exported}`);
    }
  }
});

/** The class that is made when the tab of a module is opened. */
const tabOf = (name) => name.replace(/^(.)(.*)-tab\.js$/, (_, first, rest) => `${first.toUpperCase()}${rest}Tab`);
