import type { AgentEvent } from "../agent/events.ts";
import type { RunError } from "../agent/run-error.ts";
import type { Message } from "../models/message.ts";

/** The answer to `POST /v1/agent`: the message is stored and its run has begun or waits. */
export interface Accepted {
  runId: string;
  sessionKey: string;
  sessionId: string;
}

/** A transcript entry with its place in the session's order and the run that it belongs to. */
export type HistoryMessage = Message & { seq: number; runId: string };

/** A page of a transcript, oldest first. */
export interface History {
  messages: HistoryMessage[];
  /** Events after this `seq` are not in the page yet. */
  cursor: number;
  /** Ask with this as `before` for the page that precedes; absent on the first page of the session. */
  before?: number;
}

/** Who the caller is talking to. */
export interface Me {
  agentId: string;
  /** `provider/model` of the next run. */
  model: string;
  version: string;
}

/** How a run stands. */
export interface Run {
  runId: string;
  status: "queued" | "running" | "waiting_approval" | "ok" | "error" | "aborted" | "timeout" | "joined" | "dropped";
  error?: RunError;
  /** The run that it joined, and whose end is its end. */
  intoRunId?: string;
  /** The tool calls that wait for a person's word. */
  approvals?: { id: string; callId: string; question: string }[];
}

/** What a model is sent besides the conversation, or would be. Tokens are estimated. */
export interface Prompt {
  agentId: string;
  sessionKey: string;
  mode: string;
  model: string;
  hash: string;
  /** With the line of the cache boundary in it. */
  text: string;
  sections: PromptSection[];
  files: { path: string; rawChars: number; injectedChars: number; truncated: boolean; missing: boolean }[];
  tools: { name: string; schemaBytes: number; tokens: number; description: string; parameters: unknown }[];
  /** What the model takes, and what of it the conversation has; absent where there is none to speak of. */
  window?: number;
  messages?: { count: number; tokens: number };
  /** False where the workspace is new and its files are still to be written. */
  seeded?: boolean;
  totals: { prompt: Size; above: Size; below: Size; tools: { count: number; schemaBytes: number; tokens: number } };
}

/** A section of a system prompt, and where its words come from. */
export interface PromptSection extends Size {
  name: string;
  layer: "above" | "below";
  source: { kind: "section" | "provider" | "configuration" | "workspace" | "skills" | "run" | "plugin"; name: string };
  text: string;
}

interface Size {
  chars: number;
  bytes: number;
  tokens: number;
}

/** What a person can say about a tool call that waits. */
export type Decision = "allow-once" | "allow-always" | "deny";

/** The body of every answer that is not a success. */
export interface Refusal {
  error: { code: string; message: string; hint?: string };
}

/** One thing that the doctor has looked at. */
export interface Check {
  id: string;
  area: string;
  status: "ok" | "warn" | "fail";
  message: string;
  /** What to do where it is not well. */
  fix?: string;
}

/** What `GET /v1/doctor` answers; `ok` means that nothing has failed. */
export interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

/** What `POST /v1/config/import` answers. Paths are those of the document that was sent. */
export interface ImportReport {
  /** The newest revision of the configuration. */
  revision: number;
  stored: boolean;
  mapped: { from: string; to: string; note?: string }[];
  changed: { path: string; why: string }[];
  unknown: { path: string; why: string; hint: string }[];
  refused: { path: string; why: string; hint: string }[];
  /** What was configured here before, and is not any more. */
  replaced: string[];
}

/** One thing that was found where skills are looked for. What its SKILL.md says is absent where it is no usable skill. */
export interface SkillLine {
  name: string;
  source: string;
  /** Of its SKILL.md, for the agent. */
  location: string;
  eligible: boolean;
  /** Why it may not be used, for programs and for people. */
  code?: string;
  reason?: string;
  /** Whether the prompt lists it. */
  shown: boolean;
  /** Why it does not, where there was no room. */
  cut?: string;
  /** About how many it costs in each prompt that lists it. */
  tokens: number;
  /** Its key in `skills.entries`. */
  key?: string;
  emoji?: string;
  description?: string;
  version?: string;
  /** What people call on it with, without the `/`. */
  command?: string;
  homepage?: string;
  license?: string;
  compatibility?: string;
  env?: { name: string; set: boolean }[];
  installers?: { kind: string; what: string; reason: string }[];
  warnings?: string[];
}

/** What `GET /v1/agents/:id/skills` answers. */
export interface SkillReport {
  agent: string;
  skills: SkillLine[];
  totals: { found: number; eligible: number; shown: number; tokens: number };
  warnings: string[];
}

/** What `GET /v1/agents/:id/skills/:name` answers. */
export interface SkillDetail extends SkillLine {
  files: { path: string; size: number }[];
  moreFiles: number;
  /** Of its files as they are, for `accept`. */
  seen: string;
  /** Its SKILL.md. */
  text?: string;
}

/** What an install, an update, a removal and an acceptance answer. */
export interface SkillChange {
  name: string;
  version: string;
  outcome: "installed" | "updated" | "current" | "removed" | "accepted";
  location: string;
  signature: { kind: "unsigned" | "untrusted" | "trusted"; keyId?: string };
  fileCount: number;
  notes: string[];
}

