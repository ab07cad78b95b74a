import { describe, expect, test } from "vitest";
import { asked, call, eventsOf, finished, say, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { evict, kill, session, sql } from "./session-lab.ts";
import { digestOf, prepare, putSkill, shown, skillText, turn, versionIn } from "./skills-lab.ts";

const QUIET = { load: { watch: false } };
const OFTEN = { load: { watchDebounceMs: 0 } };

/** What R2 was asked of skills, without the root of the workspace. */
function gets(calls: readonly string[]): string[] {
  return calls.filter((one) => one.startsWith("get ") && one.includes("SKILL.md"));
}

describe("skills of a session", () => {
  test("skills are scanned once and stored, and a warm turn lists nothing, also after eviction", async () => {
    const name = "skills-warm";
    await putSkill("warm-tea", "Makes tea.");
    await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
    const calls = await prepare(name, { skills: QUIET });
    const first = await turn(name);
    expect(first).toContain("<location>skills/warm-tea/SKILL.md</location>");
    await turn(name);
    calls.length = 0;
    expect(await turn(name)).toBe(first);
    expect(calls).toEqual([]);
    await evict(name);
    const later = await prepare(name, { skills: QUIET });
    expect(await turn(name)).toBe(first);
    expect(later).toEqual([]);
  });

  test("a changed SKILL.md takes effect one turn later with a new version", async () => {
    const name = "skills-changed";
    await putSkill("changed-tea", "Makes tea.", "Boil the water in {baseDir}.");
    const read = { calls: [{ name: "read", args: { path: "skills/changed-tea/SKILL.md" } }] };
    await script(name, [read, { text: "1" }, { text: "2" }, read, { text: "3" }]);
    await prepare(name, { skills: OFTEN });
    const before = await turn(name);
    const kept = await digestOf(name);
    await putSkill("changed-tea", "Makes tea.", "Pour it over the leaves.");
    await turn(name);
    await waitFor(async () => (await digestOf(name)) !== kept);
    const after = await turn(name);
    expect(versionIn(before, "changed-tea")).toMatch(/^sha256:[0-9a-f]{16}$/);
    expect(versionIn(after, "changed-tea")).not.toBe(versionIn(before, "changed-tea"));
    const [, first, , , last] = await asked(name);
    expect(String(first?.body.messages.at(-1).content)).toContain("Boil the water in /workspace/skills/changed-tea.");
    expect(String(last?.body.messages.at(-1).content)).toContain("Pour it over the leaves.");
    expect(String(last?.body.messages[0].content)).toContain("read it again");
  });

  test("skills changed through the API take effect in the next turn", async () => {
    const name = "skills-api";
    await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }]);
    await prepare(name, { skills: OFTEN });
    expect(await turn(name)).not.toContain("api-tea");
    const path = "/v1/agents/main/workspace/skills/api-tea/SKILL.md";
    expect((await call("PUT", path, skillText("api-tea", "Makes tea."))).status).toBe(201);
    expect(await turn(name)).toContain("<name>api-tea</name>");
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await turn(name)).not.toContain("api-tea");
  });

  test("without watching, skills stay the same for a conversation", async () => {
    const name = "skills-unwatched";
    await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }]);
    await prepare(name, { skills: QUIET });
    const first = await turn(name);
    const path = "/v1/agents/main/workspace/skills/unwatched-tea/SKILL.md";
    await call("PUT", path, skillText("unwatched-tea", "Makes tea."));
    expect(await turn(name)).toBe(first);
    expect(await turn(name, "/new")).toContain("<name>unwatched-tea</name>");
  });

  test("skills are gated in each turn, so that a disabled one is gone at once", async () => {
    const name = "skills-judged";
    await putSkill("judged-tea", "Makes tea.");
    await script(name, [{ text: "1" }, { text: "2" }]);
    await prepare(name, { skills: QUIET });
    expect(await turn(name)).toContain("judged-tea");
    const kept = await digestOf(name);
    await evict(name);
    const calls = await prepare(name, { skills: { ...QUIET, entries: { "judged-tea": { enabled: false } } } });
    expect(await turn(name)).not.toContain("judged-tea");
    expect([gets(calls), await digestOf(name)]).toEqual([[], kept]);
  });

  test("the skill snapshot is written only when skills change", async () => {
    const name = "skills-written";
    await script(name, [{ text: "1" }, { text: "2" }]);
    const calls = await prepare(name, { skills: OFTEN });
    await turn(name);
    const before = await sql(name, "select total_changes() as n, (select body from skill_scan) as body");
    calls.length = 0;
    await turn(name);
    await waitFor(async () => calls.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // One root in turn is looked at after a turn.
    expect(calls).toEqual(["list"]);
    expect(await sql(name, "select count(*) as n from skill_scan")).toEqual([{ n: 1 }]);
    expect(await sql(name, "select body from skill_scan")).toEqual(before.map(({ body }) => ({ body })));
  });

  test("sessions of one agent whose turns end together look for changed skills once", async () => {
    const names = Array.from({ length: 8 }, (_, n) => `skills-together-${n}`);
    for (const name of names) await script(name, [{ text: "1" }, { text: "2" }]);
    const calls = await Promise.all(names.map((name) => prepare(name, { skills: { load: { watchDebounceMs: 300 } } })));
    await Promise.all(names.map((name) => turn(name)));
    await new Promise((resolve) => setTimeout(resolve, 600));
    for (const made of calls) made.length = 0;
    await Promise.all(names.map((name) => turn(name)));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(calls.flat()).toEqual(["list"]);
  });

  test("only owners have skills, also in prompts of sub-agents", async () => {
    await putSkill("shown-tea", "Makes tea.");
    const look = async (query: string) => (await call("GET", `/v1/agents/main/prompt?${query}`)).json<any>();
    const owner = await look("");
    expect(owner.text).toContain("<name>shown-tea</name>");
    expect(owner.skills).toMatchObject({ cut: [] });
    expect(owner.skills.listed).toBe(owner.text.split("<skill>").length - 1);
    expect((await look("mode=minimal")).text).toContain("<name>shown-tea</name>");
    const stranger = await look("sender=other");
    expect(stranger.text).not.toContain("<skill>");
    expect(stranger.skills).toEqual({ eligible: 0, listed: 0, chars: 0, leftOut: 0, cut: [], notes: [] });
  });

  test("skills that do not fit into the list are reported", async () => {
    const name = "skills-cut";
    await putSkill("cut-tea", "Makes tea.");
    await script(name, [{ text: "1" }]);
    await prepare(name, { skills: { ...QUIET, limits: { maxSkillsInPrompt: 1 } } });
    expect((await turn(name)).split("<skill>")).toHaveLength(2);
    const key = encodeURIComponent(session(name).sessionKey);
    const { skills } = await (await call("GET", `/v1/sessions/${key}/context`)).json<any>();
    expect(skills).toMatchObject({ listed: 1 });
    expect(skills.cut.length).toBe(skills.eligible - 1);
    expect(skills.cut[0].reason).toContain("maxSkillsInPrompt");
    const { runId } = await say("/context", name, session(name));
    expect(await finished(runId)).toMatchObject({
      reply: expect.stringMatching(/Skills, part of the prompt: 1 listed, .* omitted for lack of space: /),
    });
  });
});

