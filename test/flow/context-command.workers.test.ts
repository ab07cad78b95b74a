import { describe, expect, test } from "vitest";
import type { ContextReport } from "../../src/turn/preview/context-report.ts";
import { chatOf, hear, sentTo } from "./chats.ts";
import { asked, call, finished, say, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** Gives the command and waits for its answer. */
async function tell(name: string, command: string): Promise<string> {
  const { runId } = await say(command, name, session(name));
  const run: any = await finished(runId);
  return run.reply;
}

test("/context tells of each workspace file how large it is and how much of it the model sees, without asking it", async () => {
  await configure("files-reported", (config) => ({
    ...config,
    agents: { ...config.agents, defaults: { ...config.agents.defaults, bootstrapMaxChars: 500 } },
  }));
  await script("files-reported", [{ text: "Hello." }]);
  await finished((await say("Hi", "files-reported", session("files-reported"))).runId);
  await call("PUT", "/v1/agents/main/workspace/SOUL.md", "x".repeat(1234));
  await call("DELETE", "/v1/agents/main/workspace/USER.md");
  const list = await tell("files-reported", "/context");
  expect(list).toMatch(/^About [\d.]+k? of 128k tokens \(\d+ %\) of `fake\/default`:$/m);
  expect(list).toMatch(/^- System prompt: [\d.]+k tokens, \d+ characters \([\d.]+k stable, \d+ changing\)$/m);
  expect(list).toMatch(/^- Tools: [\d.]+k? tokens for \d+, their schemas \d+ bytes$/m);
  expect(list).toMatch(/^- Conversation: \d+ tokens in 2 messages$/m);
  expect(list).toContain("at most 500 characters each and 60000 in total:");
  expect(list).toMatch(/^- SOUL\.md: \d+ of 1234 characters, cut, \d+ tokens$/m);
  expect(list).toMatch(/^- USER\.md: missing$/m);
  const [, injected, raw] = /^- Total: (\d+) characters in the prompt, (\d+) in the workspace$/m.exec(list)!;
  expect(Number(raw)).toBeGreaterThan(1234);
  expect(Number(injected)).toBeLessThan(Number(raw) - 700);
  expect(list).not.toContain("Sections");
  expect(await asked("files-reported")).toHaveLength(1);
});

test("/context detail tells the sections and the tools that the model was shown", async () => {
  await script("detail", [{ text: "Hello." }]);
  await finished((await say("Hi", "detail", session("detail"))).runId);
  const [request] = await asked("detail");
  const detail = await tell("detail", "/context detail");
  for (const section of ["identity", "tooling", "safety", "control", "runtime"]) {
    expect(detail).toMatch(new RegExp(`^- ${section}: \\d+ tokens, \\d+ characters`, "m"));
  }
  expect(detail).toMatch(/^- project-context: .* characters, from AGENTS\.md, SOUL\.md/m);
  expect(detail).toMatch(/^- authorized-senders: .* characters, from commands\.ownerAllowFrom$/m);
  const tools = request!.body.tools.map((tool: any) => tool.function);
  for (const { name, parameters } of tools) {
    expect(detail).toMatch(
      new RegExp(`^- ${name}: \\d+ tokens, schema ${JSON.stringify(parameters).length} bytes$`, "m"),
    );
  }
  const chars = Number(/System prompt: [\d.k]+ tokens, (\d+) characters/.exec(detail)![1]);
  expect(Math.abs(chars - request!.body.messages[0].content.length)).toBeLessThan(10);
  expect(await tell("detail", "/context everything")).toBe("Use `/context [list | detail]`.");
  expect(await asked("detail")).toHaveLength(1);
});

test("/context in a group tells of the prompt that the group gets, and works before anything was said", async () => {
  const group = { ...chatOf(-8123), kind: "group" } as const;
  await finished(await hear("context-group", group, "/context detail"));
  const [answer = ""] = await sentTo(group);
  expect(answer).toContain("messaging: ");
  expect(answer).toContain("SOUL.md: ");
  expect(answer).not.toContain("USER.md");
  expect(answer).toMatch(/Conversation: 0 tokens in 0 messages/);
  expect(await asked("context-group")).toEqual([]);
});

describe("the report on a session", () => {
  const reportOf = async (key: string, query = "") => {
    const response = await call("GET", `/v1/sessions/${encodeURIComponent(key)}/context${query}`);
    return { status: response.status, report: await response.json<ContextReport>() };
  };

  test("is of the prompt that its next turn gets, and of the conversation", async () => {
    const { sessionKey } = session("reported");
    await script("reported", [{ text: "Hello." }]);
    const first = await say("Hi", "reported", session("reported"));
    await finished(first.runId);
    await tell("reported", "/model fake/reported");
    await tell("reported", "/think high");
    const { report } = await reportOf(sessionKey);
    expect(report).toMatchObject({ model: "fake/reported", window: 128_000, seeded: true, messages: { count: 2 } });
    await script("reported", [{ text: "Hello again." }]);
    const { runId } = await say("Hi again", "reported", { ...session("reported"), model: undefined });
    const run: any = await finished(runId);
    expect(run.prompt).toEqual({ hash: report.hash });
    expect(report.text).toContain("thinking=high");
  });

  test("is for whoever spoke last, or whom one asks for", async () => {
    const { sessionKey } = session("guest");
    await script("guest", [{ text: "Hello." }]);
    await finished(await hear("guest", chatOf(8124), "Hi", { sender: { id: "8124", owner: false } }));
    const names = ({ report }: { report: ContextReport }) => report.tools.map(({ name }) => name);
    expect(names(await reportOf(sessionKey))).not.toContain("write");
    expect(names(await reportOf(sessionKey, "?sender=owner"))).toContain("write");
    expect((await reportOf(sessionKey, "?sender=nobody")).status).toBe(400);
  });

  test("is there for a main session in which nobody has spoken, and for no other", async () => {
    const { status, report } = await reportOf("agent:third:main");
    expect(status).toBe(200);
    expect(report).toMatchObject({ agentId: "third", seeded: false, messages: { count: 0, tokens: 0 } });
    expect((await reportOf("agent:third:hook:nothing")).status).toBe(404);
    expect((await reportOf("agent:nobody:main")).status).toBe(404);
  });
});
