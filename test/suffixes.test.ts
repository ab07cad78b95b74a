import { posix } from "node:path";
import { expect, test } from "vitest";

const sources = import.meta.glob<string>("./**/*.ts", { query: "?raw", import: "default", eager: true });

/** Where a test file runs, by its suffix; see test/vitest.config.ts. */
const SUFFIX = /^\.\/[\w/-]+(?<suffix>\.workers|\.long)?\.test\.ts$/;

/** Modules that exist in workerd alone. */
const OF_WORKERD = /from "cloudflare:|import\("cloudflare:/;

const testFiles = Object.keys(sources).filter((path) => path.endsWith(".test.ts"));

/** A file and every file of test/ that it imports, types apart. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  const text = sources[path];
  if (text === undefined || found.has(path)) return found;
  found.add(path);
  for (const [, specifier] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm)) {
    withImports(`./${posix.join(posix.dirname(path), specifier!)}`, found);
  }
  return found;
}

test("every test file has a suffix that names its project", () => {
  expect(testFiles.length).toBeGreaterThan(200);
  expect(testFiles.filter((path) => !SUFFIX.test(path))).toEqual([]);
});

test("a test file without the suffix .workers or .long imports nothing that exists in workerd alone", () => {
  const plain = testFiles.filter((path) => SUFFIX.exec(path)?.groups?.suffix === undefined);
  const offends = (path: string) => [...withImports(path)].filter((file) => OF_WORKERD.test(sources[file]!));
  expect(plain.map((path) => [path, ...offends(path)]).filter((line) => line.length > 1)).toEqual([]);
});
