import { expect, test } from "vitest";
import { findPage } from "../../src/docs/pages.ts";
import { chatOf, hear } from "./chats.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { calling, spawning } from "./family-lab.ts";
import { configure, session } from "./session-lab.ts";

const PLUGINS_PAGE = findPage("plugins")!.text;

async function results(sessionKey: string): Promise<string[]> {
  const { messages } = await historyOf(sessionKey);
  return messages.flatMap(({ role, text }) => (role === "tool" ? [String(text)] : []));
}

async function systemOf(scenario: string): Promise<string> {
  return (await asked(scenario))[0]!.body.messages[0].content;
}

test("an agent is told where the documentation is, and reads what it needs of it", async () => {
  await script("docs", [
    calling("ls", { path: "docs://" }),
    calling("read", { path: "docs://configuration#change-it", limit: 3 }),
    calling("grep", { path: "docs://", pattern: "FAMILY_BOT_TOKEN" }),
    calling("read", { path: "docs://plugns" }),
    { text: "Like this." },
  ]);
  await finished((await say("How do I change a setting?", "docs", session("docs"))).runId);
  expect(await systemOf("docs")).toContain("## Documentation\nDocs: docs://index (with `read`). They call");
  const [listing, page, found, mistaken] = await results(session("docs").sessionKey);
  expect(listing).toContain("docs://plugins  Plugins and hooks: A plugin takes part in the agents' work");
  expect(page).toMatch(
    /^## Change it\n\nEach change names.*\n\n\[Lines \d+ to \d+ of \d+\. Read on with offset=\d+\.\]$/,
  );
  expect(found).toMatch(/^docs:\/\/telegram:\d+: .*FAMILY_BOT_TOKEN/);
  expect(mistaken).toContain("Near it: docs://plugins.");
});

test("a sender who may not read the workspace can read the documentation", async () => {
  await script("docs-guest", [
    calling("read", { path: "docs://plugins", limit: 1 }),
    calling("read", { path: "USER.md" }),
    calling("ls", { path: "memory" }),
    { text: "So it is." },
  ]);
  const sender = { id: "771", owner: false };
  await finished(await hear("docs-guest", chatOf(771), "What is a plugin?", { sender }));
  const [page, file, folder] = await results(session("docs-guest").sessionKey);
  expect(page).toContain(PLUGINS_PAGE.split("\n")[0]);
  expect(file).toContain("The workspace is not open to this conversation");
  expect(folder).toContain("The workspace is not open to this conversation");
  const system = await systemOf("docs-guest");
  expect(system).toContain("- read: Read pages of docs://");
  expect(system).not.toContain("File tools take paths");
});

test("a sub-agent reads the documentation", async () => {
  await script("docs-parent", [spawning("docs-child"), { text: "ok" }]);
  await script("docs-child", [calling("read", { path: "docs://plugins", limit: 1 }), { text: "Read." }]);
  await say("Look it up", "docs-parent", session("docs-parent"));
  await waitFor(async () => (await asked("docs-child")).length === 2);
  expect(JSON.stringify((await asked("docs-child"))[1]!.body.messages.at(-1))).toContain(PLUGINS_PAGE.split("\n")[0]);
});

test("the address on the web is the configured one, never that of a request", async () => {
  await script("docs-url", [{ text: "ok" }]);
  await script("docs-no-url", [{ text: "ok" }]);
  await configure("docs-url", (config) => ({ ...config, prompt: { docsUrl: "https://isopod.example/docs" } }));
  await finished((await say("x", "docs-url", session("docs-url"))).runId);
  await finished((await say("x", "docs-no-url", session("docs-no-url"))).runId);
  expect(await systemOf("docs-url")).toContain(
    "Docs: docs://index (with `read`); on the web: https://isopod.example/docs. They call",
  );
  expect(await systemOf("docs-no-url")).not.toContain("isopod.test");
});

test.each([
  ["getting-started", "Remember that I like tea", "Do you remember what I like?", "tea"],
  ["zh/getting-started", "记住我喜欢喝茶", "你记得我喜欢什么吗？", "茶"],
])("what %s says to try without a key works, also in another session", async (page, remember, recall, answer) => {
  const say = async (message: string, name: string) => {
    expect(findPage(page)!.text).toContain(message);
    const run = { message, agentId: "third", model: "offline/rules", sessionKey: `agent:third:hook:${name}` };
    const { runId } = await (await call("POST", "/v1/agent", run)).json<{ runId: string }>();
    return finished(runId);
  };
  expect(await say(remember, "first")).toMatchObject({ status: "ok" });
  expect(await say(recall, "second")).toMatchObject({ status: "ok", reply: expect.stringContaining(answer) });
});
