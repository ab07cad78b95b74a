import { expect, test } from "vitest";
import { asked, finished, historyOf, say, script, waitFor } from "./client.ts";
import { session } from "./session-lab.ts";

test("a sub-agent does its task in a session of its own, and what it found reaches who asked", async () => {
  await script("spawn", [
    {
      calls: [
        { name: "sessions_spawn", args: { task: "Count the barrels.", label: "barrels", model: "fake/spawn-child" } },
      ],
    },
    { text: "Under way." },
    { text: "There are three barrels." },
  ]);
  await script("spawn-child", [{ text: "3 barrels", delayMs: 200 }]);
  const { runId } = await say("How many barrels?", "spawn", session("spawn"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Under way." });
  await waitFor(async () => (await asked("spawn")).length === 3);
  await waitFor(async () => JSON.stringify(await historyOf(session("spawn").sessionKey)).includes("There are three"));
});