describe("skills while R2 does not answer", () => {
  const fails = (call: string) =>
    call.includes("/skills/down-") && new Error("get: We encountered an internal error. (10002)");

  test("a first turn uses the skills that R2 returned, and the next one has all", async () => {
    const name = "skills-down";
    let isDown = true;
    await putSkill("down-tea", "Makes tea.");
    await script(name, [{ text: "1" }, { text: "2" }]);
    await prepare(name, { skills: QUIET, fault: { before: (call) => isDown && fails(call) } });
    const first = await turn(name);
    expect(first).not.toContain("down-tea");
    expect(first).toContain("<name>skill-creator</name>");
    expect(await digestOf(name)).toBe("");
    isDown = false;
    expect(await turn(name)).toContain("<name>down-tea</name>");
  });

  test("the stored skills stay in use while R2 does not answer", async () => {
    const name = "skills-stay";
    let isDown = false;
    await putSkill("down-coffee", "Makes coffee.");
    await script(name, [{ text: "1" }, { text: "2" }, { text: "3" }]);
    await prepare(name, { skills: OFTEN, fault: { before: (call) => isDown && fails(call) } });
    const first = await turn(name);
    isDown = true;
    const path = "/v1/agents/main/workspace/skills/down-coffee/SKILL.md";
    await call("PUT", path, skillText("down-coffee", "Makes espresso."));
    expect(await turn(name)).toBe(first);
    isDown = false;
    expect(await turn(name)).toContain("Makes espresso.");
  });

  test("after a crash during a scan the run continues with its skills", async () => {
    const name = "skills-crash";
    await putSkill("crash-tea", "Makes tea.");
    await script(name, [{ text: "1" }]);
    const never = new Promise<void>(() => undefined);
    const hold = (call: string) => (call.includes("/crash-tea/") ? never : undefined);
    const calls = await prepare(name, { skills: QUIET, fault: { hold } });
    const { runId } = await say("hello", name, session(name));
    await waitFor(async () => calls.some((call) => call.includes("/crash-tea/")));
    await kill(name);
    expect(await finished(runId)).toMatchObject({ status: "ok" });
    expect(shown((await asked(name)).at(-1))).toContain("<name>crash-tea</name>");
    expect(await digestOf(name)).not.toBe("");
    expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: "lifecycle", phase: "end" });
  });
});

describe("a session with 300 skills", () => {
  const BULK = { limits: { maxSkillsLoadedPerSource: 300, maxSkillsInPrompt: 300, maxSkillsPromptChars: 200_000 } };

  test("300 skills are read at most six at once, and not at all in a warm turn", async () => {
    const name = "skills-bulk";
    // An agent of its own: what another session of the same one has read is not read again.
    const sessionKey = "agent:third:hook:skills-bulk";
    const root = "agents/third/workspace/skills/";
    const names = Array.from({ length: 300 }, (_, n) => `bulk-${String(n).padStart(3, "0")}`);
    await Promise.all(names.map((one) => putOutside(`${root}${one}/SKILL.md`, skillText(one, `Does ${one}.`))));
    await script(name, [{ text: "1" }, { text: "2" }]);
    let inFlight = 0;
    let most = 0;
    const hold = async (call: string) => {
      if (!call.includes("/bulk-")) return;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inFlight -= 1;
    };
    const calls = await prepare(name, { skills: { ...QUIET, ...BULK }, fault: { hold }, sessionKey });
    const first = await turn(name, "hello", { sessionKey });
    expect(names.filter((one) => !first.includes(`<name>${one}</name>`))).toEqual([]);
    expect([new Set(gets(calls).filter((one) => one.includes("/bulk-"))).size, most]).toEqual([300, 6]);
    calls.length = 0;
    expect(await turn(name, "hello", { sessionKey })).toBe(first);
    expect(calls).toEqual(["list"]);
  });
});
