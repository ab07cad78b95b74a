import { describe, expect, test } from "vitest";
import { RememberedFiles } from "../../src/services/bootstrap-caches.ts";
import type { CachedText } from "../../src/workspace/read-text.ts";

/** A file that takes a little more than so many thousand bytes. */
function file(etag: string, kilobytes: number): CachedText {
  const content = "x".repeat(kilobytes * 500);
  const excerpt = { head: content, tail: content, rawChars: content.length, exact: true };
  return {
    kind: "text",
    etag,
    maxChars: 20_000,
    excerpt,
    faults: { controls: 0, broken: 0, hidden: 0 },
    keySections: "",
  };
}

describe("what an isolate remembers of workspaces", () => {
  test("is each agent's own", () => {
    const files = new RememberedFiles(100_000);
    files.of("ada").set("SOUL.md", file("1", 1));
    expect(files.of("ada").get("SOUL.md")?.etag).toBe("1");
    expect(files.of("bob").get("SOUL.md")).toBeUndefined();
  });

  test("is bounded in bytes: what nobody asked for longest goes first", () => {
    const files = new RememberedFiles(100_000);
    const ada = files.of("ada");
    for (const name of ["a", "b", "c"]) ada.set(name, file(name, 30));
    ada.get("a");
    files.of("bob").set("d", file("d", 30));
    expect(["a", "b", "c"].map((name) => ada.get(name)?.etag)).toEqual(["a", undefined, "c"]);
    expect(files.of("bob").get("d")?.etag).toBe("d");
  });

  test("counts a file once, however often it changes, and forgets one that is too large", () => {
    const files = new RememberedFiles(100_000);
    const ada = files.of("ada");
    ada.set("a", file("a", 30));
    for (let n = 0; n < 20; n++) ada.set("b", file(`b${n}`, 30));
    expect([ada.get("a")?.etag, ada.get("b")?.etag]).toEqual(["a", "b19"]);
    ada.set("b", file("huge", 101));
    expect([ada.get("a")?.etag, ada.get("b")]).toEqual(["a", undefined]);
    ada.set("c", file("c", 60));
    expect([ada.get("a")?.etag, ada.get("c")?.etag]).toEqual(["a", "c"]);
  });

  test("counts the whole of a text of which a part is shown, because the part keeps it in memory", () => {
    const files = new RememberedFiles(100_000);
    const ada = files.of("ada");
    ada.set("a", file("a", 30));
    const shown = { head: "x", tail: "x", rawChars: 45_000, exact: true };
    ada.set("b", { ...file("b", 1), excerpt: shown } as CachedText);
    expect([ada.get("a"), ada.get("b")?.etag]).toEqual([undefined, "b"]);
  });
});
