import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import { RESTART_NOTICE } from "../../src/http/openai/resumable-text.ts";
import { asked, call, env, finished, historyOf, script, waitFor } from "./client.ts";
import { openai } from "./openai-client.ts";
import { arm, kill, session } from "./session-lab.ts";

const MODEL = "isopod/main";

/** What goes with a request so that a scenario of the fake model answers it in the session of the same name. */
function inSession(name: string) {
  return { headers: { "x-isopod-model": `fake/${name}`, "x-isopod-session-key": session(name).sessionKey } };
}

function says(content: string, more: object = {}) {
  return { model: MODEL, messages: [{ role: "user" as const, content }], ...more };
}

/** Reads the content of a stream; `saw` is called with it as it grows. */
async function read(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  saw?: (content: string) => Promise<void> | void,
) {
  let content = "";
  for await (const chunk of stream) {
    content += chunk.choices[0]?.delta.content ?? "";
    await saw?.(content);
  }
  return content;
}

test("an OpenAI stream continues without a gap when the session's object restarts", async () => {
  const text = "One two three four five six.";
  await script("restart-same", [{ text: "One two three four five", chunkSize: 4, gapMs: 100 }, { text }]);
  const stream = await openai().chat.completions.create(
    says("Count", { stream: true }) as never,
    inSession("restart-same"),
  );
  let killed = false;
  const content = await read(stream as never, async (sofar) => {
    if (killed || !sofar.includes("two")) return;
    killed = true;
    await kill("restart-same");
  });
  expect(killed).toBe(true);
  expect(content).toBe(text);
});

test("an OpenAI stream says so and starts again where the model answers differently after a restart", async () => {
  await script("restart-other", [{ text: "One two three four five", chunkSize: 4, gapMs: 100 }, { text: "Uno." }]);
  const stream = await openai().chat.completions.create(
    says("Count", { stream: true }) as never,
    inSession("restart-other"),
  );
  let killed = false;
  const content = await read(stream as never, async (sofar) => {
    if (killed || !sofar.includes("two")) return;
    killed = true;
    await kill("restart-other");
  });
  expect(content).toMatch(/^One two/);
  expect(content.endsWith(`${RESTART_NOTICE}Uno.`)).toBe(true);
});

test("an answer that is not streamed survives a restart of the object without a trace of it", async () => {
  await script("restart-whole", [{ text: "One two three", chunkSize: 4, gapMs: 300 }, { text: "Uno." }]);
  const answer = openai().chat.completions.create(says("Count"), inSession("restart-whole"));
  await waitFor(async () => (await asked("restart-whole")).length === 1);
  await kill("restart-whole");
  expect((await answer).choices[0]?.message.content).toBe("Uno.");
});

test("disconnecting from a stream stops a run in a session of its own, and no other run", async () => {
  await script("hang-alone", [{ text: "One two three four", chunkSize: 4, gapMs: 200 }]);
  await script("hang-user", [{ text: "One two three four", chunkSize: 4, gapMs: 100 }]);
  for (const [name, user] of [
    ["hang-alone", undefined],
    ["hang-user", "hang"],
  ] as const) {
    const body = says("Count", { stream: true, ...(user && { user }) });
    const headers = { headers: { "x-isopod-model": `fake/${name}` } };
    const { data, request_id } = await openai()
      .chat.completions.create(body as never, headers)
      .withResponse();
    for await (const chunk of data as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>) {
      if (chunk.choices[0]?.delta.content) break;
    }
    const run = await finished(request_id ?? "");
    expect([name, run.status]).toEqual([name, user === undefined ? "aborted" : "ok"]);
  }
  await waitFor(async () => (await asked("hang-alone"))[0]?.hungUp === true);
});

test("a message to a busy session joins the current run and gets its further text", async () => {
  await script("join-openai", [
    { text: "Working.", calls: [{ name: "ls", args: { path: "" } }], gapMs: 150, chunkSize: 2 },
    { text: "Both are done." },
  ]);
  const first = openai().chat.completions.create(says("One"), inSession("join-openai"));
  await waitFor(async () => (await asked("join-openai")).length === 1);
  const second = openai().chat.completions.create(says("Two"), inSession("join-openai"));
  expect((await first).choices[0]?.message.content).toBe("Working.\n\nBoth are done.");
  expect((await second).choices[0]?.message.content).toBe("Both are done.");
});

const launch = defineTool({
  name: "launch",
  summary: "Launch",
  description: "Launches.",
  parameters: z.looseObject({}),
  replay: "unsafe",
  sequential: true,
  approval: () => "Launch it?",
  run: async () => ({ text: "launched" }),
});

test("a run that waits for an approval is answered with the question, and so are the runs queued behind it", async () => {
  await arm("approve", [launch]);
  await script("approve", [{ text: "Let me.", calls: [{ name: "launch" }] }, { text: "Launched." }, { text: "Next." }]);
  const first = await openai().chat.completions.create(says("Launch"), inSession("approve")).withResponse();
  const content = first.data.choices[0]?.message.content ?? "";
  const approvalId = /\/v1\/approvals\/(apr_\w+)/.exec(content)?.[1];
  expect(content).toMatch(/^Let me\.\n\n\*\*I need your word[\s\S]*`launch`: Launch it\?/);
  expect(first.data.choices[0]?.finish_reason).toBe("stop");
  expect(first.data.usage).toMatchObject({ total_tokens: 15 });
  await waitFor(async () => {
    const rows = await env.DB.prepare("select id from approvals where id = ?").bind(approvalId).all();
    return rows.results.length === 1;
  });
  const behind = await read(
    (await openai().chat.completions.create(says("And?", { stream: true }) as never, inSession("approve"))) as never,
  );
  expect(behind).toContain(approvalId);
  const allowed = await openai().chat.completions.create(says("/approve allow-once"), inSession("approve"));
  expect(allowed.choices[0]?.message.content).toContain("launch");
  expect(await finished(first.request_id ?? "")).toMatchObject({ status: "ok" });
  const said = (await historyOf(session("approve").sessionKey)).messages;
  expect(JSON.stringify(said)).toContain("Launched.");
});

test("a stopped run is an error that official clients do not retry", async () => {
  await script("stopped-openai", [{ hang: true }]);
  const answer = openai({ maxRetries: 2 })
    .chat.completions.create(says("x"), inSession("stopped-openai"))
    .catch((error: unknown) => error);
  await waitFor(async () => (await asked("stopped-openai")).length === 1);
  await call("POST", `/v1/sessions/${encodeURIComponent(session("stopped-openai").sessionKey)}/abort`);
  expect(await answer).toBeInstanceOf(OpenAI.ConflictError);
  expect(await answer).toMatchObject({ code: "aborted" });
  expect(await asked("stopped-openai")).toHaveLength(1);
});

test("a message dropped in favour of a newer one is an error that says so", async () => {
  await call("POST", "/v1/agent", { message: "/queue interrupt", ...session("gives-way") });
  await script("gives-way", [{ hang: true }, { text: "Newest." }]);
  const first = openai()
    .chat.completions.create(says("1"), inSession("gives-way"))
    .catch((error: unknown) => error);
  await waitFor(async () => (await asked("gives-way")).length === 1);
  const last = await openai().chat.completions.create(says("2"), inSession("gives-way"));
  expect(last.choices[0]?.message.content).toBe("Newest.");
  expect(await first).toMatchObject({ status: 409 });
});
