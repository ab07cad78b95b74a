import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SUMMARY_SYSTEM } from "../../src/agent/summary-prompt.ts";
import { defineTool } from "../../src/agent/tool.ts";
import { dropPrompts } from "../../src/session-store/prompt-rows.ts";
import { openStore } from "../../src/session-store/store.ts";
import type { PromptPreview } from "../../src/turn/preview/preview-turn.ts";
import type { RunPrompt } from "../../src/turn/preview/run-prompt.ts";
import { asked, call, finished, say, script, waitFor } from "./client.ts";
import { keepShort, talked, words } from "./context-lab.ts";
import { sha256, turn } from "./plugin-lab.ts";
import { countRows } from "./row-counter.ts";
import { arm, configure, evict, filesOf, kill, rewrite, session, sql, stubOf } from "./session-lab.ts";

const BOUNDARY = "<!-- ISOPOD_CACHE_BOUNDARY -->\n\n";
const DAY_MS = 86_400_000;

async function promptOf(runId: string, hash?: string): Promise<RunPrompt> {
  const response = await call("GET", `/v1/runs/${runId}/prompt${hash === undefined ? "" : `?hash=${hash}`}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/** A prompt as a model would be sent it. */
function asSent({ text, tools }: PromptPreview | RunPrompt) {
  const functions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { system: text.replace(BOUNDARY, ""), tools: functions };
}

/** What a model was sent in a request, besides the conversation. */
function sent(request: { body: any } | undefined) {
  const tools = request!.body.tools.map(({ function: { name, description, parameters } }: any) => {
    return { name, description, parameters };
  });
  return { system: request!.body.messages[0].content, tools };
}

/** A tool that nobody may use without being asked. */
const launch = defineTool({
  name: "launch",
  summary: "Launch",
  description: "Launches.",
  parameters: z.strictObject({}),
  replay: "unsafe",
  sequential: true,
  approval: () => "Launch?",
  run: async () => ({ text: "launched" }),
});

/** Does something while a file of the workspace says something else. */
async function withFile<Result>(path: string, text: string, work: () => Promise<Result>): Promise<Result> {
  const file = `/v1/agents/main/workspace/${path}`;
  const before = await (await call("GET", file)).text();
  await call("PUT", file, text);
  const result = await work();
  await call("PUT", file, before);
  return result;
}

/** A turn with hooks of a plugin. Gives its run. */
async function plugged(name: string, hooks: Parameters<typeof turn>[1]): Promise<string> {
  const run: { runId?: string } = await turn(name, hooks);
  return run.runId ?? "";
}

async function keptRows(name: string): Promise<{ hash: string; text: string | null; spill: string | null }[]> {
  return sql(name, "select hash, text, spill from prompts order by created_at, hash");
}

/** One turn that ends well. Gives its run. */
async function answered(name: string, more: object = {}): Promise<string> {
  await script(name, [{ text: "Fine." }]);
  const { runId } = await say("How are you?", name, { ...session(name), ...more });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  return runId;
}

describe("the prompt of a past run", () => {
  test("is what the model was sent, byte for byte, and what a look at such a turn shows", async () => {
    const runId = await answered("kept");
    const shown = await promptOf(runId);
    expect(asSent(shown)).toEqual(sent((await asked("kept"))[0]));
    expect(shown).toMatchObject({ runId, purpose: "turn", model: "fake/kept", earlier: [], summaries: [] });
    expect(await sha256(shown.text)).toBe(shown.hash);
    expect(await finished(runId)).toMatchObject({ prompt: { hash: shown.hash } });

    const query = new URLSearchParams({ session: session("kept").sessionKey, model: "fake/kept" });
    const look = await (await call("GET", `/v1/agents/main/prompt?${query}`)).json<PromptPreview>();
    const { seeded: _, warnings: __, skills: ___, ...view } = look;
    expect(shown).toMatchObject(view as object);
    const plain = await call("GET", `/v1/runs/${runId}/prompt`, undefined, { Accept: "text/plain" });
    expect(await plain.text()).toBe(look.text);
  });

  test("is kept once, however many turns are sent it, and a warm turn writes nothing for it", async () => {
    const first = await promptOf(await answered("once"));
    expect((await keptRows("once")).map(({ text }) => text)).toHaveLength(3);
    const ran = await countRows("once");
    const second = await promptOf(await answered("once"));
    expect(ran().filter(({ query }) => query.includes('insert into "prompts"'))).toEqual([]);
    expect(second).toEqual({ ...first, runId: second.runId });
    await evict("once");
    await answered("once");
    expect(await keptRows("once")).toHaveLength(3);

    const third = await withFile("TOOLS.md", "The camera is called north.", async () =>
      promptOf(await answered("once")),
    );
    expect(third.text).toContain("The camera is called north.");
    expect(third.stableHash).not.toBe(first.stableHash);
    expect(await keptRows("once")).toHaveLength(4);
    expect(await promptOf(first.runId)).toEqual(first);
  });

  test("has what plugins put there, and says so", async () => {
    await script("plugged", [{ text: "ok" }]);
    const runId = await plugged("plugged", {
      before_prompt_build: { run: () => ({ prependContext: "It is raining." }) },
    });
    const shown = await promptOf(runId);
    expect(asSent(shown)).toEqual(sent((await asked("plugged"))[0]));
    const section = shown.sections.find(({ layer }) => layer === "below");
    expect(section).toMatchObject({ text: "It is raining.", source: { kind: "plugin", name: "tester" } });
  });

  test("is that of the run that a message joined", async () => {
    await script("joining", [{ calls: [{ name: "ls", args: {} }], delayMs: 150 }, { text: "Both." }]);
    const { runId } = await say("One", "joining", session("joining"));
    await waitFor(async () => (await asked("joining")).length > 0);
    const joiner = await say("Two", "joining", session("joining"));
    await finished(runId);
    expect(await promptOf(joiner.runId)).toMatchObject({ runId, purpose: "turn" });
  });

  test("is shown while the run is at work", async () => {
    await script("working", [{ text: "Slow.", delayMs: 400 }]);
    const { runId } = await say("Go", "working", session("working"));
    await waitFor(async () => (await asked("working")).length > 0);
    expect(asSent(await promptOf(runId))).toEqual(sent((await asked("working"))[0]));
    await finished(runId);
  });

  test("stays the same over a crash", async () => {
    await script("crash", [
      { calls: [{ name: "ls", args: {} }] },
      { text: "Slow.", delayMs: 60_000 },
      { text: "Done." },
    ]);
    const { runId } = await say("Go", "crash", session("crash"));
    await waitFor(async () => (await asked("crash")).length === 2);
    const before = await promptOf(runId);
    await kill("crash");
    await waitFor(async () => (await asked("crash")).length === 3);
    await finished(runId);
    expect(await promptOf(runId)).toEqual(before);
  });

  test("is the last one where it changed while a person was asked, and the one before can be asked for", async () => {
    await arm("paused", [launch]);
    await script("paused", [{ calls: [{ name: "launch", args: {} }] }, { text: "Launched." }]);
    const { runId } = await say("Launch", "paused", session("paused"));
    const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
    await waitFor(async () => (await view()).status === "waiting_approval");
    const first = await promptOf(runId);
    await withFile("TOOLS.md", "Launch with care.", async () => {
      await call("POST", `/v1/approvals/${(await view()).approvals[0].id}`, { decision: "allow-once" });
      await finished(runId);
    });
    const last = await promptOf(runId);
    expect(last.earlier).toEqual([{ hash: first.hash, model: "fake/paused" }]);
    expect(await promptOf(runId, first.hash)).toEqual(first);
    const requests = await asked("paused");
    expect([first, last].map(asSent)).toEqual(requests.map(sent));
    expect(last.text).toContain("Launch with care.");
  });

  test("is that of the model that took over, in whose words it is, and what the first was sent is there, too", async () => {
    await configure("taken", (config) => {
      const model = { primary: "fake/taken", fallbacks: ["fake/gpt-5-taken"] };
      config.agents.defaults = { ...config.agents.defaults, model };
      return config;
    });
    await script("taken", [{ status: 500, body: { error: { message: "It is broken." } } }]);
    await script("gpt-5-taken", [{ text: "I am here." }]);
    const response = await call("POST", "/v1/agent", { message: "Hello", ...session("taken") });
    const { runId } = await response.json<{ runId: string }>();
    expect(await finished(runId)).toMatchObject({ status: "ok", model: "fake/gpt-5-taken" });
    const last = await promptOf(runId);
    expect(last.earlier).toMatchObject([{ model: "fake/taken" }]);
    const first = await promptOf(runId, last.earlier[0]!.hash);
    expect(asSent(first)).toEqual(sent((await asked("taken"))[0]));
    expect(asSent(last)).toEqual(sent((await asked("gpt-5-taken"))[0]));
    expect(last.sections.find(({ name }) => name === "interaction-style")?.source).toEqual({
      kind: "provider",
      name: "gpt-5",
    });
  });

  test("of a summary is that of whoever wrote it", async () => {
    await talked("summed", [words(4000), words(4000), words(300)]);
    await keepShort("summed", { keepRecentTokens: 500 });
    await script("summed", [{ text: "They talked." }]);
    const { runId } = await say("/compact", "summed", session("summed"));
    expect(await finished(runId)).toMatchObject({ status: "ok" });
    const shown = await promptOf(runId);
    expect(shown).toMatchObject({ purpose: "summary", text: SUMMARY_SYSTEM, tools: [] });
    expect(shown.summaries).toMatchObject([{ model: "fake/summed", system: SUMMARY_SYSTEM }]);
    expect((await asked("summed"))[0]!.body.messages[0].content).toBe(SUMMARY_SYSTEM);
  });

  test("is not there where no model was asked", async () => {
    await answered("silent");
    const { runId } = await say("/status", "silent", session("silent"));
    const response = await call("GET", `/v1/runs/${runId}/prompt`);
    const { error } = await response.json<any>();
    expect([response.status, error.message]).toEqual([404, expect.stringContaining("has asked no model")]);
    const other = await call("GET", `/v1/runs/${await answered("silent")}/prompt?hash=abc`);
    expect(other.status).toBe(404);
    expect((await call("GET", `/v1/runs/run_${"0".repeat(52)}/prompt`)).status).toBe(404);
  });
});

describe("what is kept of prompts", () => {
  test("goes to R2 where it is too large for a row, and is there as it was sent", async () => {
    const long = "A line of a long rule.\n".repeat(60_000);
    await script("long-kept", [{ text: "ok" }]);
    const runId = await plugged("long-kept", { before_prompt_build: { run: () => ({ systemPrompt: long }) } });
    expect((await keptRows("long-kept")).filter(({ text }) => text === null)).toHaveLength(1);
    expect(await filesOf("long-kept")).toHaveLength(1);
    expect((await promptOf(runId)).text).toBe(long);
    await call("DELETE", `/v1/sessions/${session("long-kept").sessionKey}`);
    expect(await filesOf("long-kept")).toEqual([]);
    expect((await call("GET", `/v1/runs/${runId}/prompt`)).status).toBe(404);
  });

  test("goes with the last run that names it, and what is still being sent stays", async () => {
    await configure("tidy", (config) => ({ ...config, session: { retention: { days: 30 } } }));
    const old = await answered("tidy", { thinking: "high" });
    const kept = await answered("tidy");
    await new Promise((resolve) => setTimeout(resolve, 350));
    await runDurableObjectAlarm(await stubOf("tidy"));
    const at = Date.now() - 31 * DAY_MS;
    await sql("tidy", "update prompts set created_at = ?", at);
    await sql("tidy", "update messages set body = json_set(body, '$.at', ?)", at);
    await sql("tidy", "update runs set accepted_at = ? where id = ?", at, old);
    await sql("tidy", "delete from messages where run_id = ?", old);
    expect(await keptRows("tidy")).toHaveLength(4);
    await rewrite("tidy", "update session set tidied_at = 0");
    const now = await answered("tidy");
    await waitFor(async () => (await keptRows("tidy")).length === 3);
    expect((await call("GET", `/v1/runs/${old}/prompt`)).status).toBe(404);
    expect((await promptOf(now)).hash).toBe((await promptOf(kept)).hash);
    await sql("tidy", "delete from prompts");
    expect((await call("GET", `/v1/runs/${now}/prompt`)).status).toBe(410);
  });

  test("stays while it is being sent, though no run names it yet, and where a run cannot be read", async () => {
    const runId = await answered("sending");
    const run = (await sql<{ state: string }>("sending", "select state from runs where id = ?", runId))[0]!;
    const { stable, dynamic, tools } = JSON.parse(run.state).prompts[0];
    for (const state of ["no JSON", '{"status":"ok","prompts":["x"]}', '{"status":"ok","prompts":{"stable":1}}']) {
      await sql("sending", "update runs set state = ?", state);
      const inUse = new Set<string>([stable, dynamic]);
      const left = await runInDurableObject(await stubOf("sending"), (_, ctx) => {
        dropPrompts(openStore(ctx), Date.now() + 1, inUse);
        return ctx.storage.sql.exec<{ hash: string }>("select hash from prompts").toArray();
      });
      expect(new Set(left.map(({ hash }) => hash))).toEqual(inUse);
    }
    expect(tools).toHaveLength(64);
  });

  test("is in an export where that is wanted", async () => {
    const runId = await answered("exported");
    const path = `/v1/sessions/${session("exported").sessionKey}/export`;
    const read = async (query: string) => {
      const lines = (await (await call("GET", `${path}${query}`)).text()).trim().split("\n");
      return lines.map((line) => JSON.parse(line));
    };
    expect(await read("")).toHaveLength(2);
    const lines = await read("?prompts=true");
    expect(lines.slice(0, 2)).toEqual(await read(""));
    const { hash, text } = await promptOf(runId);
    const run = lines.find(({ kind }) => kind === "run");
    expect(run).toMatchObject({ runId, prompts: [{ hash, model: "fake/exported" }] });
    const texts = new Map(lines.filter(({ kind }) => kind === "prompt").map((line) => [line.hash, line.text]));
    const { stable, dynamic, tools } = run.prompts[0];
    expect(`${texts.get(stable)}\n\n${BOUNDARY}${texts.get(dynamic)}`).toBe(text);
    expect(JSON.parse(texts.get(tools)!).map(({ name }: any) => name)).toContain("read");
    expect((await call("GET", `${path}?prompts=yes`)).status).toBe(400);
  });
});
