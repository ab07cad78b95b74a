import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { hasFixtures } from "../fakes/fixtures.ts";
import { judgeFormat } from "./channel-format.ts";
import { evaluateChannels } from "./channel-report.ts";
import { judgeVector, runVectors, type VectorFile } from "./webhook-vectors.ts";

const FIXTURES = resolve(process.env.ISOPOD_FIXTURES ?? "../shared/fixtures");

test("a text that lost words, is too long or shows markup is told", () => {
  const text = { name: "table", markdown: "| a |", keeps: ["one", "two"], once: ["one"], hides: { sms: ["|--"] } };
  const dump = (...parts: string[]) => ({
    ...{ type: "format" as const, platform: "sms", case: "table", file: null },
    parts: parts.map((part) => ({ text: part, body: part })),
  });
  const limit = { limit: 10, unit: "UTF-16" };
  expect(judgeFormat(text, dump("one", "two"), limit)).toBe("");
  expect(judgeFormat(text, dump("two", "one"), limit)).toBe("two is lost or out of order");
  expect(judgeFormat(text, dump("one one", "two"), limit)).toBe("one is there 2 times");
  expect(judgeFormat(text, dump("one |--", "two"), limit)).toBe("message 1 shows |--");
  expect(judgeFormat(text, dump("one", "two two two"), limit)).toBe("message 2: 11 of 10 UTF-16");
});

test.skipIf(!(await hasFixtures()))(
  "payloads of platforms are read, and texts are written, as they have to be",
  async () => {
    const { report } = await evaluateChannels(resolve(FIXTURES, "channels"));
    for (const { failed } of [report.payloads, report.format]) {
      expect(failed).toEqual([]);
    }
  },
);

test.skipIf(!(await hasFixtures()))("signatures are told apart as the platforms do", async () => {
  const paths = ["webhooks/vectors.json", "channels/webhooks/vectors-more.json"];
  const files = paths.map(
    async (path): Promise<VectorFile> => JSON.parse(await readFile(resolve(FIXTURES, path), "utf8")),
  );
  for (const file of await Promise.all(files)) {
    const results = (await runVectors(file)).filter(({ vector }) => !vector.unsure);
    const failed = results.map(
      ({ vector, dumped }) => `${vector.scheme}: ${vector.name}: ${judgeVector(vector, dumped)}`,
    );
    expect(failed.filter((line) => !line.endsWith(": "))).toEqual([]);
  }
});
