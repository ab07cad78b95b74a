import { env, SELF } from "cloudflare:test";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";

const ORIGIN = "https://isopod.test";

/** Calls the Worker with the token. A body that is no text is sent as JSON. */
export function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return SELF.fetch(`${ORIGIN}${path}`, {
    method,
    headers: { Authorization: "Bearer test-token", ...(body !== undefined && JSON_HEADERS), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

const JSON_HEADERS = { "Content-Type": "application/json" };

/** Accepts a run for a model scenario. */
export async function say(message: string, scenario: string, more: object = {}) {
  const response = await call("POST", "/v1/agent", { message, model: `fake/${scenario}`, ...more });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<{ runId: string; sessionKey: string; sessionId: string; acceptedAt: number }>();
}

/** Waits for a run and gives it as it stands then. */
export async function finished(runId: string) {
  await call("GET", `/v1/agent/wait?runId=${runId}&timeoutMs=10000`).then((response) => response.arrayBuffer());
  return call("GET", `/v1/runs/${runId}`).then((response) => response.json<Record<string, never>>());
}

/** The transcript of a session. */
export async function historyOf(sessionKey: string) {
  const response = await call("GET", `/v1/sessions/${encodeURIComponent(sessionKey)}/history`);
  return response.json<{ messages: Record<string, never>[]; cursor: number; before?: number }>();
}

/** Says what the fake model answers in a scenario. */
export async function script(scenario: string, replies: ScriptedReply[]) {
  await fetch(`${env.TEST_MODEL_SERVER}/control/${scenario}`, { method: "PUT", body: JSON.stringify({ replies }) });
}

type Asked = { body: any; headers: Record<string, string>; hungUp: boolean };

/** What the fake model was asked in a scenario, without the times before an owner's messages. */
export async function asked(scenario: string): Promise<Asked[]> {
  const requests = await askedAsSent(scenario);
  for (const { body } of requests) for (const message of body?.messages ?? body?.input ?? []) withoutTime(message);
  return requests;
}

/** What the fake model was asked in a scenario, letter by letter. */
export async function askedAsSent(scenario: string): Promise<Asked[]> {
  return (await fetch(`${env.TEST_MODEL_SERVER}/control/${scenario}/requests`)).json();
}

const TIME = /^\[(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) \d{4}-\d\d-\d\d \d\d:\d\d\]\n/;

function withoutTime(message: { role?: string; content?: string | { text?: string }[] }): void {
  if (message.role !== "user") return;
  if (typeof message.content === "string") message.content = message.content.replace(TIME, "");
  else for (const part of message.content ?? []) if (part.text) part.text = part.text.replace(TIME, "");
}

/** Every event of a run, from a number on, read to the end of the stream. */
export async function eventsOf(runId: string, after = 0): Promise<AgentEvent[]> {
  const response = await call("GET", `/v1/runs/${runId}/events`, undefined, { "Last-Event-ID": String(after) });
  return parseEvents(await response.text());
}

/** The events in the text of a stream. */
export function parseEvents(text: string): AgentEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("id: "))
    .map((block) =>
      JSON.parse(
        block
          .split("\n")
          .find((line) => line.startsWith("data: "))!
          .slice(6),
      ),
    );
}

export { env };

/** Asks again until it is so. */
export async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 800; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("It did not come true within 20 s.");
}

/** Waits until the queue of memory has delivered what was sent before, also by the file before; see wrangler.toml. */
export function queueDelivered(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500));
}
