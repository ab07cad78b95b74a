import { expect, test } from "vitest";
import { chatOf, hear, sentTo, settled } from "./chats.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { arm, dumpTool, kill, session, sql, stubOf } from "./session-lab.ts";

const message = (args: object) => ({ calls: [{ name: "message", args }] });

async function resultsOf(name: string): Promise<string[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.flatMap((entry: any) => (entry.role === "tool" ? [entry.text] : []));
}

test("a message to the own conversation is sent at once, and the reply does not say it again", async () => {
  await script("own", [message({ text: "**Your train** leaves at 9:41." }), { text: "Your train leaves at 9:41!" }]);
  const chat = chatOf(9201);
  const runId = await hear("own", chat, "When?");
  expect(await settled(runId, chat)).toEqual(["<b>Your train</b> leaves at 9:41."]);
  const { deliveries } = (await finished(runId)) as any;
  expect(deliveries).toMatchObject([{ channel: "telegram", status: "delivered" }]);
  expect(JSON.parse((await resultsOf("own"))[0]!)).toEqual({
    status: "queued",
    to: "telegram:9201",
    deliveryIds: [deliveries[0].deliveryId],
  });
});

test("a reply that says something else comes after it, in order", async () => {
  await script("both", [message({ text: "Wait a moment." }), { text: "There it is." }]);
  const chat = chatOf(9202);
  expect(await settled(await hear("both", chat, "Hi"), chat)).toEqual(["Wait a moment.", "There it is."]);
});

test("a failed tool is not told where the message tool has spoken to the same people", async () => {
  await script("spoken", [message({ text: "Look at this." }), { calls: [{ name: "nothing" }] }, { text: "NO_REPLY" }]);
  const chat = chatOf(9203);
  expect(await settled(await hear("spoken", chat, "Hi"), chat)).toEqual(["Look at this."]);
});

test("a message of an owner to somebody else arrives there, and stands in the session that an answer comes to", async () => {
  const text = "Dinner is at eight.";
  await script("other-chat", [message({ text, to: "telegram:9205" }), { text }]);
  const chat = chatOf(9204);
  const runId = await hear("other-chat", chat, "Tell them");
  // The owner has not seen what was sent elsewhere.
  expect(await settled(runId, chat)).toEqual([text]);
  expect(await sentTo(chatOf(9205))).toEqual([text]);
  const key = "agent:main:telegram:direct:9205";
  await waitFor(async () => (await historyOf(key)).messages?.length === 2);
  expect((await historyOf(key)).messages).toMatchObject([
    { role: "user", text: expect.stringContaining(session("other-chat").sessionKey) },
    { role: "assistant", parts: [{ text }] },
  ]);
  await script("answers", [{ text: "Yes, at eight." }]);
  const { runId: next } = await say("Really?", "answers", { sessionKey: key });
  expect(await finished(next)).toMatchObject({ status: "ok" });
  expect((await asked("answers"))[0]!.body.messages).toContainEqual({ role: "assistant", content: text });
});

test("where a conversation is busy, what was sent there waits until it stands between two turns", async () => {
  const key = session("busy-note").sessionKey;
  await script("busy-note", [{ calls: [{ name: "dump" }] }, { text: "Done." }]);
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await arm("busy-note", [{ ...dumpTool(() => ""), run: async () => gate.then(() => ({ text: "dumped" })) }]);
  const chat = chatOf(9206);
  const runId = await hear("busy-note", chat, "Dump");
  await waitFor(async () => (await asked("busy-note")).length === 1);
  const note = { text: "[System] …", timeoutSeconds: 0, origin: { kind: "delivery", fromKey: "x", text: "Note." } };
  const [first, second] = await Promise.all(
    ["delivery:dlv_1", "delivery:dlv_1"].map(async (idempotencyKey) => {
      const object = (await stubOf("busy-note")) as any;
      const id = `run_${crypto.randomUUID().replaceAll("-", "").slice(0, 26)}${object.name}`;
      return object.accept({ sessionKey: key, agentId: "main", runId: id, idempotencyKey, input: note });
    }),
  );
  expect(first.runId).toBe(second.runId);
  finish();
  await finished(runId);
  await finished(first.runId);
  expect((await historyOf(key)).messages.map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "assistant"],
    ...["user", "assistant"],
  ]);
});

test("a sender who is not an owner can use the message tool in the own conversation only", async () => {
  await script("stranger", [
    message({ text: "Psst", to: "telegram:9208" }),
    message({ text: "For you.", to: { channel: "telegram", conversationId: "9207" } }),
    { text: "NO_REPLY" },
  ]);
  const chat = chatOf(9207);
  const runId = await hear("stranger", chat, "Hi", { sender: { id: "9207", owner: false } });
  expect(await settled(runId, chat)).toEqual(["For you."]);
  expect(await sentTo(chatOf(9208))).toEqual([]);
  expect((await resultsOf("stranger"))[0]).toMatch(/^(?:Only an owner|refused)/);
});

test("the message tool refuses what cannot be sent, and says why", async () => {
  await script("refused", [
    message({ text: "x", to: "pigeon:1" }),
    message({ text: "x", to: "telegram:nobody here" }),
    message({ text: "NO_REPLY" }),
    message({ text: "x" }),
    { text: "Well." },
  ]);
  const { runId } = await say("Send", "refused", session("refused"));
  await finished(runId);
  expect(await resultsOf("refused")).toEqual([
    expect.stringContaining("no account"),
    expect.stringContaining("is no conversation"),
    expect.stringContaining("nothing to see"),
    expect.stringContaining("Say to whom"),
  ]);
});

test("the message tool sends once when its call is run again after the object has died, also when the run is then stopped", async () => {
  const chat = chatOf(9209);
  const calls = [{ name: "message", args: { text: "Once." } }, { name: "dump" }];
  await script("once-sent", [{ calls }, { hang: true }]);
  await arm("once-sent", [{ ...dumpTool(() => ""), run: () => new Promise<never>(() => undefined) }]);
  const runId = await hear("once-sent", chat, "Send");
  const results = 'from messages where body like \'%"role":"tool"%\'';
  await waitFor(async () => (await sql("once-sent", `select 1 as n ${results}`)).length === 1);
  await waitFor(
    async () => (await sql("once-sent", "select 1 as n from outbox where status = 'delivered'")).length === 1,
  );
  await sql("once-sent", `delete ${results}`);
  await kill("once-sent");
  await waitFor(async () => (await sql("once-sent", `select 1 as n ${results} and body like '%queued%'`)).length === 1);
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await settled(runId, chat)).toEqual(["Once."]);
});

test("a sub-agent has no message tool", async () => {
  await script("child", [{ text: "ok" }]);
  await finished((await say("x", "child", { sessionKey: "agent:main:subagent:mute" })).runId);
  const names = (await asked("child"))[0]!.body.tools.map((tool: any) => tool.function.name);
  expect(names).toContain("read");
  expect(names).not.toContain("message");
});
