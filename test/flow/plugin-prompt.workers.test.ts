import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { type AnyPlugin, definePlugin } from "../../src/plugins/plugin.ts";
import { asked, call, finished, historyOf, say, script } from "./client.ts";
import { auditOf, sha256, turn } from "./plugin-lab.ts";
import { plug, session } from "./session-lab.ts";

/** The system prompt of a request. */
function systemOf(request: { body: any } | undefined): string {
  return request?.body.messages[0].content;
}

test("what a plugin puts above the changing part of the prompt is what the model sees, and on the audit trail", async () => {
  await script("prompt-hooked", [{ text: "ok" }]);
  const { runId } = await turn("prompt-hooked", {
    before_prompt_build: { run: () => ({ prependContext: "It is raining." }) },
  });
  const system = systemOf((await asked("prompt-hooked"))[0]);
  expect(system).toMatch(/It is raining\.\n\n/);
  expect(system.indexOf("It is raining.")).toBeGreaterThan(system.indexOf("# Project Context"));
  expect(system.indexOf("It is raining.")).toBeLessThan(system.indexOf("## Runtime"));
  expect(await auditOf("prompt-hooked")).toMatchObject([
    {
      kind: "prompt",
      by: "tester",
      runId,
      subject: "prependContext",
      bytesBefore: 0,
      bytesAfter: 14,
      hash: await sha256("It is raining."),
    },
  ]);
});

test("a plugin may replace the whole prompt, and the last one that adds to it still does", async () => {
  await script("replace", [{ text: "ok" }]);
  await turn("replace", {
    before_prompt_build: { run: () => ({ systemPrompt: "You are a parrot." }) },
    before_agent_start: { run: ({ system }) => ({ prependContext: `After: ${system.stable}` }) },
  });
  expect(systemOf((await asked("replace"))[0])).toBe("You are a parrot.\n\nAfter: You are a parrot.");
  expect((await auditOf("replace", 2)).map(({ subject }) => subject)).toEqual(["systemPrompt", "prependContext"]);
});

test("a plugin's section stands above the runtime line, and one that throws is absent", async () => {
  await script("section", [{ text: "ok" }]);
  await turn(
    "section",
    {},
    {
      sections: {
        stable: [{ name: "house", modes: ["full"], render: ({ mode }) => `## House\nMode ${mode}.` }],
        dynamic: [
          { name: "mood", modes: ["full"], render: () => "## Mood\nGood." },
          { name: "minimal", modes: ["minimal"], render: () => "## Never here" },
          {
            name: "broken",
            modes: ["full"],
            render() {
              throw new Error("broken");
            },
          },
        ],
      },
    },
  );
  const headings = systemOf((await asked("section"))[0])
    .split("\n")
    .filter((line) => line.startsWith("#"));
  expect(headings.slice(-2)).toEqual(["## Mood", "## Runtime"]);
  expect(headings.indexOf("## House")).toBeGreaterThan(headings.indexOf("# Project Context"));
  expect(headings).not.toContain("## Never here");
  const lines = (await auditOf("section", 2)).map(({ by, subject }) => [by, subject]);
  expect(lines).toEqual([
    ["tester", "section tester/house"],
    ["tester", "section tester/mood"],
  ]);
});

test("of several plugins each adds its context, the last prompt stands, and the trail has what each found and left", async () => {
  const name = "several";
  await script(name, [{ text: "ok" }]);
  const says = (plugin: string, priority: number, answer: object) =>
    definePlugin({ name: plugin, summary: "Says", hooks: { before_prompt_build: { priority, run: () => answer } } });
  await plug(name, [
    says("last", -1, { systemPrompt: "Last words.", prependContext: "Three." }),
    says("first", 1, { systemPrompt: "First words, many of them.", prependContext: "One." }),
    says("between", 0, { prependContext: "Zwei — two." }),
  ]);
  const { runId } = await say("hello", name, session(name));
  await finished(runId);
  expect(systemOf((await asked(name))[0])).toBe("Last words.\n\nOne.\n\nZwei — two.\n\nThree.");
  const lines = await auditOf(name, 5);
  expect(lines.map(({ by, subject, bytesBefore, bytesAfter }) => [by, subject, bytesBefore, bytesAfter])).toEqual([
    ["first", "systemPrompt", expect.any(Number), 26],
    ["first", "prependContext", 0, 4],
    ["between", "prependContext", 4, 19],
    ["last", "systemPrompt", 26, 11],
    ["last", "prependContext", 19, 27],
  ]);
  expect(lines.at(-1)?.hash).toBe(await sha256("One.\n\nZwei — two.\n\nThree."));
});

