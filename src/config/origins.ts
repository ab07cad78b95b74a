import type { SessionKind } from "./session-key.ts";

/** What a run comes from. A `person` has written a message; every other kind names itself in the run's origin. */
export type OriginKind =
  | "person"
  | "command"
  | "reset"
  | "retry"
  | "announcement"
  | "process"
  | "spawn"
  | "nested"
  | "delivery"
  | "overheard"
  | "boot"
  | "heartbeat"
  | "job"
  | "hook";

/**
 * How a run waits. A `message` gives way past the cap of the queue; an `announcement` gives way to nothing. A `command`
 * shares its turn with no other run, and a `reset`, which is a command, goes before all waiting runs. A `note` gives
 * way to nothing and shares its turn with no other run. `background` shares its turn with no other run and gives way to
 * every message: it starts after all that wait, and one that runs gives way and goes on later.
 */
export type QueueClass = "message" | "announcement" | "note" | "command" | "reset" | "background";

/** The global lanes, each with its own cap on concurrent runs (`agents.defaults.maxConcurrent`). */
export type LaneName = "main" | "subagent" | "cron" | "nested";

/** What holds for every run of one kind. */
export interface OriginRules {
  /** Whose rights it has: those of the sender of its last message, or an owner's, because only owners may start it. */
  principal: "sender" | "owner";
  queueClass: QueueClass;
  /** The lane that it counts in; `session` means the lane of its session's kind. */
  lane: LaneName | "session";
  /** Whether it is a turn of the agent, which asks a model. The session carries out the others itself. */
  isTurn: boolean;
  /** Whether a person wrote it: plugins get `message_received`. */
  isFromPerson: boolean;
  /** Whether it counts as activity of a person, which puts off a reset of the conversation by time. */
  isActivity: boolean;
  /** Whether it starts a new conversation if the old one is over by time. */
  startsByTime: boolean;
  /** Whether models see its message. */
  isForModels: boolean;
  /** Whether somebody is there who could answer a question. */
  isAttended: boolean;
}

const MESSAGE: OriginRules = {
  principal: "sender",
  queueClass: "message",
  lane: "session",
  isTurn: true,
  isFromPerson: true,
  isActivity: true,
  startsByTime: true,
  isForModels: true,
  isAttended: true,
};

/** A message that the system writes to the agent. */
const SYSTEM_MESSAGE: OriginRules = { ...MESSAGE, isFromPerson: false, isActivity: false, startsByTime: false };

/** A run that the clock or a request from outside starts. No person waits for it or can answer a question of it. */
const UNATTENDED: OriginRules = {
  ...SYSTEM_MESSAGE,
  queueClass: "background",
  lane: "cron",
  isAttended: false,
};

/** Every kind of run, in one table: a new kind is a row. */
export const ORIGINS: Readonly<Record<OriginKind, OriginRules>> = {
  person: MESSAGE,
  /** A chat command that waits for its turn. */
  command: {
    ...SYSTEM_MESSAGE,
    principal: "owner",
    queueClass: "command",
    isTurn: false,
    isFromPerson: true,
    isForModels: false,
  },
  /** `/new` or `/reset`: the first turn of a new conversation. */
  reset: { ...MESSAGE, principal: "owner", queueClass: "reset", startsByTime: false },
  /** `/retry`: a turn with the rights of whom it answers. */
  retry: { ...MESSAGE, queueClass: "command", startsByTime: false, isForModels: false },
  /** The end of a sub-agent, announced to the session that started it. */
  announcement: { ...SYSTEM_MESSAGE, queueClass: "announcement" },
  /** The end of a command in the background, told to the session that started it. */
  process: { ...SYSTEM_MESSAGE, queueClass: "announcement" },
  /** The task of a sub-agent, or more of it. */
  spawn: SYSTEM_MESSAGE,
  /** A message from another session's agent (`sessions_send`). */
  nested: { ...SYSTEM_MESSAGE, lane: "nested" },
  /** A copy of a text that another session sent to this session's people. */
  delivery: { ...SYSTEM_MESSAGE, queueClass: "note", isTurn: false },
  /** A group's message that does not address the agent. */
  overheard: { ...SYSTEM_MESSAGE, queueClass: "note", isTurn: false },
  /** BOOT.md, once per deployment. */
  boot: { ...SYSTEM_MESSAGE, queueClass: "note", isAttended: false },
  /** A slot of an agent's heartbeat. */
  heartbeat: { ...UNATTENDED, principal: "owner" },
  /** A slot of a job; only owners make jobs. */
  job: { ...UNATTENDED, principal: "owner" },
  /** A request to `/hooks`, with the rights that its mapping gives it. */
  hook: UNATTENDED,
};

/** The rules of a run. @param origin undefined for a person's message */
export function originRules(origin: { kind: OriginKind } | undefined): OriginRules {
  return ORIGINS[origin?.kind ?? "person"];
}

/** What holds for the runs of a kind of session. */
export interface SessionKindRules {
  lane: LaneName;
  /** How much of the system prompt its turns get. */
  promptMode: "full" | "minimal";
}

const CONVERSATION: SessionKindRules = { lane: "main", promptMode: "full" };

export const SESSION_KINDS: Readonly<Record<SessionKind, SessionKindRules>> = {
  main: CONVERSATION,
  direct: CONVERSATION,
  group: CONVERSATION,
  channel: CONVERSATION,
  hook: CONVERSATION,
  subagent: { lane: "subagent", promptMode: "minimal" },
  cron: { lane: "cron", promptMode: "minimal" },
};
