import { expect, test } from "vitest";
import { resultOutput } from "../../src/mcp/call-result.ts";

const outside = { onInjection: "log" as const, newFenceId: () => "0123456789abcdef", suspect: () => {} };

/** What a result comes to, and the files that are stored of it. */
async function output(content: object[]) {
  const stored: string[] = [];
  const keep = async () => `file-${stored.push("") - 1}`;
  const place = { server: "pier", host: "pier.example", tool: "count", outside, keepImage: keep, keepFile: keep };
  return { ...(await resultOutput({ content } as never, place)), stored };
}

const file = (n: number) => ({ type: "resource", resource: { uri: `file:///${n}.pdf`, blob: btoa(`${n}`) } });

test("of one result five files are stored, and the others are named as left out", async () => {
  const { stored, text } = await output(Array.from({ length: 8 }, (_, n) => file(n)));
  expect(stored).toHaveLength(5);
  expect(text.match(/stored as file-/g)).toHaveLength(5);
  expect(text).toContain("[resource file:///7.pdf, of no known type, not stored: it is one of more than 5 files]");
});

test("of one result 100 parts are looked at, and the result says of how many", async () => {
  const { text } = await output(Array.from({ length: 130 }, (_, n) => ({ type: "text", text: `part ${n}.` })));
  expect(text).toContain("part 99.");
  expect(text).not.toContain("part 100.");
  expect(text).toContain("[The first 100 of 130 parts.]");
});
