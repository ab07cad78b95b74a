import { expect, test } from "vitest";
import { asked, call, finished, say, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** Gives the command and waits for its answer. */
async function tell(name: string, command: string): Promise<string> {
  const { runId } = await say(command, name, session(name));
  const run: any = await finished(runId);
  return run.reply;
}

test("/context tells of each workspace file how large it is and how much of it the model sees, without asking it", async () => {
  await configure("files", (config) => ({
    ...config,
    agents: { ...config.agents, defaults: { ...config.agents.defaults, bootstrapMaxChars: 500 } },
  }));
  await script("files", [{ text: "Hello." }]);
  await finished((await say("Hi", "files", session("files"))).runId);
  await call("PUT", "/v1/agents/main/workspace/SOUL.md", "x".repeat(1234));
  await call("DELETE", "/v1/agents/main/workspace/USER.md");
  const list = await tell("files", "/context");
  expect(list).toMatch(/^About [\d.]+k? of 128k tokens \(\d+ %\) of `fake\/default`:$/m);
  expect(list).toMatch(
    /^- System prompt: [\d.]+k tokens, \d+ characters \([\d.]+k that stay the same, \d+ that change\)$/m,
  );
  expect(list).toMatch(/^- Tools: [\d.]+k? tokens for \d+$/m);
  expect(list).toMatch(/^- Conversation: \d+ tokens in 2 messages$/m);
  expect(list).toContain("at most 500 characters each and 60000 together:");
  expect(list).toMatch(/^- SOUL\.md: \d+ of 1234 characters, cut, \d+ tokens$/m);
  expect(list).toMatch(/^- USER\.md: missing$/m);
  expect(list).not.toContain("Sections");
  expect(await asked("files")).toHaveLength(1);
});

test("/context detail tells the sections and the tools that the model was shown", async () => {
  await script("detail", [{ text: "Hello." }]);
  await finished((await say("Hi", "detail", session("detail"))).runId);
  const [request] = await asked("detail");
  const detail = await tell("detail", "/context detail");
  for (const section of ["identity", "tooling", "safety", "control", "runtime"]) {
    expect(detail).toMatch(new RegExp(`^- ${section}: \\d+ tokens, \\d+ characters`, "m"));
  }
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
