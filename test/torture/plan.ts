import type { QueueMode } from "../../src/session-store/queue.ts";
import { type Chat, drawChat } from "./chats.ts";
import { between, randomOf, weighted } from "./random.ts";
import { type Script, textOfScript } from "./script.ts";

/** One conversation of the torture. */
export interface PlannedSession {
  key: string;
  /** What a message does there that comes while a run is at work. */
  mode: QueueMode;
  /** Where it comes in through a channel. */
  chat?: Chat;
  /** Who reads its events all the time. A session that nobody reads is woken by nothing but its own alarm. */
  readers: ReaderKind[];
}

export type ReaderKind = "sse" | "socket";

/** One message: sent at least once, to be accepted exactly once. */
export interface PlannedMessage {
  session: PlannedSession;
  /** Unlike any other of its session. */
  text: string;
  /** Makes it one message however often it is sent: its idempotency key, and its number at the platform of a channel. */
  key: string;
  number: number;
  /** Sent when so many kills are done, or before that where a kill finds nothing to interrupt. */
  afterKill: number;
  sending: Sending;
  /** Where it comes in, apart from channels. */
  door: Door;
}

/** `job`: it is set as a job for one of the next minutes. */
export type Door = "api" | "socket" | "openai" | "job";

/** `abandoned`: the caller hangs up before it has an answer, and asks again with the same key. */
export type Sending = "once" | "again later" | "twice at once" | "abandoned";

/** What a torture is made of. */
export interface Plan {
  sessions: PlannedSession[];
  /** What each session is told first: how to treat its queue. */
  openings: PlannedMessage[];
  messages: PlannedMessage[];
}

/** One in so many sessions is one of jobs; one in so many messages is a job. */
const JOBS = 8;
const FIRST_NUMBER = 700_000;
const MESSAGES_PER_SESSION = 5;
/** So many kills' worth of messages are sent before the first one, so that there is always something to interrupt. */
const AHEAD = 2;
/** One in so many is kept back, for when nothing is going on where the next kill aims. */
const KEPT_BACK = 4;

/** Draws the sessions and messages of a torture from its seed. */
export function drawPlan(seed: number, runs: number, kills: number): Plan {
  const random = randomOf(seed, "plan");
  const count = Math.max(4, Math.round(runs / MESSAGES_PER_SESSION));
  const sessions = Array.from({ length: count }, (_, n) => drawSession(random, n));
  const openings = sessions.map((session, n) => opening(session, n));
  const messages: PlannedMessage[] = [];
  for (let n = 0; n < runs; n++) {
    // One in three goes where the last one went, which is often still busy with that.
    const last = messages.at(-1)?.session;
    const session = last !== undefined && random() < 1 / 3 ? last : sessions[Math.floor(random() * count)]!;
    const turn = Math.max(0, Math.floor((n * kills) / runs) - AHEAD);
    messages.push(drawMessage(random, n, session, n % KEPT_BACK === KEPT_BACK - 1 ? kills : turn));
  }
  const jobSessions = Array.from({ length: Math.ceil(count / JOBS) }, (_, n) => drawJobSession(random, n));
  for (let n = 0; n < runs / JOBS; n++) {
    const session = jobSessions[n % jobSessions.length]!;
    messages.push(drawJob(random, runs + n, session, Math.floor((n * JOBS * kills) / runs)));
  }
  return { sessions: [...sessions, ...jobSessions], openings, messages };
}

function drawSession(random: () => number, n: number): PlannedSession {
  const mode = weighted(random, { steer: 45, followup: 30, collect: 15, interrupt: 10 });
  const reading = weighted(random, { nobody: 35, sse: 25, socket: 25, both: 15 });
  const readers = { nobody: [], sse: ["sse"], socket: ["socket"], both: ["sse", "socket"] }[reading] as ReaderKind[];
  if (n % 3 !== 2) return { key: `agent:main:hook:torture-${n}`, mode, readers };
  const chat = drawChat(Math.floor(n / 3));
  return { key: `agent:main:${chat.platform}:direct:${chat.id}`, mode, chat, readers };
}

function drawJobSession(random: () => number, n: number): PlannedSession {
  return { key: `agent:main:torture-jobs-${n}`, mode: "followup", readers: random() < 0.5 ? ["sse"] : [] };
}

/** A job asks nobody for anything, and starts no sub-agent. */
function drawJob(random: () => number, n: number, session: PlannedSession, afterKill: number): PlannedMessage {
  const tag = `m${String(n + 1).padStart(4, "0")}`;
  const steps = drawSteps(random).map((step) =>
    step.map(({ kind, holdMs }) => ({ kind: kind === "safe" ? kind : ("unsafe" as const), holdMs })),
  );
  return {
    session,
    text: textOfScript({ tag, steps, words: drawWords(random, session) }),
    key: `torture-${tag}`,
    number: 0,
    afterKill,
    sending: weighted(random, { once: 50, "again later": 15, "twice at once": 20, abandoned: 15 }),
    door: "job",
  };
}

function opening(session: PlannedSession, n: number): PlannedMessage {
  const number = FIRST_NUMBER - 1 - n;
  const text = `/queue ${session.mode}`;
  return { session, text, key: `torture-opening-${n}`, number, afterKill: 0, sending: "once", door: "api" };
}

function drawMessage(random: () => number, n: number, session: PlannedSession, afterKill: number): PlannedMessage {
  const tag = `m${String(n + 1).padStart(4, "0")}`;
  return {
    session,
    text: textOfScript({ tag, steps: drawSteps(random), words: drawWords(random, session) }),
    key: `torture-${tag}`,
    number: FIRST_NUMBER + n,
    afterKill,
    sending: weighted(random, { once: 50, "again later": 15, "twice at once": 20, abandoned: 15 }),
    // A caller of OpenAI's API waits for its run, which a newer message stops in this mode.
    door: session.mode === "interrupt" ? "api" : weighted(random, { api: 55, socket: 25, openai: 20 }),
  };
}

function drawSteps(random: () => number): Script["steps"] {
  return Array.from({ length: between(random, 0, 4) }, () =>
    Array.from({ length: Number(weighted(random, { "1": 60, "2": 30, "3": 10 })) }, () => ({
      kind: weighted(random, { safe: 40, unsafe: 40, spawn: 13, asked: 7 }),
      holdMs: between(random, 20, 180),
    })),
  );
}

/** Some replies to chats are too long for one message. */
function drawWords(random: () => number, { chat }: PlannedSession): number {
  const long = random() < 0.2;
  return long && chat !== undefined ? between(random, 600, 900) : between(random, 10, 50);
}