test("a plugin's words for a model stand where it may put them, and are on the trail; one that throws says nothing", async () => {
  const name = "contributes";
  await script(name, [{ text: "ok" }]);
  await plug(name, [
    definePlugin({
      name: "house",
      summary: "Says",
      contribution: (model) =>
        model === `fake/${name}`
          ? {
              stablePrefix: "## House\nQuiet.",
              replace: { execution_bias: "## Bias\nNone." },
              dynamicSuffix: "## Mood\nGood.",
            }
          : undefined,
    }),
    definePlugin({
      name: "broken",
      summary: "Throws",
      contribution() {
        throw new Error("broken");
      },
    }),
  ]);
  const { runId } = await say("hello", name, session(name));
  await finished(runId);
  const headings = systemOf((await asked(name))[0]).match(/^## .*/gm) ?? [];
  expect(headings[0]).toBe("## House");
  expect(headings).toContain("## Bias");
  expect(headings).not.toContain("## Execution Bias");
  expect(headings.slice(-2)).toEqual(["## Mood", "## Runtime"]);
  expect((await auditOf(name, 3)).map(({ by, subject }) => [by, subject])).toEqual([
    ["house", "section house/provider-prefix"],
    ["house", "section house/execution-bias"],
    ["house", "section house/provider-suffix"],
  ]);
});

test("a plugin chooses the model that answers", async () => {
  await script("model-other", [{ text: "It is me." }]);
  const run = await turn("model", { before_model_resolve: { run: () => ({ modelOverride: "model-other" }) } });
  expect(run).toMatchObject({ status: "ok", model: "fake/model-other", reply: "It is me." });
  expect(await auditOf("model")).toMatchObject([
    { kind: "model", by: "tester", subject: "fake/model-other", detail: "instead of fake/model" },
  ]);
});

test("a model of a provider that is not configured is not taken, and the trail says why", async () => {
  await script("nowhere", [{ text: "Still me." }]);
  const run = await turn("nowhere", {
    before_model_resolve: { run: () => ({ providerOverride: "nowhere", modelOverride: "x" }) },
  });
  expect(run).toMatchObject({ status: "ok", model: "fake/nowhere", reply: "Still me." });
  expect(await auditOf("nowhere")).toMatchObject([
    { kind: "model", subject: "nowhere/x", detail: expect.stringContaining("'nowhere' is not configured") },
  ]);
});

test("files of the prompt may be added, replaced and left out, within the limits", async () => {
  await script("files-hooked", [{ text: "ok" }]);
  await turn("files-hooked", {
    "agent:bootstrap": {
      run: ({ files }) => ({
        files: [
          ...files.filter(({ path }) => path !== "SOUL.md"),
          { path: "HOUSE.md", content: "Be quiet after ten." },
          { path: "LONG.md", content: `${"x".repeat(30_000)}\0` },
        ],
      }),
    },
  });
  const system = systemOf((await asked("files-hooked"))[0]);
  expect(system).toContain("## HOUSE.md\nBe quiet after ten.");
  expect(system).not.toContain("## SOUL.md");
  expect(system).toMatch(/## LONG\.md\nx{14000}\n\n\[… 12001 of 30001 characters are left out here …\]\n\nx{3999}␀/);
  const lines = (await auditOf("files-hooked", 3)).map(({ subject, bytesAfter }) => [subject, bytesAfter]);
  expect(lines.sort()).toEqual([
    ["file HOUSE.md", 19],
    ["file LONG.md", 30_001],
    ["file SOUL.md", 0],
  ]);
});

test("a file that a plugin shows in other words counts as not read: it is not overwritten unseen", async () => {
  const name = "other-words";
  await call("PUT", "/v1/agents/main/workspace/TOOLS.md", "The drill is in the shed.");
  const write = (path: string) => ({ calls: [{ name: "write", args: { path, content: "New." } }] });
  await script(name, [write("TOOLS.md"), { text: "Done." }]);
  await turn(name, {
    "agent:bootstrap": {
      run: ({ files }) => ({
        files: files.map((file) => (file.path === "TOOLS.md" ? { path: "TOOLS.md", content: "No drill." } : file)),
      }),
    },
  });
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages[2]).toMatchObject({ role: "tool", isError: true });
  expect(await (await call("GET", "/v1/agents/main/workspace/TOOLS.md")).text()).toBe("The drill is in the shed.");
});

test("a model of a provider that a plugin brings answers where it says so", async () => {
  const name = "house";
  await script("house-model", [{ text: "From the house." }]);
  const providers: AnyPlugin["providers"] = {
    house: { baseUrl: `${env.TEST_MODEL_SERVER}/v1`, api: "anthropic-messages", headers: {}, models: [] },
  };
  const choose = { run: () => ({ providerOverride: "house", modelOverride: "house-model" }) };
  const run = await turn(name, { before_model_resolve: choose }, { providers });
  expect(run).toMatchObject({ status: "ok", model: "house/house-model", reply: "From the house." });
});
