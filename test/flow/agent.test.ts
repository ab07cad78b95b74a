import { expect, test } from "vitest";
import { asked, call, eventsOf, finished, historyOf, parseEvents, say, script } from "./client.ts";

test("a message gets a reply, and both are in the transcript", async () => {
  await script("hello", [{ text: "Hello there." }]);
  const { runId, sessionKey } = await say("Hi", "hello");
  expect(runId).toMatch(/^run_[0-9a-z]{52}$/);
  expect(sessionKey).toBe("agent:main:main");
  const run = await finished(runId);
  expect(run).toMatchObject({ status: "ok", reply: "Hello there.", model: "fake/hello" });
  const { messages } = await historyOf(sessionKey);
  expect(messages).toMatchObject([
    { role: "user", text: "Hi", runId },
    { role: "assistant", runId, stop: "stop" },
  ]);
});
