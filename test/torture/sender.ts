import { setTimeout as sleep } from "node:timers/promises";
import { requestOfChat } from "./chats.ts";
import { ask, attempt, type Client, Refused, type Sent } from "./client.ts";
import type { MinuteClock } from "./clock.ts";
import { askOverSocket } from "./input-socket.ts";
import type { PlannedMessage } from "./plan.ts";
import { between, randomOf } from "./random.ts";
import type { Watch } from "./watch.ts";

/** How long OpenAI's API may take for a whole answer before it is asked again. */
const ANSWER_MS = 60_000;

/** What became of sending one message. */
export interface SentMessage {
  message: PlannedMessage;
  /** The run that each answer named; every one of them has to name the same. None for channels. */
  runIds: string[];
  refused: string[];
}

/** Sends a message the way its plan says, until it is accepted. */
export async function send(
  client: Client,
  message: PlannedMessage,
  { watch, clock }: { watch: Watch; clock: MinuteClock },
  until: AbortSignal,
): Promise<SentMessage> {
  const random = randomOf(message.key, "sending");
  const record: SentMessage = { message, runIds: [], refused: [] };
  const once = () => sendOnce(client, record, { watch, clock }, until);
  switch (message.sending) {
    case "once":
      await once();
      break;
    case "again later":
      await once();
      await sleep(between(random, 50, 2500));
      await once();
      break;
    case "twice at once":
      await Promise.all([once(), once()]);
      break;
    case "abandoned": {
      if (message.door === "socket" && message.session.chat === undefined) return once().then(() => record);
      const { path, sent } = requestOf(message, clock);
      await attempt(client, path, { ...sent, abandonAfterMs: between(random, 1, 20) });
      await once();
    }
  }
  return record;
}

async function sendOnce(
  client: Client,
  record: SentMessage,
  { watch, clock }: { watch: Watch; clock: MinuteClock },
  until: AbortSignal,
): Promise<void> {
  const { message } = record;
  try {
    const answer =
      message.door === "socket" && message.session.chat === undefined
        ? await askOverSocket(client, message, until)
        : await ask(client, ...asked(requestOf(message, clock)), until);
    watch.committed(record.message.key);
    if (isAccepted(answer)) record.runIds.push(answer.runId);
    else if (isCompletion(answer) || message.door === "job") return;
    else if (record.message.session.chat === undefined) record.refused.push(JSON.stringify(answer));
  } catch (error) {
    // A job that is there already was made by an answer that was lost.
    if (message.door === "job" && error instanceof Refused && error.status === 409) return;
    // The run was taken up and has failed, which is judged by its outcome.
    if (message.door === "openai" && error instanceof Refused && error.status === 500) return;
    if (error instanceof Refused) record.refused.push(error.message);
    else if (until.aborted) record.refused.push("it was not accepted in time");
    else throw error;
  }
}

function asked({ path, sent }: { path: string; sent: Sent }): [string, Sent] {
  return [path, sent];
}

function requestOf(
  { session, text, key, number, door }: PlannedMessage,
  clock: MinuteClock,
): { path: string; sent: Sent } {
  if (door === "job") return { path: "/v1/jobs", sent: { method: "POST", body: jobOf(session.key, text, key, clock) } };
  if (session.chat === undefined && door === "openai") {
    const body = { model: "openclaw", messages: [{ role: "user", content: text }] };
    const headers = { "Idempotency-Key": key, "x-isopod-session-key": session.key };
    return { path: "/v1/chat/completions", sent: { method: "POST", body, headers, abandonAfterMs: ANSWER_MS } };
  }
  if (session.chat === undefined) {
    const body = { sessionKey: session.key, message: text, idempotencyKey: key };
    return { path: "/v1/agent", sent: { method: "POST", body } };
  }
  return requestOfChat(session.chat, text, number);
}

/** A job for one of the next minutes of the clock, in the session of this key. */
function jobOf(sessionKey: string, text: string, key: string, clock: MinuteClock): object {
  return {
    id: key,
    name: key,
    schedule: { kind: "at", at: new Date(clock.now + between(randomOf(key), 1, 3) * 60_000).toISOString() },
    sessionTarget: `session:${sessionKey.split(":").at(-1)}`,
    payload: { kind: "agentTurn", message: text },
    delivery: { mode: "none" },
  };
}

/** Whether it is an answer of OpenAI's API: the run is over, and does not have to be named. */
function isCompletion(value: unknown): boolean {
  return typeof value === "object" && value !== null && "object" in value && value.object === "chat.completion";
}

function isAccepted(value: unknown): value is { runId: string } {
  return typeof value === "object" && value !== null && "runId" in value && typeof value.runId === "string";
}
