import type { EventBody } from "../agent/events.ts";
import type { Buttons, Delivery, Target } from "../channels/channel.ts";
import type { Message } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { FileReport } from "../prompt/report.ts";
import type { PromptMode } from "../prompt/section.ts";
import type { SectionSource } from "../prompt/section-source.ts";
import type { AuditEntry } from "../security/audit-entry.ts";
import type { ScannedSkill } from "../services/skills/scanned-skills.ts";
import type { QueuePolicy } from "./queue.ts";
import type { RunInput, RunState, Spawned } from "./run.ts";
import type { Subagent, SubagentReport } from "./subagent.ts";

/** An event as it is stored: its run is in the row. */
export type StoredEvent = { seq: number; ts: number } & EventBody;

/** What a session has of its own, over the configuration. */
export interface SessionSettings {
  queue?: Partial<QueuePolicy>;
  /** Tools that a person has allowed for good in this session. */
  allowedTools?: string[];
  /** `provider/model` that answers instead of the agent's own. */
  model?: string;
  thinking?: ThinkingLevel;
  /** Whether people see the model's reasoning. */
  reasoning?: "off" | "on" | "stream";
  /** Whether tool calls are told as they happen. */
  verbose?: "off" | "on" | "full";
  /** What a reply says of its own cost. */
  usage?: "off" | "tokens" | "full";
  /** The workspace files that the model was told are cut, where it is told but once. */
  truncationWarned?: string[];
  /** How long after its last run the session is deleted; absent where it stays. */
  lingerMs?: number;
  /** What the menus of commands show, as digests by conversation. */
  menus?: { [conversation: string]: string };
  /** For a sub-agent: who started it. */
  spawned?: Spawned;
}

/** A summary in place of a conversation's older part. */
export interface Compaction {
  at: number;
  reason: "threshold" | "overflow" | "command";
  summary: string;
  /** `provider/model` that wrote it. */
  model: string;
  /** Estimated tokens of the context before and after. */
  tokensBefore: number;
  tokensAfter: number;
  /** The system prompt of whoever wrote it; absent in those of before this was kept. */
  system?: string;
}

/** What a delivery says, as Markdown; a text in several parts is in the first one's. */
export type DeliverySource =
  /** A part of a reply that was not finished yet: how the model wrote it, and the run's newest message then. */
  | { kind: "block"; source: string; after: number; model: string }
  /** What the message tool was told to send. */
  | { kind: "message"; text: string; buttons?: Buttons }
  /** What a person is asked before a tool may run. */
  | { kind: "question"; buttons: Buttons }
  /** A file of the workspace, as it was then: its bytes are read when it is sent. */
  | AttachedFile;

export interface AttachedFile {
  kind: "file";
  path: string;
  etag: string;
  asVoice?: true;
}

/** Of what a snapshot of skills is one: where any of this is another, it is not of now. */
export interface ScanHead {
  /** The conversation for which it was taken. */
  sessionId: string;
  /** Where was looked, and within which limits; see `placesOf`. */
  places: string;
  /** How often skills had been changed from outside of conversations when the look began. */
  changes: number;
  /** Of the findings. */
  digest: string;
}

/** What one layer of a system prompt is made of, as it is kept beside its text. */
export interface Outline {
  mode: PromptMode;
  /** In order; a blank line between them makes the text. */
  sections: { name: string; source: SectionSource; chars: number }[];
  /** The files that the layer shows. */
  files: FileReport[];
}

const WITHOUT_PROGRESS: ReadonlySet<unknown> = new Set<RunState["status"]>([
  "queued",
  "ok",
  "error",
  "aborted",
  "timeout",
  "joined",
  "dropped",
]);
const WITH_PROGRESS: ReadonlySet<unknown> = new Set<RunState["status"]>(["running", "waiting_approval"]);

/** Whether a stored value is a message, as far as whoever reads it would stumble otherwise. */
export function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value.id !== "string" || typeof value.at !== "number") return false;
  if (value.role === "user") return typeof value.text === "string";
  if (value.role === "tool") return areStrings(value.text, value.callId, value.tool);
  return value.role === "assistant" && isObject(value.usage) && Array.isArray(value.parts) && value.parts.every(isPart);
}

/** Whether a stored value says how a run stands. */
export function isRunState(value: unknown): value is RunState {
  if (!isObject(value)) return false;
  if (!WITH_PROGRESS.has(value.status)) return WITHOUT_PROGRESS.has(value.status);
  return Array.isArray(value.launched) && Array.isArray(value.approvals) && isObject(value.usage);
}

/** Whether a stored value is what a run was asked. */
export function isRunInput(value: unknown): value is RunInput {
  return isObject(value) && typeof value.text === "string" && typeof value.timeoutSeconds === "number";
}

/** Whether a stored value is a place that a reply goes to. */
export function isTarget(value: unknown): value is Target {
  return isObject(value) && areStrings(value.channel, value.accountId, value.conversationId);
}

/** Whether a stored value is how an attempt to deliver came out. */
export function isDelivery(value: unknown): value is Delivery {
  return isObject(value) && typeof value.outcome === "string";
}

/** Whether a stored value is what a delivery says. */
export function isDeliverySource(value: unknown): value is DeliverySource {
  if (!isObject(value)) return false;
  if (value.kind === "block") return areStrings(value.source, value.model);
  if (value.kind === "question") return Array.isArray(value.buttons);
  return value.kind === "file" ? areStrings(value.path, value.etag) : areStrings(value.kind, value.text);
}

/** Whether a stored value is a row of events. */
export function isStoredEvents(value: unknown): value is StoredEvent[] {
  return Array.isArray(value) && value.every((event) => isObject(event) && typeof event.seq === "number" && event.type);
}

/** Whether a stored value is a summary. */
export function isCompaction(value: unknown): value is Compaction {
  return isObject(value) && typeof value.summary === "string";
}

/** Whether a stored value says what a text that a model was sent is made of. */
export function isOutline(value: unknown): value is Outline {
  return isObject(value) && Array.isArray(value.sections) && Array.isArray(value.files);
}

/** Whether a stored value is a sub-agent. */
export function isSubagent(value: unknown): value is Subagent {
  if (!isObject(value) || !areStrings(value.childRunId, value.agentId, value.label)) return false;
  return isObject(value.phase) && isObject(value.modelOverride) && isObject(value.announceTo);
}

/** Whether a stored value is what is told of a sub-agent's end. */
export function isReport(value: unknown): value is SubagentReport {
  return isObject(value) && areStrings(value.childKey, value.childRunId, value.text) && isObject(value.usage);
}

/** Whether a stored value is a line of the audit trail. */
export function isAuditEntry(value: unknown): value is AuditEntry {
  return isObject(value) && typeof value.at === "number" && areStrings(value.id, value.kind, value.by, value.subject);
}

/** Whether a stored value says of what skills are the snapshot. */
export function isScanHead(value: unknown): value is ScanHead {
  return (
    isObject(value) && areStrings(value.sessionId, value.places, value.digest) && typeof value.changes === "number"
  );
}

/** Whether a stored value is a part of a snapshot of skills. */
export function isScanPart(value: unknown): value is ScannedSkill[] {
  return Array.isArray(value) && value.every((found) => isObject(found) && typeof found.kind === "string");
}

/** Whether a stored value is a session's settings. */
export function isSettings(value: unknown): value is SessionSettings {
  return isObject(value);
}

function isPart(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value.type === "tool-call" ? areStrings(value.callId, value.tool) : typeof value.text === "string";
}

function areStrings(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
