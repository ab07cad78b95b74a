import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { pages, talked } from "./context-lab.ts";
import { putOutside } from "./outside.ts";
import { equip, session, sql } from "./session-lab.ts";

const ROOT = "agents/main/workspace/";

interface ToolCall {
  name: string;
  args: object;
}

function recalls(query: string): ToolCall {
  return { name: "memory_search", args: { query } };
}

/** What the tools answered in a turn whose model makes these calls, one after the other. */
async function turn(name: string, calls: readonly ToolCall[]): Promise<string[]> {
  const { sessionKey } = session(name);
  await script(name, [...calls.map((one) => ({ calls: [one] })), { text: "Done." }]);
  const { runId } = await say("Go on", name, { sessionKey });
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Done." });
  const { messages } = await historyOf(sessionKey);
  return messages.flatMap((message: any) => (message.runId === runId && message.role === "tool" ? [message.text] : []));
}

/** What a search of the API finds, as `path: snippet`. */
async function found(query: string): Promise<string[]> {
  const response = await call("POST", "/v1/agents/main/memory/search", { query });
  const { results } = await response.json<{ results: { path: string; snippet: string }[] }>();
  return results.map(({ path, snippet }) => `${path}: ${snippet}`);
}

describe("a note is found in the turn in which it was made", () => {
  test("with the tool write, and read where it stands", async () => {
    const note = "# Friday\n\nThe plumber comes at nine.\n\nThe marmalade recipe: seven oranges, one lemon.\n";
    const [, search, get] = await turn("mem-write", [
      { name: "write", args: { path: "memory/2026-11-20.md", content: note } },
      recalls("how many oranges go into marmalade"),
      { name: "memory_get", args: { path: "memory/2026-11-20.md", from: 5, lines: 1 } },
    ]);
    expect(search).toContain("memory/2026-11-20.md, line");
    expect(search).toContain("seven oranges, one lemon");
    expect(get).toContain("The marmalade recipe: seven oranges, one lemon.");
    expect(get).not.toContain("plumber");
  });

  test("with edit, which takes what was there before out of it", async () => {
    const path = "memory/garage.md";
    const [, first, , second, third] = await turn("mem-edit", [
      { name: "write", args: { path, content: "The garage code is quokka.\n" } },
      recalls("garage code"),
      { name: "edit", args: { path, edits: [{ oldText: "quokka", newText: "wombat" }] } },
      recalls("garage code"),
      recalls("quokka"),
    ]);
    expect(first).toContain("The garage code is quokka.");
    expect(second).toContain("The garage code is wombat.");
    expect(second).not.toContain("quokka.");
    expect(third).not.toContain("The garage code");
  });

  test("with apply_patch, and one that the patch deletes is found no more", async () => {
    const lines = ["*** Begin Patch", "*** Add File: memory/boat.md", "+The boat is called Halcyon.", "*** End Patch"];
    const [, search] = await turn("mem-patch", [
      { name: "apply_patch", args: { input: lines.join("\n") } },
      recalls("name of the boat"),
    ]);
    expect(search).toContain("The boat is called Halcyon.");
    const gone = ["*** Begin Patch", "*** Delete File: memory/boat.md", "*** End Patch"].join("\n");
    const [, after] = await turn("mem-patch", [
      { name: "apply_patch", args: { input: gone } },
      recalls("name of the boat"),
    ]);
    expect(after).not.toContain("Halcyon");
  });

  test("with a script in the shell, also where it moves a file away", async () => {
    const [ran, search, , after] = await turn("mem-exec", [
      { name: "exec", args: { command: "mkdir -p memory && echo '- 咖啡店的密码是蓝鲸' > memory/cafe.md" } },
      recalls("咖啡店密码"),
      { name: "exec", args: { command: "mv memory/cafe.md drafts-cafe.md" } },
      recalls("蓝鲸"),
    ]);
    expect(ran).toContain("Wrote: memory/cafe.md");
    expect(search).toContain("咖啡店的密码是蓝鲸");
    expect(after).not.toContain("咖啡店");
  });

  test("with the script of a bundled skill", async () => {
    const [, search] = await turn("mem-keeper", [
      {
        name: "exec",
        args: {
          command:
            'TZ=Europe/Berlin bash /skills/bundled/memory-keeper/scripts/note.sh "Decided: the launch moves to 3 June."',
        },
      },
      recalls("when is the launch"),
    ]);
    expect(search).toContain("the launch moves to 3 June");
  });
});

test("what was written before a summary is found in the conversation after it", async () => {
  await talked("medium-71", pages(11, 1950));
  await script("medium-71", [
    {
      text: "Writing.",
      calls: [{ name: "write", args: { path: "memory/2026-11-21.md", content: "Tickets to Lisbon are bought.\n" } }],
    },
    { text: "NO_REPLY" },
    { text: "Eleven pages." },
    { text: "Answer." },
  ]);
  const { runId } = await say("And now?", "medium-71", session("medium-71"));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Answer." });
  await script("medium-71", [{ text: "Hello again." }]);
  await finished((await say("/new", "medium-71", session("medium-71"))).runId);
  const [search] = await turn("medium-71", [recalls("did we buy tickets to Lisbon")]);
  expect(search).toContain("Tickets to Lisbon are bought.");
});

test("the note that the plugin session-memory makes of a conversation is found in the next, as others' words", async () => {
  await turn("mem-plugin", []);
  await script("mem-plugin", [{ text: "A tandem it is." }, { text: "Hello again." }]);
  await finished((await say("Rent a tandem for the Saturday in Haarlem", "mem-plugin", session("mem-plugin"))).runId);
  await finished((await say("/new", "mem-plugin", session("mem-plugin"))).runId);
  const [search] = await turn("mem-plugin", [recalls("tandem Haarlem Saturday")]);
  expect(search).toMatch(/EXTERNAL_UNTRUSTED_CONTENT[\s\S]*tandem for the Saturday in Haarlem/);
});

test("a file that another program writes to the bucket is found after the next comparison of files", async () => {
  await putOutside(`${ROOT}memory/outside.md`, "The lighthouse keeper is called Ottoline.\n");
  const indexed = await call("POST", "/v1/agents/main/memory/index", {});
  expect([200, 202]).toContain(indexed.status);
  await waitFor(async () => (await found("lighthouse keeper")).some((hit) => hit.includes("Ottoline")));
});

test("a turn without a memory search reads nothing from the memory database", async () => {
  const asked: string[] = [];
  const database = new Proxy(env.MEMORY, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      asked.push(String(name));
      return value.bind(target);
    },
  });
  await equip(session("mem-quiet").sessionKey, { env: { ...env, MEMORY: database } });
  await turn("mem-quiet", []);
  await turn("mem-quiet", [{ name: "ls", args: {} }]);
  expect(asked).toEqual([]);
  await turn("mem-quiet", [{ name: "write", args: { path: "notes.txt", content: "No memory." } }]);
  expect(asked).toEqual([]);
  expect(await sql("mem-quiet", "select * from memory_pages")).toEqual([]);
});
