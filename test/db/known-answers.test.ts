import { expect, test } from "vitest";
import { KnownAnswers } from "../../src/db/known-answers.ts";

const NOW = 1_800_000_000_000;
const DATABASE = {} as D1Database;

/** A cache over answers that a test changes, and how often they were asked for. */
function opened(answers: Map<string, string>) {
  const seen = { asked: 0, background: [] as Promise<unknown>[], fails: false };
  const known = new KnownAnswers<string>(async (_, key) => {
    seen.asked++;
    if (seen.fails) throw new Error("D1 is away.");
    return answers.get(key);
  });
  const get = (key: string, atMs: number) =>
    known.get(DATABASE, key, NOW + atMs, (promise) => void seen.background.push(promise));
  return { known, seen, get };
}

test("an answer serves for a minute, and is asked for again beside the call", async () => {
  const answers = new Map([["a", "yes"]]);
  const { get, seen } = opened(answers);
  expect(await get("a", 0)).toBe("yes");
  expect(await get("a", 9_999)).toBe("yes");
  expect(seen.asked).toBe(1);
  answers.set("a", "changed");
  expect(await get("a", 30_000)).toBe("yes");
  await Promise.all(seen.background);
  expect(await get("a", 30_001)).toBe("changed");
  expect(seen.asked).toBe(2);
});

test("what was revoked holds within a minute, also where nobody asked in between", async () => {
  const answers = new Map([["a", "yes"]]);
  const { get } = opened(answers);
  expect(await get("a", 0)).toBe("yes");
  answers.delete("a");
  expect(await get("a", 59_999)).toBe("yes");
  expect(await get("a", 60_000)).toBeUndefined();
});

test("that there is no answer is not kept", async () => {
  const answers = new Map<string, string>();
  const { get } = opened(answers);
  expect(await get("a", 0)).toBeUndefined();
  answers.set("a", "yes");
  expect(await get("a", 1)).toBe("yes");
});

test("a change of this isolate holds at once, also during a question", async () => {
  const answers = new Map([["a", "yes"]]);
  const { get, known, seen } = opened(answers);
  const asking = get("a", 0);
  answers.delete("a");
  known.drop(DATABASE, "a");
  expect(await asking).toBe("yes");
  expect(await get("a", 1)).toBeUndefined();
  expect(seen.asked).toBe(2);
});

test("a database that is away is told to who waits for it, and to nobody else", async () => {
  const { get, seen } = opened(new Map([["a", "yes"]]));
  expect(await get("a", 0)).toBe("yes");
  seen.fails = true;
  expect(await get("a", 20_000)).toBe("yes");
  await Promise.all(seen.background);
  await expect(get("a", 70_000)).rejects.toThrow("D1 is away.");
});

test("at most 1,000 answers are kept, the newest", async () => {
  const { get, seen } = opened(new Map(Array.from({ length: 1001 }, (_, n) => [`${n}`, "yes"])));
  for (let n = 0; n <= 1000; n++) await get(`${n}`, 0);
  await get("1000", 1);
  expect(seen.asked).toBe(1001);
  await get("0", 1);
  expect(seen.asked).toBe(1002);
});
