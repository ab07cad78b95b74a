import { beforeAll, expect, test } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { asked, call, eventsOf, finished, historyOf, say, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { kill, session, stubOf } from "./session-lab.ts";

const ROOT = "agents/main/workspace/skills/";

/** Puts a skill into the workspace. */
async function skill(folder: string, front: string, text: string): Promise<void> {
  await putOutside(`${ROOT}${folder}/SKILL.md`, `---\n${front}\n---\n${text}\n`);
}

beforeAll(async () => {
  await skill(
    "weather",
    "name: weather\ndescription: Tells the weather.",
    "# Weather\nRun {baseDir}/ask.sh for the place.",
  );
  await skill("tianqi", "name: 天气\ndescription: 告诉你天气。", "查 {baseDir} 的天气。");
  await skill("status", "name: status\ndescription: Another status.", "Say how it stands.");
  await skill("shy", "name: shy\ndescription: Shy.\ndisable-model-invocation: true", "Only when called.");
  await skill("hidden", "name: hidden\ndescription: Hidden.\nuser-invocable: false", "Never called by people.");
  await skill("long", "name: long\ndescription: Long.", "x".repeat(25_000));
  const needs = 'metadata: {"openclaw": {"requires": {"env": ["NOBODY_SET_THIS", "NOR_THIS_ONE"]}}}';
  await skill("needy", `name: needy\ndescription: Needy.\n${needs}`, "Use it.");
});

/** Says something and waits for the answer. */
async function tell(name: string, message: string): Promise<{ status: string; reply: string; runId: string }> {
  const { runId } = await say(message, name, session(name));
  const run: any = await finished(runId);
  return run;
}

/** What a model was shown of the conversation, without the system prompt. */
function shown(request: { body: any } | undefined): string[] {
  return request?.body.messages.slice(1).map((message: any) => message.content) ?? [];
}

test("a skill command adds the skill's text for the model permanently, and users see only what they typed", async () => {
  const name = "calls-skill";
  await script(name, [{ text: "Sunny." }, { text: "You are welcome." }]);
  const { runId, reply } = await tell(name, "/weather Paris, in °C");
  expect(reply).toBe("Sunny.");
  await tell(name, "Thanks");
  const [first, second] = await asked(name);
  const [typed, note] = shown(first);
  expect(typed).toBe("/weather Paris, in °C");
  expect(note).toContain('[System] The user has called on the skill "weather" with /weather.');
  expect(note).toContain("What was typed after the command:\nParis, in °C");
  expect(note).toMatch(/<skill name="weather" location="skills\/weather\/SKILL\.md" version="sha256:[0-9a-f]{16}">/);
  expect(note).toContain("# Weather\nRun /workspace/skills/weather/ask.sh for the place.\n</skill>");
  expect(note).not.toContain("description:");
  expect(shown(second)).toEqual([typed, note, "Sunny.", "Thanks"]);
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const exported = await call("GET", `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}/export`);
  for (const told of [JSON.stringify(messages), await exported.text(), JSON.stringify(await eventsOf(runId))]) {
    expect(told).toContain("/weather Paris");
    expect(told).not.toContain("ask.sh");
  }
});

test.each([
  ["/weather@isopod_bot Paris", "weather", "Paris"],
  ["／weather Paris", "weather", "Paris"],
  ["/WEATHER\nParis", "weather", "Paris"],
  ["/skill weather Paris", "weather", "Paris"],
  ["/skill 天气 北京", "tianqi", "北京"],
  ["/天气 北京", "tianqi", "北京"],
  ["／天气　北京", "tianqi", "北京"],
  ["/tianqi 北京", "tianqi", "北京"],
  ["/status_2", "status", "Nothing was typed after the command"],
  ["/shy now", "shy", "now"],
  ["/new /weather Paris", "weather", "Paris"],
])("%s calls on the skill in %s", async (typed, folder, args) => {
  const name = `form-${[...typed].map((character) => character.codePointAt(0)?.toString(36)).join("")}`.slice(0, 60);
  await script(name, [{ text: "Done." }]);
  await tell(name, typed);
  const note = shown((await asked(name))[0]).at(-1);
  expect(note).toContain(`location="skills/${folder}/SKILL.md"`);
  expect(note).toContain(args);
});

test("the model is told to read a long skill instead of getting its text", async () => {
  await script("long-skill", [{ text: "Read." }]);
  await tell("long-skill", "/long");
  const note = shown((await asked("long-skill"))[0]).at(-1);
  expect(note).toContain("Before anything else, `read` skills/long/SKILL.md");
  expect(note?.length).toBeLessThan(1000);
});

test("a command for an unusable or unknown skill is answered with the reason and suggestions, without a model", async () => {
  const name = "refused-skill";
  await script(name, [{ text: "Text." }]);
  expect((await tell(name, "/needy now")).reply).toMatch(/^The skill `needy` cannot be used: .*NOBODY_SET_THIS/);
  expect((await tell(name, "/skill wether Paris")).reply).toMatch(
    /^There is no skill `wether`\. Do you mean `weather`/,
  );
  expect((await tell(name, "/skill hidden")).reply).toMatch(/not called on by people/);
  expect(await asked(name)).toHaveLength(0);
  expect((await tell(name, "/hidden now")).reply).toBe("Text.");
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages[1]).toMatchObject({ role: "assistant", model: "isopod/skills" });
  expect(shown((await asked(name))[0])).toHaveLength(7);
});

