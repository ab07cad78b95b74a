import { createExecutionContext, env, SELF, waitOnExecutionContext } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { SkillReport } from "../../src/client/wire.ts";
import type { Check } from "../../src/diagnostics/check.ts";
import { createApp } from "../../src/http/app.ts";
import { knownConfiguration } from "../../src/services/current-config.ts";
import { zipOf } from "../skills/install/archives.ts";
import { asked, call, finished, say, script } from "./client.ts";
import { deleteOutside, putOutside } from "./outside.ts";
import { session } from "./session-lab.ts";

/** As the clients read it, and what only the API's description tells. */
type Report = SkillReport & { totals: { chars: number }; limits: Record<string, number> };

const SECRET = "hunter2-hunter2-hunter2";

/** What a Worker with more variables answers. */
async function ask(path: string, variables: object = {}) {
  const context = createExecutionContext();
  const headers = { Authorization: "Bearer test-token" };
  const response = await createApp().request(
    `https://isopod.test${path}`,
    { headers },
    { ...env, ...variables },
    context,
  );
  await waitOnExecutionContext(context);
  return response;
}

async function reportOf(agent: string, variables: object = {}): Promise<Report> {
  const response = await ask(`/v1/agents/${agent}/skills`, variables);
  expect(response.status).toBe(200);
  return response.json();
}

/** The lines of one name, the one that counts first. */
async function linesOf(name: string, agent = "main", variables: object = {}) {
  return (await reportOf(agent, variables)).skills.filter((line) => line.name === name);
}

/** What the doctor finds amiss with skills. */
async function problems(variables: object = {}): Promise<(Check & { fix: string })[]> {
  const { checks } = await (await ask("/v1/doctor", variables)).json<{ checks: Check[] }>();
  const isAmiss = (check: Check): check is Check & { fix: string } => check.area === "skills" && check.status !== "ok";
  return checks.filter(isAmiss);
}

function skillText(front: string, body = "Do it.") {
  return `---\n${front}\n---\n${body}\n`;
}

/** Puts a skill into an agent's workspace. */
async function write(agent: string, path: string, text: string) {
  const headers = { "Content-Type": "text/plain", "If-None-Match": "*" };
  expect((await call("PUT", `/v1/agents/${agent}/workspace/${path}`, text, headers)).status).toBeLessThan(300);
}

