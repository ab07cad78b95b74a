import { expect, test } from "vitest";
import { changedPaths, mergePatch, replacedPaths, valueAt } from "../../src/config/document.ts";
import type { Json } from "../../src/lib/json.ts";

test.each<[string, string, string]>([
  // The examples of RFC 7396, appendix A.
  [`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`],
  [`{"a":"b"}`, `{"a":null}`, `{}`],
  [`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`],
  [`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`],
  [`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`],
  [`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`],
  [`["a","b"]`, `["c","d"]`, `["c","d"]`],
  [`{"a":"b"}`, `["c"]`, `["c"]`],
  [`{"a":"foo"}`, `null`, `null`],
  [`{"a":"foo"}`, `"bar"`, `"bar"`],
  [`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`],
  [`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`],
  [`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`],
])("%s patched with %s is %s", (target, patch, result) => {
  const before: Json = JSON.parse(target);
  expect(JSON.stringify(mergePatch(before, JSON.parse(patch)))).toBe(result);
  expect(JSON.stringify(before)).toBe(target);
});

test("a field `__proto__` is a field, and reaches nobody's prototype", () => {
  const merged = mergePatch({}, JSON.parse(`{"__proto__":{"admin":true}}`));
  expect(JSON.stringify(merged)).toBe(`{"__proto__":{"admin":true}}`);
  expect(Reflect.get({}, "admin")).toBeUndefined();
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});

test("changed paths are the deepest that differ, and contain no values", () => {
  const before = { a: 1, list: [{ id: "x", model: "m" }], gone: { deep: true }, "with space": 1 };
  const after = { a: 1, list: [{ id: "x", model: "n" }, { id: "y" }], "with space": 2 };
  expect(changedPaths(before, after)).toEqual(["list[0].model", "list[1].id", "gone.deep", '["with space"]']);
  expect(changedPaths(before, structuredClone(before))).toEqual([]);
  expect(changedPaths({ a: {} }, { a: [] })).toEqual(["a"]);
  expect(changedPaths({}, { a: {}, b: { c: { d: [1] } } })).toEqual(["a", "b.c.d"]);
  expect(changedPaths({ a: {} }, { a: {} })).toEqual([]);
  expect(changedPaths({}, [])).toEqual(["(document)"]);
});

test("replaced paths are those of changed and removed values, not of new ones", () => {
  const before = { a: 1, list: [{ id: "x", model: "m" }, { id: "z" }], gone: { deep: true } };
  const after = { a: 2, b: 3, list: [{ id: "x" }] };
  expect(replacedPaths(before, after)).toEqual(["a", "list[0].model", "list[1].id", "gone.deep"]);
});

test("a value is found by its path, and nothing of a prototype", () => {
  const document: Json = { agents: { list: [{ id: "main", name: "Pill" }] } };
  expect(valueAt(document, ["agents", "list", "0", "name"])).toBe("Pill");
  expect(valueAt(document, ["agents", "list", "7", "name"])).toBeUndefined();
  expect(valueAt(document, ["constructor"])).toBeUndefined();
  expect(valueAt(document, [])).toBe(document);
});
