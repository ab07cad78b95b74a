import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { hasFixtures } from "../fakes/fixtures.ts";
import { evaluate, FILES } from "./schedule-cases.ts";

const FOLDER = resolve(process.env.ISOPOD_FIXTURES ?? "../shared/fixtures", "schedule");

test("an answer that is not the expected one is named with both", () => {
  const input = { everyMs: 60_000, anchor: "2026-03-01T00:00:00Z", from: "2026-03-01T00:00:30Z" };
  const next = ["01", "02", "03", "04", "06"].map((minute) => `2026-03-01T00:${minute}:00Z`);
  const { passed, failed } = evaluate({
    "every-at.jsonl": [{ group: "every", name: "wrong", input, expect: { next } }],
  });
  expect(passed).toBe(0);
  expect(failed).toMatchObject([{ file: "every-at.jsonl", name: "wrong", got: { next: { length: 5 } } }]);
});

test.skipIf(!(await hasFixtures()))("heartbeats, jobs and hooks do what OpenClaw's own code does", async () => {
  const files = await Promise.all(
    FILES.map(async (file) => {
      const lines = (await readFile(resolve(FOLDER, file), "utf8")).split("\n").filter((line) => line !== "");
      return [file, lines.map((line) => JSON.parse(line))] as const;
    }),
  );
  const { cases, failed } = evaluate(Object.fromEntries(files));
  expect(failed).toEqual([]);
  expect(cases).toBeGreaterThan(700);
});