test("a slash word that matches no skill stays text, and so does a path", async () => {
  await script("unknown-skill", [{ text: "1" }, { text: "2" }]);
  await tell("unknown-skill", "/nothing here");
  await tell("unknown-skill", "/weather/today");
  expect(shown((await asked("unknown-skill"))[1])).toEqual(["/nothing here", "1", "/weather/today"]);
});

test("/skill and /help list skill commands, and /skill lists unusable skills with the reason", async () => {
  const list = (await tell("list-skills", "/skill")).reply;
  expect(list).toContain("/weather: Tells the weather.");
  expect(list).toContain("/tianqi (天气): 告诉你天气。");
  expect(list).toContain("/status_2 (status): Another status.");
  expect(list).toContain("Used by the agent only: `hidden`");
  expect(list).toMatch(/`needy`: .*NOBODY_SET_THIS.*…$/m);
  const help = (await tell("list-skills", "/help")).reply;
  expect(help).toContain("/skill: Run a skill");
  expect(help).toContain("/tianqi (天气): 告诉你天气。");
  expect((await tell("list-skills", "/help 天气")).reply).toBe("/tianqi (天气): 告诉你天气。");
});

test("skill commands of non-owners are ordinary text", async () => {
  const name = "stranger-skill";
  await script(name, [{ text: "Hm?" }]);
  const { sessionKey } = session(name);
  const runId = newRunId(await objectNameOf(sessionKey), Date.now());
  const sender = { id: "stranger", owner: false };
  const input = { text: "/weather Paris", sender, model: `fake/${name}`, timeoutSeconds: 60 };
  await (await stubOf(name)).accept({ runId, sessionKey, agentId: "main", input });
  await finished(runId);
  expect(JSON.stringify((await asked(name))[0]?.body.messages)).not.toContain("called on the skill");
});

test("a skill command during a run steers it, with the skill's text", async () => {
  const name = "steers-skill";
  await script(name, [{ calls: [{ name: "ls", args: {} }], delayMs: 300 }, { text: "Both done." }]);
  const first = await say("Look around", name, session(name));
  await waitFor(async () => (await asked(name)).length === 1);
  const second = await say("/weather Paris", name, session(name));
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "Both done." });
  expect(await finished(second.runId)).toMatchObject({ status: "joined" });
  const messages = shown((await asked(name))[1]);
  expect(messages.at(-2)).toBe("/weather Paris");
  expect(messages.at(-1)).toContain("/workspace/skills/weather/ask.sh");
});

test("an unusable skill command during a run is reported to the model once", async () => {
  const name = "steers-refused";
  await script(name, [{ calls: [{ name: "ls", args: {} }], delayMs: 300 }, { text: "I told you." }, { text: "." }]);
  const first = await say("Look around", name, session(name));
  await waitFor(async () => (await asked(name)).length === 1);
  await say("/needy now", name, session(name));
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: "I told you." });
  await tell(name, "And now?");
  const notes = shown((await asked(name))[2]).filter((text) => text?.includes("comes to nothing"));
  expect(notes).toEqual([expect.stringMatching(/^\[System\] .*The skill `needy` cannot be used: .*NOBODY_SET_THIS/)]);
});

test("after a crash the model sees the skill's text exactly once", async () => {
  const name = "crash-skill";
  await script(name, [{ hang: true }, { text: "Sunny." }]);
  const { runId } = await say("/weather Paris", name, session(name));
  await waitFor(async () => (await asked(name)).length === 1);
  await skill("weather", "name: weather\ndescription: Tells the weather.", "Changed meanwhile.");
  await kill(name);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Sunny." });
  const [before, after] = await asked(name);
  expect(shown(after)).toEqual(shown(before));
  expect(shown(after)).toHaveLength(2);
  await skill(
    "weather",
    "name: weather\ndescription: Tells the weather.",
    "# Weather\nRun {baseDir}/ask.sh for the place.",
  );
});
