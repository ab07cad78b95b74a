import { expect, test } from "vitest";
import { promptTable } from "../../src/cli/prompt-table.ts";

const size = (chars: number) => ({ chars, bytes: chars, tokens: chars / 10 });

test("a prompt is a table in reading order, with the boundary where it is", () => {
  const table = promptTable({
    agentId: "main",
    sessionKey: "agent:main:main",
    mode: "full",
    model: "offline/rules",
    hash: "abc",
    stableHash: "ab",
    text: "",
    sections: [
      { name: "safety", layer: "above", source: { kind: "section", name: "safety.ts" }, text: "", ...size(1200) },
      { name: "weather/now", layer: "below", source: { kind: "plugin", name: "weather" }, text: "", ...size(30) },
    ],
    files: [{ path: "SOUL.md", rawChars: 900, injectedChars: 400, tokens: 100, truncated: true, missing: false }],
    tools: [{ name: "read", schemaBytes: 250, tokens: 90, description: "", parameters: {} }],
    totals: {
      prompt: size(1230),
      above: size(1200),
      below: size(30),
      tools: { count: 1, schemaBytes: 250, tokens: 90 },
    },
  });
  expect(table).toBe(`agent:main:main · full · offline/rules

sha256 abc

section         tokens  chars  bytes  words from
safety             120   1200   1200  safety.ts
cache boundary     120   1200   1200  above it
weather/now          3     30     30  plugin: weather
together           123   1230   1230

file     in the prompt  in the workspace
SOUL.md            400               900  cut

tool      tokens  schema bytes
read          90           250
together      90           250`);
});