/** What `POST /v1/agents/:id/skills/:name/verify` answers. */
export interface Verification {
  name: string;
  ok: boolean;
  /** Of the files that were compared, for `accept`. */
  seen: string;
  files: { path: string; status: "ok" | "changed" | "missing" | "added" }[];
}

/** What a session's socket says to a reader. */
export type SocketFrame =
  | { type: "resumed" }
  | { type: "events"; events: AgentEvent[] }
  | ({ type: "error" } & Refusal);

/** Whether a value is a prompt. */
export function isPrompt(value: unknown): value is Prompt {
  return isRecord(value) && typeof value.text === "string" && Array.isArray(value.sections) && isRecord(value.totals);
}

/** Whether a value is what `POST /v1/agent` answers. */
export function isAccepted(value: unknown): value is Accepted {
  return isRecord(value) && typeof value.runId === "string" && typeof value.sessionKey === "string";
}

/** Whether a value is a page of a transcript. */
export function isHistory(value: unknown): value is History {
  return (
    isRecord(value) &&
    typeof value.cursor === "number" &&
    (value.before === undefined || typeof value.before === "number") &&
    Array.isArray(value.messages) &&
    value.messages.every(isHistoryMessage)
  );
}

/** Whether a value is what `GET /v1/me` answers. */
export function isMe(value: unknown): value is Me {
  return isRecord(value) && typeof value.agentId === "string" && typeof value.model === "string";
}

/** Whether a value is what `GET /v1/runs/:id` answers. */
export function isRun(value: unknown): value is Run {
  return isRecord(value) && typeof value.runId === "string" && typeof value.status === "string";
}

/** Whether a value is what `GET /v1/doctor` answers. */
export function isDiagnosis(value: unknown): value is Diagnosis {
  return (
    isRecord(value) &&
    typeof value.ok === "boolean" &&
    Array.isArray(value.checks) &&
    value.checks.every(
      (check) => isRecord(check) && typeof check.area === "string" && typeof check.message === "string",
    )
  );
}

/** Whether a value is what `POST /v1/config/import` answers. */
export function isImportReport(value: unknown): value is ImportReport {
  if (!isRecord(value) || typeof value.revision !== "number") return false;
  const { mapped, changed, unknown, refused, replaced } = value;
  const isTold = (entry: unknown) => isRecord(entry) && typeof entry.path === "string" && typeof entry.why === "string";
  return (
    [mapped, replaced].every(Array.isArray) &&
    [changed, unknown, refused].every((list) => Array.isArray(list) && list.every(isTold))
  );
}

/** Whether a value is what `GET /v1/agents/:id/skills` answers. */
export function isSkillReport(value: unknown): value is SkillReport {
  if (!isRecord(value) || typeof value.agent !== "string" || !isRecord(value.totals)) return false;
  return Array.isArray(value.skills) && value.skills.every(isSkillLine) && Array.isArray(value.warnings);
}

/** Whether a value is what `GET /v1/agents/:id/skills/:name` answers. */
export function isSkillDetail(value: unknown): value is SkillDetail {
  return isRecord(value) && isSkillLine(value) && "files" in value && Array.isArray(value.files);
}

/** Whether a value says what became of a skill. */
export function isSkillChange(value: unknown): value is SkillChange {
  if (!isRecord(value) || typeof value.name !== "string" || typeof value.outcome !== "string") return false;
  return isRecord(value.signature) && Array.isArray(value.notes);
}

/** Whether a value is what `POST /v1/agents/:id/skills/:name/verify` answers. */
export function isVerification(value: unknown): value is Verification {
  if (!isRecord(value) || typeof value.ok !== "boolean") return false;
  return typeof value.seen === "string" && Array.isArray(value.files);
}

/** Whether a value is what `GET /v1/agents/:id/versions/<path>` answers. */
export function isVersions(value: unknown): value is { versions: unknown[] } {
  return isRecord(value) && Array.isArray(value.versions);
}

/** Whether a value is the body of an error. */
export function isRefusal(value: unknown): value is Refusal {
  return isRecord(value) && isRecord(value.error) && typeof value.error.message === "string";
}

/** Whether a value has an event's head; a type that this version does not know passes, and readers skip it. */
export function isAgentEvent(value: unknown): value is AgentEvent {
  return (
    isRecord(value) &&
    typeof value.seq === "number" &&
    typeof value.runId === "string" &&
    typeof value.type === "string" &&
    typeof value.phase === "string"
  );
}

/** Whether a value is a frame of a session's socket. */
export function isSocketFrame(value: unknown): value is SocketFrame {
  if (!isRecord(value)) return false;
  if (value.type === "events") return Array.isArray(value.events) && value.events.every(isAgentEvent);
  return value.type === "resumed" || (value.type === "error" && isRefusal(value));
}

/** Whether a run has nothing more to say after an event. */
export function isLast(event: AgentEvent): boolean {
  if (event.type === "lifecycle") return event.phase !== "start";
  return event.type === "queue" && (event.phase === "joined" || event.phase === "dropped");
}

function isSkillLine(value: unknown): value is SkillLine {
  return isRecord(value) && typeof value.name === "string" && typeof value.eligible === "boolean";
}

function isHistoryMessage(value: unknown): value is HistoryMessage {
  return isRecord(value) && typeof value.id === "string" && typeof value.seq === "number" && isRole(value.role);
}

function isRole(value: unknown): value is Message["role"] {
  return value === "user" || value === "assistant" || value === "tool";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
