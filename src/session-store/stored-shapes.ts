import type { EventBody } from "../agent/events.ts";
import type { GrantScope } from "../agent/tool.ts";
import type { Buttons, Delivery, Target } from "../channels/channel.ts";
import type { Message } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { PromptMode } from "../prompt/input.ts";
import type { FileReport } from "../prompt/report.ts";
import type { SectionSource } from "../prompt/section-source.ts";
import type { SentAlert } from "../schedule/repeated-alert.ts";
import type { AuditEntry } from "../security/audit-entry.ts";
import type { ScannedSkill } from "../services/skills/scanned-skills.ts";
import type { Process } from "./process.ts";
import type { QueuePolicy } from "./queue.ts";
import type { RunState } from "./run.ts";
import type { RunInput, Spawned } from "./run-input.ts";
import type { Subagent, SubagentReport } from "./subagent.ts";

/** A stored event; its run is in the row. */
export type StoredEvent = { seq: number; ts: number } & EventBody;

/** What an owner has allowed for good in a session: a tool with these programs, hosts and conversations, and no others. */
export interface Grant extends GrantScope {
  /** `grt_…` */
  id: string;
  /** Milliseconds since the epoch. */
  grantedAt: number;
}

/** Settings of a session that override the configuration. */
export interface SessionSettings {
  queue?: Partial<QueuePolicy>;
  /** What an owner has allowed for good in this session. */
  grants?: readonly Grant[];
  /** `provider/model` that answers instead of the agent's own. */
  model?: string;
  thinking?: ThinkingLevel;
  /** Whether people see the model's reasoning. */
  reasoning?: "off" | "on" | "stream";
  /** Whether tool calls are shown as they happen. */
  verbose?: "off" | "on" | "full";
  /** The usage footer of replies. */
  usage?: "off" | "tokens" | "full";
  /** Truncated workspace files that the model was warned of, where it is warned once. */
  truncationWarned?: string[];
  /** How long after its last run the session is deleted; absent where it stays. */
  lingerMs?: number;
  /** The command menus that were published, as digests by conversation. */
  menus?: { [conversation: string]: string };
  /** For a sub-agent: its parents. */
  spawned?: Spawned;
  /** The last alert of a heartbeat. */
  lastAlert?: SentAlert;
}

/** A summary that replaces a conversation's older part. */
export interface Compaction {
  at: number;
  reason: "threshold" | "overflow" | "command";
  summary: string;
  /** `provider/model` that wrote it. */
  model: string;
  /** Estimated tokens of the context before and after. */
  tokensBefore: number;
  tokensAfter: number;
  /** The system prompt of the summarizing model; absent in older rows. */
  system?: string;
}

/** The content of a delivery, as Markdown; for a text in several parts it is in the first. */
export type DeliverySource =
  /** A part of an unfinished reply: its source, and the run's newest message at that time. */
  | { kind: "block"; source: string; after: number; model: string }
  /** A message of the message tool. */
  | { kind: "message"; text: string; buttons?: Buttons }
  /** The rest of a long reply, which is the part's text: sent as a file. */
  | { kind: "rest"; name: string }
  /** The same in older rows, with all of the reply. */
  | { kind: "whole"; name: string }
  /** An approval question. */
  | { kind: "question"; buttons: Buttons }
  /** A version of a workspace file: its bytes are read when it is sent. */
  | AttachedFile;

export interface AttachedFile {
  kind: "file";
  path: string;
  etag: string;
  asVoice?: true;
}

/** What a snapshot of skills was taken of: it is outdated where any of this differs. */
export interface ScanHead {
  /** Its conversation. */
  sessionId: string;
  /** The scanned places and the limits; see `placesOf`. */
  places: string;
  /** Counter of skill changes from outside of conversations when the scan began. */
  changes: number;
  /** Digest of the skills. */
  digest: string;
}

/** The sections and files of one layer of a system prompt, stored beside its text. */
export interface Outline {
  mode: PromptMode;
  /** In order; the text joins them with a blank line. */
  sections: { name: string; source: SectionSource; chars: number }[];
  /** The files in the layer. */
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

/** Whether a stored value has the shape of a message, as far as its readers need it. */
export function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value.id !== "string" || typeof value.at !== "number") return false;
  if (value.role === "user") return typeof value.text === "string";
  if (value.role === "tool") return areStrings(value.text, value.callId, value.tool);
  return value.role === "assistant" && isObject(value.usage) && Array.isArray(value.parts) && value.parts.every(isPart);
}

/** Whether a stored value is the state of a run. */
export function isRunState(value: unknown): value is RunState {
  if (!isObject(value)) return false;
  if (!WITH_PROGRESS.has(value.status)) return WITHOUT_PROGRESS.has(value.status);
  return Array.isArray(value.launched) && Array.isArray(value.approvals) && isObject(value.usage);
}

/** Whether a stored value is the input of a run. */
export function isRunInput(value: unknown): value is RunInput {
  return isObject(value) && typeof value.text === "string" && typeof value.timeoutSeconds === "number";
}

/** Whether a stored value is a delivery target. */
export function isTarget(value: unknown): value is Target {
  return isObject(value) && areStrings(value.channel, value.accountId, value.conversationId);
}

/** Whether a stored value is the outcome of a delivery. */
export function isDelivery(value: unknown): value is Delivery {
  return isObject(value) && typeof value.outcome === "string";
}

/** Whether a stored value is the content of a delivery. */
export function isDeliverySource(value: unknown): value is DeliverySource {
  if (!isObject(value)) return false;
  if (value.kind === "block") return areStrings(value.source, value.model);
  if (value.kind === "rest" || value.kind === "whole") return typeof value.name === "string";
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

/** Whether a stored value is the outline of a prompt. */
export function isOutline(value: unknown): value is Outline {
  return isObject(value) && Array.isArray(value.sections) && Array.isArray(value.files);
}

/** Whether a stored value is a sub-agent. */
export function isSubagent(value: unknown): value is Subagent {
  if (!isObject(value) || !areStrings(value.childRunId, value.agentId, value.label)) return false;
  return isObject(value.phase) && isObject(value.modelOverride) && isObject(value.announceTo);
}

/** Whether a stored value is a command in the background. */
export function isProcess(value: unknown): value is Process {
  return isObject(value) && typeof value.command === "string" && isObject(value.phase);
}

/** Whether a stored value is the report of a sub-agent. */
export function isReport(value: unknown): value is SubagentReport {
  return isObject(value) && areStrings(value.childKey, value.childRunId, value.text) && isObject(value.usage);
}

/** Whether a stored value is a line of the audit trail. */
export function isAuditEntry(value: unknown): value is AuditEntry {
  return isObject(value) && typeof value.at === "number" && areStrings(value.id, value.kind, value.by, value.subject);
}

/** Whether a stored value is the head of a snapshot of skills. */
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
