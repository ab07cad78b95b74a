import { expect, test } from "vitest";
import { atMost } from "../../src/lib/at-most.ts";

const rest = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test("at most so many calls run at once, and results keep the order of items", async () => {
  let [now, most] = [0, 0];
  const results = await atMost(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    most = Math.max(most, ++now);
    for (let times = 7 - item; times >= 0; times--) await rest();
    now--;
    return item * 10;
  });
  expect(results).toEqual([10, 20, 30, 40, 50, 60, 70]);
  expect(most).toBe(3);
});

test("no items give no results, and the first failure rejects", async () => {
  expect(await atMost(3, [], async () => 1)).toEqual([]);
  const failing = atMost(2, [1, 2, 3], (item) =>
    item === 2 ? Promise.reject(new Error("two")) : Promise.resolve(item),
  );
  await expect(failing).rejects.toThrow("two");
});
