import { expect, test } from "vitest";
import type { ScriptedReply } from "../fakes/model-script.ts";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { session } from "./session-lab.ts";

const REFUSED: ScriptedReply = { status: 401, body: { error: { message: "invalid x-api-key" } } };

/** What the model was sent in its last request, by role and text. */
async function lastAsked(scenario: string): Promise<[string, string][]> {
  const requests = await asked(scenario);
  const messages: { role: string; content: string }[] = requests.at(-1)?.body.messages ?? [];
  return messages.slice(1).map(({ role, content }) => [role, content]);
}

test("a failed answer names its provider and what to do, and /retry answers the same message once more", async () => {
  const chat = chatOf(88701);
  await script("again", [REFUSED, { text: "Here it is." }]);
  const [told] = await settled(await hear("again", chat, "What is it?"), chat);
  expect(told).toContain("fake was asked without a key: invalid x-api-key.");
  expect(told).toContain("/retry");
  expect((await settled(await hear("again", chat, "/retry"), chat)).at(-1)).toBe("Here it is.");
  expect(await lastAsked("again")).toEqual([["user", "What is it?"]]);
});

test("words of the answer that failed are not shown to the model again, then or later", async () => {
  const { sessionKey } = session("again-half");
  await script("again-half", [{ text: "Half an ans", cutAfterBytes: 420 }]);
  await finished((await say("Tell me", "again-half", { sessionKey })).runId);
  await script("again-half", [{ text: "The whole answer." }, { text: "You are welcome." }]);
  await finished((await say("/retry", "again-half", { sessionKey })).runId);
  await finished((await say("Thanks", "again-half", { sessionKey })).runId);
  expect(await lastAsked("again-half")).toEqual([
    ["user", "Tell me"],
    ["assistant", "The whole answer."],
    ["user", "Thanks"],
  ]);
});

test("a message that a provider refused as malformed is asked again as it was", async () => {
  const { sessionKey } = session("again-format");
  await script("again-format", [{ status: 400, body: { error: { message: "bad schema" } } }, { text: "Fine." }]);
  await finished((await say("Look", "again-format", { sessionKey })).runId);
  await finished((await say("/retry", "again-format", { sessionKey })).runId);
  expect(await lastAsked("again-format")).toEqual([["user", "Look"]]);
});

test("a stopped answer can be had after all", async () => {
  const { sessionKey } = session("again-stopped");
  await script("again-stopped", [{ hang: true }, { text: "After all." }]);
  const { runId } = await say("Go", "again-stopped", { sessionKey });
  await waitFor(async () => (await asked("again-stopped")).length === 1);
  await call("POST", `/v1/runs/${runId}/abort`);
  await finished(runId);
  const again = await finished((await say("/retry", "again-stopped", { sessionKey })).runId);
  expect(again).toMatchObject({ status: "ok", reply: "After all." });
});

test("without a failure nothing is asked, and who typed it is told", async () => {
  const { sessionKey } = session("again-none");
  const bare = await finished((await say("/retry", "again-none", { sessionKey })).runId);
  expect(bare).toMatchObject({ status: "ok", reply: expect.stringContaining("nothing to try again") });
  await finished((await say("Hello", "again-none", { sessionKey })).runId);
  await finished((await say("/retry", "again-none", { sessionKey })).runId);
  expect(await asked("again-none")).toHaveLength(1);
  const { messages } = await historyOf(sessionKey);
  expect(messages.filter(({ role, aside }) => role === "user" && !aside)).toHaveLength(1);
});

test("the rights are those of whom it answers", async () => {
  const group = { ...chatOf(88702), kind: "group" as const };
  await script("again-stranger", [REFUSED, { text: "Good evening." }]);
  const stranger = { sender: { id: "666", owner: false } };
  await settled(await hear("again-stranger", group, "Good evening", stranger), group);
  await settled(await hear("again-stranger", group, "/retry", { sender: { id: "1", owner: true } }), group);
  const [first, second] = await asked("again-stranger");
  const toolsOf = (request: typeof first) => (request?.body.tools ?? []).map((tool: any) => tool.function.name);
  expect(toolsOf(second)).toEqual(toolsOf(first));
});
