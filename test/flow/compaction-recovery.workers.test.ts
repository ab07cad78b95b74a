import { expect, test } from "vitest";
import { asked, finished, historyOf, say, script, waitFor } from "./client.ts";
import { compactionsIn, keepShort, overflow, pages, requestsOf, summariesOf, talked } from "./context-lab.ts";
import { armWithDump, kill, session, sql } from "./session-lab.ts";

async function untilAsked(scenario: string, times: number): Promise<void> {
  await waitFor(async () => (await asked(scenario)).length >= times);
}

test("a summary whose object dies is begun again, and nothing is lost or there twice", async () => {
  await talked("small-20", pages(8, 1600));
  await script("small-20", [{ hang: true }, { text: "Eight pages." }, { text: "Answer." }]);
  const { runId, sessionKey } = await say("And now?", "small-20", session("small-20"));
  await untilAsked("small-20", 1);
  await kill("small-20");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  const [first, second] = await requestsOf("small-20");
  expect(second).toEqual(first);
  expect(await summariesOf("small-20")).toMatchObject([{ summary: "- Eight pages." }]);
  expect((await compactionsIn(runId)).map(({ phase }) => phase)).toEqual(["start", "start", "end"]);
  const { messages } = await historyOf(sessionKey);
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(10);
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(10);
});

test("a death between the parts of a summary begins with the first part again", async () => {
  await talked("small-21", pages(20, 1600));
  await keepShort("small-21");
  await script("small-21", [
    { text: "Half." },
    { hang: true },
    ...Array.from({ length: 9 }, () => ({ text: "Whole." })),
  ]);
  const { runId } = await say("And now?", "small-21", session("small-21"));
  await untilAsked("small-21", 2);
  await kill("small-21");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Whole." });
  const requests = await requestsOf("small-21");
  expect(requests[2]).toEqual(requests[0]);
  expect(await summariesOf("small-21")).toMatchObject([{ summary: "- Whole." }]);
});

test("when the object dies after a summary, the model is asked with that summary and no other is made", async () => {
  await talked("small-22", pages(8, 1600));
  await script("small-22", [{ text: "Eight pages." }, { hang: true }, { text: "Answer." }]);
  const { runId } = await say("And now?", "small-22", session("small-22"));
  await untilAsked("small-22", 2);
  await kill("small-22");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  const requests = await requestsOf("small-22");
  expect(requests).toHaveLength(3);
  expect(requests[2]).toEqual(requests[1]);
  expect(await summariesOf("small-22")).toHaveLength(1);
});

test("when the object dies while a refused request is shortened, no tool result is lost and no tool runs twice", async () => {
  await talked("dies-refused", pages(4, 300));
  let runs = 0;
  await armWithDump("dies-refused", () => `Run ${++runs}`);
  await script("dies-refused", [
    { calls: [{ name: "dump", args: {} }] },
    overflow(),
    { hang: true },
    overflow(),
    { text: "Four pages." },
    { text: "Dumped." },
  ]);
  const { runId } = await say("Dump", "dies-refused", session("dies-refused"));
  await untilAsked("dies-refused", 3);
  await kill("dies-refused");
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Dumped." });
  expect(runs).toBe(1);
  const shown = (await requestsOf("dies-refused")).at(-1)!;
  expect(shown.filter((text) => text === "Run 1")).toHaveLength(1);
});

test("/compact starts again when its object dies, and makes no second summary when it has one", async () => {
  await talked("compact-dies", pages(6, 400));
  await script("compact-dies", [{ hang: true }, { text: "Six pages." }, { text: "Another." }]);
  const { runId } = await say("/compact", "compact-dies", session("compact-dies"));
  await untilAsked("compact-dies", 1);
  await kill("compact-dies");
  const { reply } = await finished(runId);
  expect(reply).toMatch(/^Summarized/);
  // As if the object had died right after the summary was stored.
  await sql("compact-dies", "delete from messages where seq > (select max(seq) from compactions)");
  await sql(
    "compact-dies",
    `update runs set open = 1, state = json_set(state, '$.status', 'running', '$.launched', json('[]'),
      '$.approvals', json('[]'), '$.crashes', 0, '$.crashSeq', 0, '$.origin', json('{"kind":"command","name":"compact","args":""}'))
      where id = ?`,
    runId,
  );
  await kill("compact-dies");
  await finished((await say("Next?", "compact-dies", session("compact-dies"))).runId);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply });
  const requests = await requestsOf("compact-dies");
  expect(requests.map((request) => request.at(-1))).toEqual([expect.any(String), requests[0]!.at(-1), "Next?"]);
  expect(await summariesOf("compact-dies")).toHaveLength(1);
});

test("/stop ends a summary that is being made, and the conversation stays as it was", async () => {
  await talked("small-23", pages(8, 1600));
  await script("small-23", [{ hang: true }, { text: "Eight pages." }, { text: "Answer." }]);
  const { runId } = await say("And now?", "small-23", session("small-23"));
  await untilAsked("small-23", 1);
  await say("/stop", "small-23", session("small-23"));
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  expect((await compactionsIn(runId)).map(({ phase }) => phase)).toEqual(["start", "error"]);
  expect(await summariesOf("small-23")).toEqual([]);
  const { runId: next } = await say("Again?", "small-23", session("small-23"));
  expect(await finished(next)).toMatchObject({ status: "ok", reply: "Answer." });
});

test("a message that arrives while a summary is made joins the next request", async () => {
  await talked("small-24", pages(8, 1600));
  await script("small-24", [{ text: "Eight pages.", delayMs: 400 }, { text: "Both answered." }]);
  const first = await say("One?", "small-24", session("small-24"));
  await untilAsked("small-24", 1);
  const second = await say("Two?", "small-24", session("small-24"));
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "Both answered." });
  expect(await finished(second.runId)).toMatchObject({ status: "joined", intoRunId: first.runId });
  const requests = await requestsOf("small-24");
  expect(requests).toHaveLength(2);
  expect(requests[1]!.slice(-2)).toEqual(["One?", "Two?"]);
  expect(requests[1]!.filter((text) => text === "One?")).toHaveLength(1);
});