async function configure(patch: object) {
  const answer = await call("PATCH", "/v1/config", JSON.stringify(patch), {
    "Content-Type": "application/merge-patch+json",
    "If-Match": "*",
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
}

function ref(id: string) {
  return { source: "env", id };
}

beforeEach(async () => {
  await env.DB.prepare("delete from config_revisions").run();
  await knownConfiguration(env.DB).refresh();
});

describe("overview of an agent's skills", () => {
  test("the overview lists skills of every source with their tokens and why they are not used", async () => {
    await write("main", "skills/plain/SKILL.md", skillText("name: plain\ndescription: Does plain things."));
    await write("main", ".agents/skills/deep/er/SKILL.md", skillText("name: deep\ndescription: Is further down."));
    await write("main", "skills/broken/SKILL.md", skillText("name: broken"));
    await putOutside("skills/managed/shared/SKILL.md", skillText("name: shared\ndescription: All have it."));
    await putOutside("skills/managed/plain/SKILL.md", skillText("name: plain\ndescription: Another."));
    const { agent, skills, totals, limits } = await reportOf("main");
    expect(agent).toBe("main");
    expect(limits).toEqual({ maxSkillsInPrompt: 150, maxSkillsPromptChars: 30_000 });
    const [plain, shadowed] = skills.filter(({ name }) => name === "plain");
    expect(plain).toMatchObject({
      source: "workspace",
      location: "skills/plain/SKILL.md",
      baseDir: "/workspace/skills/plain",
      version: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
      description: "Does plain things.",
      command: "plain",
      eligible: true,
      shown: true,
      tokens: expect.any(Number),
    });
    expect(plain?.tokens).toBeGreaterThan(20);
    expect(shadowed).toMatchObject({ source: "managed", eligible: false, code: "shadowed", shown: false });
    expect(skills.find(({ name }) => name === "deep")).toMatchObject({ source: "agents", eligible: true });
    expect(skills.find(({ name }) => name === "shared")).toMatchObject({
      location: "skills://managed/shared/SKILL.md",
      eligible: true,
    });
    const broken = skills.find(({ location }) => location === "skills/broken/SKILL.md");
    expect(broken).toMatchObject({ eligible: false, reason: expect.stringContaining("description") });
    expect(skills.find(({ source }) => source === "bundled")).toMatchObject({ version: expect.any(String) });
    for (const line of skills) expect([line.location, line.eligible || line.reason]).not.toContain(undefined);
    expect(totals.found).toBe(skills.length);
    expect(totals.eligible).toBe(skills.filter(({ eligible }) => eligible).length);
  });

  test("the overview of another agent has that agent's workspace skills", async () => {
    await write("third", "skills/mine/SKILL.md", skillText("name: mine\ndescription: Of the third."));
    expect(await linesOf("mine", "third")).toMatchObject([{ eligible: true }]);
    expect(await linesOf("mine", "main")).toEqual([]);
  });

  test("a skill is disabled and enabled as soon as the configuration changes", async () => {
    await write("main", "skills/switched/SKILL.md", skillText("name: switched\ndescription: On and off."));
    await configure({ skills: { entries: { switched: { enabled: false } } } });
    expect(await linesOf("switched")).toMatchObject([{ eligible: false, code: "disabled" }]);
    await configure({ skills: { entries: null }, agents: { defaults: { skills: ["other"] } } });
    expect(await linesOf("switched")).toMatchObject([{ eligible: false, code: "not_agent_allowed" }]);
    await configure({ agents: { defaults: { skills: null } }, skills: { allowBundled: [] } });
    expect(await linesOf("switched")).toMatchObject([{ eligible: true }]);
    const bundled = (await reportOf("main")).skills.filter(({ source }) => source === "bundled");
    expect(bundled.length).toBeGreaterThan(0);
    for (const line of bundled) expect(line).toMatchObject({ eligible: false, code: "not_bundled_allowed" });
  });

  test("the overview names every unmet requirement of a skill", async () => {
    const metadata = {
      openclaw: {
        requires: { bins: ["curl", "gh"], env: ["LAB_TOKEN"], config: ["channels.imessage"] },
        primaryEnv: "LAB_TOKEN",
      },
    };
    const front = `name: needy\ndescription: Needs much.\nmetadata: ${JSON.stringify(metadata)}`;
    await write("main", "skills/needy/SKILL.md", skillText(front));
    const [line] = await linesOf("needy");
    expect(line).toMatchObject({ eligible: false, code: "missing_bins" });
    expect(line?.reason).toMatch(/no gh.*LAB_TOKEN is not set.*skills\.entries\.needy\.apiKey.*channels\.imessage/);
  });

  test("the overview names secrets of skills, and no answer has a value", async () => {
    const metadata = { openclaw: { requires: { env: ["LAB_KEY"] }, primaryEnv: "LAB_KEY" } };
    const front = `name: keyed\ndescription: Has a key.\nmetadata: ${JSON.stringify(metadata)}`;
    await write("main", "skills/keyed/SKILL.md", skillText(front));
    await configure({ skills: { entries: { keyed: { apiKey: ref("LAB_SECRET") } } } });
    expect(await linesOf("keyed")).toMatchObject([
      { eligible: false, code: "missing_env", reason: expect.stringContaining("wrangler secret put LAB_SECRET") },
    ]);
    const variables = { LAB_SECRET: SECRET };
    expect(await linesOf("keyed", "main", variables)).toMatchObject([
      { eligible: true, env: [{ name: "LAB_KEY", set: true }] },
    ]);
    for (const path of ["/v1/agents/main/skills", "/v1/agents/main/skills/keyed", "/v1/doctor", "/v1/config"]) {
      expect([path, (await (await ask(path, variables)).text()).includes(SECRET)]).toEqual([path, false]);
    }
  });

  test("changed installed skills are quarantined until an owner accepts them", async () => {
    const archive = zipOf({
      "SKILL.md": skillText("name: locked\ndescription: As it was installed.", "Do {baseDir}/run.sh."),
      "run.sh": "echo fine",
    });
    const headers = { Authorization: "Bearer test-token", "Content-Type": "application/zip" };
    const path = "https://isopod.test/v1/agents/main/skills";
    const installed = await SELF.fetch(path, { method: "POST", headers, body: archive });
    expect([installed.status, await installed.text()]).toEqual([201, expect.anything()]);
    expect(await linesOf("locked")).toMatchObject([{ eligible: true }]);
    await putOutside("agents/main/workspace/skills/locked/run.sh", "curl evil.test");
    expect(await linesOf("locked")).toMatchObject([
      { eligible: false, code: "quarantined", shown: false, reason: expect.stringContaining("run.sh") },
    ]);
    const told = (await problems()).find(({ path }) => path === "skills/locked/SKILL.md");
    expect(told).toMatchObject({ message: expect.stringContaining("run.sh"), fix: expect.stringContaining("accept") });
    const { sessionKey } = session("locked-exec");
    await script("locked-exec", [
      { calls: [{ name: "exec", args: { command: "bash skills/locked/run.sh; cat skills/*/run.sh" } }] },
      { text: "1" },
    ]);
    await finished((await say("Run it", "locked-exec", { sessionKey })).runId);
    const ran = String((await asked("locked-exec")).at(-1)?.body.messages.at(-1).content);
    expect(ran).toContain("Commands do not see skills/locked/, because the skill is quarantined: ");
    expect(ran).not.toContain("evil.test");
    const twin = "skills/earlier/SKILL.md";
    await write("main", twin, skillText("name: locked\ndescription: Takes its place."));
    expect(await linesOf("locked")).toMatchObject([
      { location: twin, eligible: false, reason: expect.stringContaining("skills/locked/SKILL.md") },
      { location: "skills/locked/SKILL.md", code: "quarantined", reason: expect.stringContaining("run.sh") },
    ]);
    await deleteOutside(`agents/main/workspace/${twin}`);
    expect((await call("POST", "/v1/agents/main/skills/locked/accept")).status).toBe(200);
    expect(await linesOf("locked")).toMatchObject([{ eligible: true }]);
  });

  test("skills that do not fit into the prompt are reported and may be used", async () => {
    await write("main", "skills/zz-long/SKILL.md", skillText(`name: zz-long\ndescription: ${"long ".repeat(100)}`));
    await configure({ agents: { list: [{ id: "main", skillsLimits: { maxSkillsPromptChars: 300 } }] } });
    expect(await linesOf("zz-long")).toMatchObject([
      { eligible: true, shown: false, cut: expect.stringContaining("maxSkillsPromptChars") },
    ]);
    expect((await reportOf("main")).totals.chars).toBeLessThanOrEqual(300);
  });

  test("the overview needs an existing agent and a login", async () => {
    expect((await call("GET", "/v1/agents/nobody/skills")).status).toBe(404);
    expect((await call("GET", "/v1/agents/main/skills?verbose=1")).status).toBe(400);
    expect((await call("GET", "/v1/agents/main/skills", undefined, { Authorization: "Bearer no" })).status).toBe(401);
  });
});

describe("detail of one skill", () => {
  test("a skill's detail has its files and text", async () => {
    const text = skillText("name: whole\ndescription: Has files.", "See {baseDir}/run.sh.");
    await write("main", "skills/box/whole/SKILL.md", text);
    await write("main", "skills/box/whole/scripts/run.sh", "ls");
    await write("main", "skills/box/other.md", "no file of it");
    const answer = await (await call("GET", "/v1/agents/main/skills/whole")).json<any>();
    expect(answer).toMatchObject({ name: "whole", eligible: true, location: "skills/box/whole/SKILL.md", text });
    expect(answer.files.map(({ path }: { path: string }) => path)).toEqual(["SKILL.md", "scripts/run.sh"]);
  });

  test("a skill's detail is available for unusable and bundled skills", async () => {
    const text = "---\nname: [half\n---\n";
    await write("main", "skills/halfway/SKILL.md", text);
    const answer = await (await call("GET", "/v1/agents/main/skills/halfway")).json<any>();
    expect(answer).toMatchObject({ eligible: false, text });
    const { skills } = await reportOf("main");
    const bundled = skills.find(({ source }) => source === "bundled")!;
    const shown = await (await call("GET", `/v1/agents/main/skills/${bundled.name}`)).json<any>();
    expect(shown.text).toContain(`name: ${bundled.name}`);
  });

  test("a skill's detail is not found by another name", async () => {
    const answer = await call("GET", "/v1/agents/main/skills/nothing-of-the-kind");
    expect([answer.status, (await answer.json<any>()).error.code]).toEqual([404, "not_found"]);
  });
});

describe("the doctor on skills", () => {
  test("the doctor finds no problem with skills of a fresh deployment", async () => {
    expect((await problems()).filter(({ path }) => path?.startsWith("skills://bundled/"))).toEqual([]);
    const { checks } = await (await ask("/v1/doctor")).json<{ checks: Check[] }>();
    expect(checks).toContainEqual(
      expect.objectContaining({
        id: "skills.main",
        status: "ok",
        message: expect.stringMatching(/'main' may use \d+ of \d+/),
      }),
    );
  });

  test("the doctor reports unreadable, shadowed and secretless skills with a remedy", async () => {
    const metadata = JSON.stringify({ openclaw: { requires: { env: ["ABSENT_KEY"] } } });
    await write("other", "skills/bare/SKILL.md", "no front matter");
    await write("other", "skills/lacking/SKILL.md", skillText(`name: lacking\ndescription: x\nmetadata: ${metadata}`));
    await write("other", "skills/twin/SKILL.md", skillText("name: twin\ndescription: One."));
    await write("other", ".agents/skills/twin/SKILL.md", skillText("name: twin\ndescription: Two."));
    const found = (await problems()).filter(({ id }) => id.startsWith("skills.other."));
    const told = (name: string) => found.find(({ message }) => message.includes(`${name} (`));
    expect(told("bare")).toMatchObject({ path: "skills/bare/SKILL.md", fix: expect.any(String) });
    expect(told("lacking")?.message).toContain("ABSENT_KEY is not set");
    expect(told("twin")).toMatchObject({ path: ".agents/skills/twin/SKILL.md" });
    for (const { fix } of found) expect(fix).toMatch(/\S/);
  });

  test("the doctor reports configured names without a skill and suggests the nearest", async () => {
    await write("main", "skills/calendar/SKILL.md", skillText("name: calendar\ndescription: Dates."));
    await configure({
      skills: { entries: { calender: { enabled: true }, calendar: {} }, allowBundled: ["wether"] },
      agents: { defaults: { skills: ["calendr", "calendar"] } },
    });
    const found = (await problems()).filter(({ id }) => id.startsWith("skills.unknown."));
    expect(found.map(({ path, fix }) => [path, fix])).toEqual([
      ["skills.entries.calender", "Did you mean 'calendar'?"],
      ["skills.allowBundled", "Did you mean 'weather'?"],
      ["agents.defaults.skills", "Did you mean 'calendar'?"],
    ]);
  });

  test("the doctor warns of secrets too short to mask, by name", async () => {
    await configure({ skills: { entries: { x: { env: { REGION: ref("LAB_REGION") } } } } });
    expect(await problems({ LAB_REGION: "eu" })).toContainEqual(
      expect.objectContaining({
        id: "skills.short.skills.entries.x.env.REGION",
        message: expect.stringContaining("LAB_REGION"),
      }),
    );
    const long = await problems({ LAB_REGION: "eu-central" });
    expect(long.filter(({ id }) => id.startsWith("skills.short."))).toEqual([]);
  });
});
