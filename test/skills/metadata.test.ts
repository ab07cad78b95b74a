import { describe, expect, test } from "vitest";
import { parseMetadata } from "../../src/skills/metadata.ts";

const metadata = (text: string) => parseMetadata(text).metadata;

describe("metadata of skills", () => {
  test("metadata may be JSON or JSON5", () => {
    expect(metadata('{"openclaw":{"emoji":"☔"}}')).toEqual({ emoji: "☔" });
    expect(metadata("{openclaw: {emoji: '☔', /* why */ always: true,},} // end")).toEqual({
      emoji: "☔",
      always: true,
    });
  });

  test("metadata is read from openclaw, then from clawdbot", () => {
    expect(metadata('{"clawdbot":{"emoji":"c"}}')).toEqual({ emoji: "c" });
    expect(metadata('{"clawdbot":{"emoji":"c"},"openclaw":{"emoji":"o"}}')).toEqual({ emoji: "o" });
    expect(metadata('{"openclaw":"x","clawdbot":{"emoji":"c"}}')).toEqual({ emoji: "c" });
    expect(metadata('{"openclaw":null,"clawdbot":{"emoji":"c"}}')).toEqual({ emoji: "c" });
    expect(metadata('{"openclaw":{},"clawdbot":{"emoji":"c"}}')).toEqual({});
    expect(metadata('{"moltbot":{"emoji":"m"}}')).toBeUndefined();
  });

  test("metadata that is not an object is ignored without an issue", () => {
    for (const text of ['"a"', "[1]", "7", "null", "{}"]) {
      expect(parseMetadata(text)).toEqual({ metadata: undefined, issues: [] });
    }
  });

  test("unreadable metadata is reported", () => {
    for (const text of ["{", "author: me\n  version: 2", "{openclaw: {emoji: 🚀}}", "[".repeat(40_000)]) {
      expect(parseMetadata(text).metadata).toBeUndefined();
      expect(parseMetadata(text).issues).toHaveLength(1);
    }
  });

  test("metadata fields of a wrong type are ignored", () => {
    expect(
      metadata(
        '{"openclaw":{"always":"true","emoji":1,"homepage":2,"skillKey":"","primaryEnv":[],"os":{},"requires":"a"}}',
      ),
    ).toEqual({});
    expect(metadata('{"openclaw":{"always":false,"homepage":"","skillKey":" k ","primaryEnv":"K"}}')).toEqual({
      always: false,
      homepage: "",
      skillKey: " k ",
      primaryEnv: "K",
    });
  });

  test("metadata lists may be arrays or comma-separated, and requires has all four fields", () => {
    expect(metadata('{"openclaw":{"os":"darwin, linux ,","requires":{"bins":["git"," ",1],"env":"A,B"}}}')).toEqual({
      os: ["darwin", "linux"],
      requires: { bins: ["git", "1"], anyBins: [], env: ["A", "B"], config: [] },
    });
    expect(metadata('{"openclaw":{"requires":["a"]}}')).toEqual({
      requires: { bins: [], anyBins: [], env: [], config: [] },
    });
  });

  test("non-string list items become strings, as in OpenClaw", () => {
    expect(metadata('{"openclaw":{"requires":{"config":[{"path":"a"},null,["x","y"],{"toString":1}]}}}')).toMatchObject(
      {
        requires: { config: ["[object Object]", "null", "x,y", "[object Object]"] },
      },
    );
  });
});

describe("installers of skills", () => {
  const install = (...entries: unknown[]) => parseMetadata(JSON.stringify({ openclaw: { install: entries } }));

  test.each([
    [
      { kind: "brew", formula: "steipete/tap/x@1" },
      { kind: "brew", formula: "steipete/tap/x@1" },
    ],
    [
      { kind: "brew", cask: "app" },
      { kind: "brew", formula: "app" },
    ],
    [
      { kind: " BREW ", formula: " jq " },
      { kind: "brew", formula: "jq" },
    ],
    [
      { type: "node", package: "@a/b@1.0.0" },
      { kind: "node", package: "@a/b@1.0.0" },
    ],
    [
      { kind: "node", package: "b@1.0.0+x.1" },
      { kind: "node", package: "b@1.0.0+x.1" },
    ],
    [
      { kind: "go", module: "github.com/a/b@latest" },
      { kind: "go", module: "github.com/a/b@latest" },
    ],
    [
      { kind: "uv", package: "a[b]>=1,<2" },
      { kind: "uv", package: "a[b]>=1,<2" },
    ],
    [
      { kind: "download", url: "https://a.b/c d".replace(" ", "%20") },
      { kind: "download", url: "https://a.b/c%20d" },
    ],
  ])("the installer %j is kept", (entry, kept) => {
    expect(install(entry)).toEqual({ metadata: { install: [kept] }, issues: [] });
  });

  test("installers keep their common fields and those of downloads", () => {
    const digest = "AB".repeat(32);
    const entry = {
      kind: "download",
      id: "x",
      label: "X",
      bins: "a,b",
      os: ["linux"],
      url: "https://a.b/c",
      sha256: digest,
      archive: "zip",
      extract: true,
      stripComponents: 1,
      targetDir: "t",
    };
    expect(install({ ...entry, other: 1 }).metadata?.install).toEqual([
      { ...entry, bins: ["a", "b"], sha256: digest.toLowerCase() },
    ]);
    expect(install({ kind: "brew", formula: "x", id: "", label: "", bins: [], sha256: 1 }).metadata?.install).toEqual([
      { kind: "brew", formula: "x" },
    ]);
  });

  test.each([
    [null, "no mapping"],
    ["brew", "no mapping"],
    [{ kind: "apt", package: "x" }, "`kind`"],
    [{ kind: "", type: "brew", formula: "x" }, "`kind`"],
    [{ kind: "brew" }, "`formula`"],
    [{ kind: "brew", formula: "--force" }, "`formula`"],
    [{ kind: "brew", formula: "../x" }, "`formula`"],
    [{ kind: "brew", package: "x" }, "`formula`"],
    [{ kind: "node", package: "git+https://a.b/c" }, "`package`"],
    [{ kind: "node", package: "./x" }, "`package`"],
    [{ kind: "node", package: "x@^1.0.0" }, "`package`"],
    [{ kind: "node", package: "x@" }, "`package`"],
    [{ kind: "node", package: "X" }, "`package`"],
    [{ kind: "go", module: "https://a.b" }, "`module`"],
    [{ kind: "uv", package: "a; rm" }, "`package`"],
    [{ kind: "download", url: "file:///etc/passwd" }, "`url`"],
    [{ kind: "download", url: "https://a.b/c d" }, "`url`"],
    [{ kind: "download", url: "https://a.b", sha256: "no" }, "`sha256`"],
    [{ kind: "download", url: "https://a.b", sha256: null }, "`sha256`"],
  ])("the installer %j is left out with the reason", (entry, reason) => {
    const { metadata: rest, issues } = install({ kind: "brew", formula: "jq" }, entry);
    expect(rest?.install).toEqual([{ kind: "brew", formula: "jq" }]);
    expect(issues).toEqual([expect.stringContaining(reason)]);
    expect(issues[0]).toMatch(/^Entry 2 /);
  });

  test("an install field that is not a list yields no installers", () => {
    expect(parseMetadata('{"openclaw":{"install":{"kind":"brew"}}}')).toEqual({ metadata: {}, issues: [] });
  });
});
