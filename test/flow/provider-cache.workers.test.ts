import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { newRunId, objectNameOf } from "../../src/config/session-ids.ts";
import { asked, call, finished, script } from "./client.ts";
import { evictKey, untilSaid } from "./family-lab.ts";

/** Most characters of all tools that a model is told of. */
const MAX_TOOL_CHARS = 18_000;
const MAIN = "agent:main:main";
const OTHER = "agent:main:hook:cache-other";
const TELEGRAM = { channel: "telegram", accountId: "default", conversationId: "4977", kind: "direct" } as const;

/** A turn that comes in by another way than the API: `target` is where its reply goes. */
async function accepted(text: string, model: string, target?: typeof TELEGRAM): Promise<void> {
  const name = await objectNameOf(MAIN);
  const stub = env.SESSIONS.getByName(name);
  const runId = newRunId(name, Date.now());
  await stub.accept({
    ...{ sessionKey: MAIN, agentId: "main", runId },
    ...(target && { target }),
    input: { text, sender: { id: "42", name: "Ada", owner: true }, timeoutSeconds: 0, model },
  });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
}

/** A turn of the owner by the API. */
async function asks(message: string, model: string, sessionKey = MAIN): Promise<void> {
  const response = await call("POST", "/v1/agent", { message, model, sessionKey });
  const { runId } = await response.json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({ status: "ok" });
}

/** Every kind of turn of one agent, over a death of its session, and gives what the model was asked in them. */
async function everyTurn(provider: string, scenario: string) {
  const model = `${provider}/${scenario}`;
  const child = `${provider}/${scenario}-child`;
  const spawn = { name: "sessions_spawn", args: { task: "Count.", label: "count", model: child } };
  await script(`${scenario}-child`, [{ text: "Six." }]);
  await script(scenario, [
    { text: "Let me look.", calls: [{ name: "ls", args: { path: "" } }] },
    { text: "There is much." },
    { text: "From Telegram: yes." },
    { calls: [spawn] },
    { text: "Started." },
    { text: "It counted: six." },
    { text: "NO_REPLY" },
    { text: "After a death." },
    { text: "Elsewhere." },
  ]);
  // An announcement is answered by the model of the session.
  await asks(`/model ${model}`, model);
  await asks("What is there?", model);
  await accepted("And from here?", model, TELEGRAM);
  await asks("Count, please.", model);
  await untilSaid(MAIN, "It counted: six.");
  await accepted("Read HEARTBEAT.md if it exists and follow it strictly.", model);
  await evictKey(MAIN);
  await asks("Are you still there?", model);
  await asks("And you?", model, OTHER);
  const requests = (await asked(scenario)).map(({ body }) => body);
  expect(requests).toHaveLength(9);
  const toolChars = JSON.stringify(requests[0].tools).length;
  console.log(`${provider}: ${requests[0].tools.length} tools in ${toolChars} characters`);
  expect(toolChars).toBeLessThanOrEqual(MAX_TOOL_CHARS);
  return requests;
}

/** How many characters of a text another one begins with. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

test("Anthropic reads tools and stable prompt from its cache in every kind of turn, after a death, and in another session", async () => {
  const requests = await everyTurn("anthropic", "cache-messages");
  const kept = requests.map(({ tools, system }) => JSON.stringify([tools, system[0]]));
  expect(new Set(kept).size).toBe(1);
  for (const { system, messages, tools } of requests) {
    expect(system[0].cache_control).toEqual({ type: "ephemeral" });
    expect(messages.at(-1).content.at(-1).cache_control).toEqual({ type: "ephemeral" });
    expect(JSON.stringify([tools, system, messages]).match(/"cache_control"/g)).toHaveLength(2);
  }
  // Within a run, what the first request ended with is read from the cache by the second.
  const plain = requests.map((body) =>
    JSON.stringify(body.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ""),
  );
  expect(plain[1]!.startsWith(plain[0]!.slice(0, -1))).toBe(true);
  console.log(
    `Anthropic: ${kept[0]!.length} of ${JSON.stringify(requests[0]).length} characters are read in every turn`,
  );
});

test("OpenAI is given one key and one beginning in every kind of turn, after a death, and in another session", async () => {
  const requests = await everyTurn("responses", "cache-responses");
  const kept = requests.map(({ instructions, tools }) => JSON.stringify([instructions, tools]));
  expect(new Set(kept).size).toBe(1);
  expect(new Set(requests.map((body) => body.prompt_cache_key))).toEqual(new Set(["main"]));
  const inputs = requests.map(({ input }) => JSON.stringify(input));
  expect(sharedLength(inputs[0]!, inputs[1]!)).toBeGreaterThanOrEqual(inputs[0]!.length - 1);
});
