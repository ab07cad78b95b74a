import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { asked, finished, say, script, waitFor } from "./client.ts";
import { plug, session, stubOf } from "./session-lab.ts";

async function tell(name: string, message: string) {
  return finished((await say(message, name, session(name))).runId);
}

/** The notes whose name has some words in it. */
async function notesOf(words: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: "agents/main/workspace/memory/" });
  return objects.map(({ key }) => key).filter((key) => key.includes(words));
}

async function textOf(key: string | undefined): Promise<string> {
  return (await (await env.FILES.get(key!))?.text()) ?? "";
}

test("/new writes a note of what was said, without tools, commands and silence", async () => {
  const name = "note";
  await script(name, [
    { text: "Lisbon is lovely." },
    { calls: [{ name: "ls", args: {} }] },
    { text: "I looked." },
    { text: "NO_REPLY" },
    { text: "Hi again." },
  ]);
  const { sessionId } = await tell(name, "Plan a trip to Lisbon with my sister in May, please");
  await tell(name, "/status");
  await tell(name, "Look around");
  await tell(name, "Say nothing");
  await tell(name, "/new");
  const notes = await notesOf("trip-to-lisbon");
  const day = new Date().toISOString().slice(0, 10);
  const id = String(sessionId).slice(-8);
  expect(notes).toEqual([`agents/main/workspace/memory/${day}-plan-a-trip-to-lisbon-with-my-sister-in-${id}.md`]);
  const note = await textOf(notes[0]);
  expect(note).toContain(`- Session id: ${sessionId}\n`);
  expect(note).toContain(`- Session key: ${session(name).sessionKey}\n- `);
  const greeting = (await asked(name)).at(-1)!.body.messages.at(-1).content;
  expect(greeting).toContain(`<daily_notes>\n### memory/${day}-plan-a-trip-to-lisbon`);
  expect(greeting).toContain("**assistant:**\n> Lisbon is lovely.");
  expect(note.slice(note.indexOf("## Last"))).toBe(
    [
      "## Last messages",
      "**user:**\n> Plan a trip to Lisbon with my sister in May, please",
      "**assistant:**\n> Lisbon is lovely.",
      "**user:**\n> Look around",
      "**assistant:**\n> I looked.",
      "**user:**\n> Say nothing\n",
    ].join("\n\n"),
  );
});

test("/reset writes a note in the user's script, and a conversation without text leaves none", async () => {
  const name = "note-chinese";
  await script(name, [{ text: "好的。" }, { text: "你好！" }, { text: "又见面了！" }]);
  await tell(name, "下周帮我订去里斯本的机票");
  await tell(name, "/reset");
  const before = (await notesOf("")).length;
  expect(await notesOf("下周帮我订去里斯本的机票")).toHaveLength(1);
  await tell(name, "/reset");
  expect(await notesOf("")).toHaveLength(before);
});

test("a note of a conversation whose object dies before it is written is written once, by the next incarnation", async () => {
  const name = "note-crash";
  await script(name, [{ text: "Noted." }, { hang: true }, { text: "Hello." }]);
  await tell(name, "Remember the crash of the note");
  let told = 0;
  const slow = definePlugin({
    name: "slow",
    summary: "Holds the note up",
    hooks: {
      "command:new": {
        priority: 1,
        run() {
          told++;
          return new Promise(() => {});
        },
      },
    },
  });
  const kill = async () => {
    const killed = runInDurableObject(await stubOf(name), (_, state) => state.abort("killed by a test"));
    await expect(killed).rejects.toThrow("killed by a test");
  };
  await kill();
  await plug(name, [slow]);
  const { runId } = await say("/new", name, session(name));
  await waitFor(async () => told === 1);
  await kill();
  expect(await notesOf("crash-of-the-note")).toEqual([]);
  await runDurableObjectAlarm(await stubOf(name));
  await waitFor(async () => (await asked(name)).length === 2);
  expect(await notesOf("crash-of-the-note")).toHaveLength(1);
  await kill();
  await runDurableObjectAlarm(await stubOf(name));
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Hello." });
  const notes = await notesOf("crash-of-the-note");
  expect(notes).toHaveLength(1);
  expect(
    (await env.FILES.list({ prefix: "versions/main/" })).objects.filter(({ key }) => key.includes("crash")),
  ).toEqual([]);
});

test("the model's reasoning is in no note of a conversation", async () => {
  const name = "note-thoughts";
  await script(name, [{ text: "<think>They must not know.</think>The meeting is at nine." }, { text: "Hi." }]);
  await tell(name, "When is the quarterly meeting");
  await tell(name, "/new");
  const note = await textOf((await notesOf("when-is-the-quarterly-meeting"))[0]);
  expect(note).toContain("**assistant:**\n> The meeting is at nine.");
  expect(note).not.toContain("They must not know");
});
