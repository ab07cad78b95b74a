import { expect, test } from "vitest";
import { asked, finished, say, script, waitFor } from "./client.ts";
import { childrenOf, spawning, textsIn, untilSaid } from "./family-lab.ts";
import { session } from "./session-lab.ts";

test("an owner looks after sub-agents by command, also while the agent is at work", async () => {
  const { sessionKey } = session("command");
  const tell = async (text: string) => {
    const { reply } = await finished((await say(text, "command", { sessionKey })).runId);
    return reply as unknown as string;
  };
  expect(await tell("/subagents")).toBe("This session has started no sub-agents.");
  expect(await tell("/subagents stop 1")).toBe("This session has started no sub-agents.");
  const both = ["north", "south"].flatMap((label) => spawning(`command-${label}`, { label }).calls ?? []);
  await script("command", [{ calls: both }, { hang: true }]);
  await script("command-north", [{ hang: true }]);
  await script("command-south", [{ text: "South is dry." }, { text: "South is wet." }]);
  const { runId } = await say("Go", "command", { sessionKey });
  await waitFor(async () => (await asked("command")).length === 2 && (await asked("command-north")).length === 1);
  await waitFor(async () => (await childrenOf(sessionKey)).some(({ open }) => !open));
  const list = await tell("/subagents list");
  expect(list).toMatch(/^\d\. \*\*north\*\*: working, \d+ s$/m);
  expect(list).toMatch(/^\d\. \*\*south\*\*: ok, \d+ s$/m);
  expect(await tell("/subagents info south")).toMatch(
    /Agent: main\nSession: `agent:main:subagent:\w+`\nRun: `run_\w+`\nTask: Count\./,
  );
  expect(await tell("/subagents stop north")).toBe("Stopped: north.");
  expect(await tell("/subagents kill all")).toBe("No sub-agent was running.");
  expect(await tell("/subagents stop west")).toMatch(/^There is no sub-agent 'west'\. There are:\n1\. /);
  expect(await tell("/subagents send south Look again.")).toBe("Sent to **south**. Its result will be announced here.");
  await waitFor(async () => (await asked("command-south")).length === 2);
  expect(await tell("/stop")).toMatch(/^Stopped/);
  expect(await finished(runId)).toMatchObject({ status: "aborted" });
  const log = await tell("/subagents log south");
  expect(log.split("\n").slice(0, 4)).toEqual([
    ...["**south**", "- user: Count.", "- assistant: South is dry.", "- user: Look again."],
  ]);
  expect(await tell("/help subagents")).toContain("/subagents [list |");
  expect(await tell("/subagents dance")).toContain("Use `/subagents");
});

test("the result of a task that a command gave to a sub-agent is announced in the session of the command", async () => {
  const { sessionKey } = session("command-send");
  await script("command-send", [spawning("command-send-child"), { text: "ok" }, { text: "Nice." }]);
  await script("command-send-child", [{ text: "First." }, { text: "Second." }]);
  await say("Go", "command-send", { sessionKey });
  await untilSaid(sessionKey, "Nice.");
  await script("default", [{ text: "Heard the second." }]);
  await say("/subagents send 1 And now?", "command-send", { sessionKey });
  await untilSaid(sessionKey, "Heard the second.");
  expect((await textsIn(sessionKey)).filter((text) => text.startsWith("[System]"))).toHaveLength(2);
});
