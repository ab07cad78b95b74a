import { expect, test } from "vitest";
import { atMost } from "../../src/lib/at-most.ts";

const rest = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test("so many are under way at once, and the results are in the order of the items", async () => {
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

test("there may be none, and the first failure is everybody's", async () => {
  expect(await atMost(3, [], async () => 1)).toEqual([]);
  const failing = atMost(2, [1, 2, 3], (item) =>
    item === 2 ? Promise.reject(new Error("two")) : Promise.resolve(item),
  );
  await expect(failing).rejects.toThrow("two");
});
