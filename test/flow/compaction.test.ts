import { expect, test } from "vitest";
import { finished, historyOf, say, script } from "./client.ts";
import { compactionsIn, pages, requestsOf, summariesOf, talked } from "./context-lab.ts";
import { session } from "./session-lab.ts";

test("a conversation that would not fit any more is summarized before the model is asked, and its history stays", async () => {
  await talked("small-0", pages(8, 1600));
  await script("small-0", [{ text: "The user asked eight questions." }, { text: "Answer." }]);
  const { runId, sessionKey } = await say("And now?", "small-0", session("small-0"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });

  const [summing, asking] = await requestsOf("small-0");
  expect(summing![1]).toContain("Question 0");
  expect(summing![1]).not.toContain("Question 7");
  expect(asking![1]).toContain("<summary>\nThe user asked eight questions.\n</summary>");
  expect(asking!.join()).not.toContain("Question 0");
  expect(asking!.slice(-3)).toEqual(["Question 7", expect.stringContaining("Page 7"), "And now?"]);

  const events = await compactionsIn(runId);
  expect(events.map(({ phase, reason }) => [phase, reason])).toEqual([
    ["start", "threshold"],
    ["end", "threshold"],
  ]);
  const end = events.at(-1)!;
  expect(end.phase === "end" && end.tokensAfter < end.tokensBefore).toBe(true);
  expect(await summariesOf("small-0")).toMatchObject([{ summary: "The user asked eight questions." }]);
  const { messages } = await historyOf(sessionKey);
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(10);
});

test("/compact summarizes when it is asked to, says what came of it, and what matters most is handed on", async () => {
  await talked("on-demand", pages(6, 400));
  await script("on-demand", [{ text: "Six pages about words." }, { text: "Here." }]);
  const more = session("on-demand");
  const { runId } = await say("/compact the colour of the door", "on-demand", more);
  expect((await finished(runId)).reply).toMatch(/^Summarized: about 2,\d{3} tokens before, \d{3,4} tokens now\./);
  expect((await requestsOf("on-demand"))[0]![1]).toContain("above all: the colour of the door");
  expect((await compactionsIn(runId)).map(({ phase, reason }) => [phase, reason])).toEqual([
    ["start", "command"],
    ["end", "command"],
  ]);
  await finished((await say("Where are we?", "on-demand", more)).runId);
  const shown = (await requestsOf("on-demand")).at(-1)!;
  expect(shown[1]).toContain("Six pages about words.");
  expect(shown.slice(1).join()).not.toContain("/compact");
});
