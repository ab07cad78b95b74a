import { expect, test } from "vitest";
import { call, finished, historyOf } from "./client.ts";
import { session } from "./session-lab.ts";

/** Says something to the rules, as somebody does who has no key, and gives what they answer. */
async function tell(name: string, message: string): Promise<string> {
  const response = await call("POST", "/v1/agent", { message, model: "offline/rules", ...session(name) });
  const { runId } = await response.json<{ runId: string }>();
  const run: any = await finished(runId);
  expect(run).toMatchObject({ status: "ok" });
  return run.reply;
}

async function toolsUsed(name: string): Promise<string[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return (messages as any[]).filter(({ role }) => role === "tool").map(({ tool }) => tool);
}

test("without any key, what was said one day is found the next, in a conversation that knows nothing of it", async () => {
  expect(await tell("offline-day", "Remember that my dentist is Dr. Okafor on Elm Street.")).toMatch(/^Noted/);
  expect(await tell("offline-day", "Remember that the boat is moored at pier nine")).toMatch(/^Noted/);
  await tell("offline-day", "/new");
  const answer = await tell("offline-day", "What do you know about my dentist?");
  expect(answer).toMatch(/Dr\. Okafor on Elm Street.* \(Source: MEMORY\.md#L\d/);
  expect(answer).not.toContain("pier nine");
  expect((await toolsUsed("offline-day")).at(-1)).toBe("memory_search");
  // Another form of the word, in another session.
  expect(await tell("offline-else", "When did I moor the boat?")).toMatch(/pier nine/);
  expect(await tell("offline-else", "What did I tell you about quantum chromodynamics?")).toMatch(
    /^I have nothing in memory/,
  );
});

test("without any key, what was said in Chinese one day is found the next, in a new conversation", async () => {
  expect(await tell("offline-tag", "记住我的猫叫小虎，住在里斯本")).toMatch(/^已记入/);
  await tell("offline-tag", "/new");
  expect(await tell("offline-tag", "你还记得我的猫吗？")).toMatch(/我的猫叫小虎，住在里斯本（来源：MEMORY\.md#L\d/);
  expect(await tell("offline-tag", "我上次说的猫叫什么？")).toContain("小虎");
  expect((await toolsUsed("offline-tag")).at(-1)).toBe("memory_search");
});
