import type { ChannelAccounts, ChannelFindings, ChannelManifest, OwnerLink } from "../http/channel-accounts-schema.ts";
import type { ImportReport } from "../http/config-import-schema.ts";
import type { ErrorBody } from "../http/errors.ts";
import type { Grants } from "../http/grants-schema.ts";
import type { JobsTakenOver, JobView } from "../http/jobs-schema.ts";
import type { MemoryPassage, MemoryResults, MemoryStatus } from "../http/memory-schema.ts";
import type { History, HistoryMessage } from "../http/message-schema.ts";
import type { ContextReport, Prompt as PromptAnswer } from "../http/prompt-schema.ts";
import type { Accepted, AgentEvent, Decision, LostDeliveries, Run } from "../http/run-schema.ts";
import type { Heartbeat, Schedule } from "../http/schedule-schema.ts";
import type { SkillChange, SkillVerification } from "../http/skill-installs-schema.ts";
import type { SkillDetail, SkillLine, SkillReport } from "../http/skills-schema.ts";
import type { Caller, Check, Diagnosis } from "../http/status-schema.ts";
import type { WorkspaceListing, WorkspaceVersions } from "../http/workspace-schema.ts";

// The answers of the API, typed by the schemas of its routes. The guards below check only the fields without which a
// reader would fail: another version of the server may add fields, and kinds of events.

export type {
  Accepted,
  AgentEvent,
  Caller,
  ChannelAccounts,
  ChannelFindings,
  Check,
  Decision,
  Diagnosis,
  ErrorBody,
  Grants,
  Heartbeat,
  History,
  HistoryMessage,
  ImportReport,
  JobView,
  LostDeliveries,
  MemoryPassage,
  MemoryResults,
  MemoryStatus,
  Run,
  Schedule,
  SkillChange,
  SkillDetail,
  SkillLine,
  SkillReport,
  SkillVerification,
  WorkspaceListing,
  WorkspaceVersions,
};

export type UserMessage = Extract<HistoryMessage, { role: "user" }>;
export type AssistantMessage = Extract<HistoryMessage, { role: "assistant" }>;
export type ToolMessage = Extract<HistoryMessage, { role: "tool" }>;
export type ToolCallPart = Extract<AssistantMessage["parts"][number], { type: "tool-call" }>;

/** The prompt of a run or of the next turn; a session's `context` also has the model's window and the conversation. */
export type Prompt = PromptAnswer & Partial<Pick<ContextReport, "window" | "messages" | "seeded">>;
export type PromptSection = Prompt["sections"][number];

/** A frame that a session's socket sends to a reader. */
export type SocketFrame =
  | { type: "resumed" }
  | { type: "events"; events: AgentEvent[] }
  | ({ type: "error" } & ErrorBody);

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

/** Whether a value is what `GET /v1/sessions/:key/grants` answers. */
export function isGrants(value: unknown): value is Grants {
  return (
    isRecord(value) &&
    Array.isArray(value.grants) &&
    value.grants.every((one) => isRecord(one) && typeof one.id === "string")
  );
}

/** Whether a value is what `GET /v1/sessions/:key/deliveries` answers. */
export function isLostDeliveries(value: unknown): value is LostDeliveries {
  return isRecord(value) && Array.isArray(value.deliveries) && value.deliveries.every(isRecord);
}

/** Whether a value is a list of a workspace's files. */
export function isListing(value: unknown): value is WorkspaceListing {
  return (
    isRecord(value) &&
    Array.isArray(value.entries) &&
    value.entries.every((one) => isRecord(one) && typeof one.path === "string")
  );
}

/** Whether a value is what `GET /v1/me` answers. */
export function isCaller(value: unknown): value is Caller {
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

/** Whether a value is what `GET /v1/channels` answers. */
export function isChannelAccounts(value: unknown): value is ChannelAccounts {
  return (
    isRecord(value) &&
    Array.isArray(value.accounts) &&
    value.accounts.every((one) => isRecord(one) && typeof one.channel === "string" && isRecord(one.variables))
  );
}

/** Whether a value is what testing or connecting an account of a channel answers. */
export function isChannelFindings(value: unknown): value is ChannelFindings {
  return (
    isRecord(value) &&
    Array.isArray(value.findings) &&
    value.findings.every((one) => isRecord(one) && typeof one.message === "string")
  );
}

/** Whether a value is a manifest of a channel. */
export function isChannelManifest(value: unknown): value is ChannelManifest {
  return isRecord(value) && typeof value.text === "string" && typeof value.use === "string";
}

/** Whether a value says how a person becomes an owner. */
export function isOwnerLink(value: unknown): value is OwnerLink {
  return isRecord(value) && typeof value.message === "string";
}

/** Whether a value is what `POST /v1/config/import` answers. */
export function isImportReport(value: unknown): value is ImportReport {
  if (!isRecord(value) || typeof value.revision !== "number") return false;
  const { mapped, changed, unknown, refused, replaced } = value;
  const isEntry = (entry: unknown) =>
    isRecord(entry) && typeof entry.path === "string" && typeof entry.why === "string";
  return (
    [mapped, replaced].every(Array.isArray) &&
    [changed, unknown, refused].every((list) => Array.isArray(list) && list.every(isEntry))
  );
}

/** Whether a value is what `POST /v1/import/jobs` answers. */
export function isJobsTakenOver(value: unknown): value is JobsTakenOver {
  if (!isRecord(value)) return false;
  const { jobs, kept, refused } = value;
  return Array.isArray(jobs) && Array.isArray(kept) && Array.isArray(refused) && jobs.every(isRecord);
}

/** Whether a value is what `GET /v1/jobs` answers. */
export function isJobs(value: unknown): value is { jobs: JobView[] } {
  return isRecord(value) && Array.isArray(value.jobs) && value.jobs.every(isJob);
}

/** Whether a value is a job. */
export function isJob(value: unknown): value is JobView {
  if (!isRecord(value)) return false;
  return typeof value.id === "string" && typeof value.name === "string" && Array.isArray(value.next);
}

/** Whether a value is what `GET /v1/heartbeats/:agent` answers. */
export function isHeartbeat(value: unknown): value is Heartbeat {
  return isRecord(value) && typeof value.agentId === "string" && typeof value.state === "string";
}

/** Whether a value is what `GET /v1/schedule` answers. */
export function isSchedule(value: unknown): value is Schedule {
  return isRecord(value) && Array.isArray(value.entries) && Array.isArray(value.deadLetters);
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

/** Whether a value is the answer to an install, an update, a removal or an acceptance of a skill. */
export function isSkillChange(value: unknown): value is SkillChange {
  if (!isRecord(value) || typeof value.name !== "string" || typeof value.outcome !== "string") return false;
  return isRecord(value.signature) && Array.isArray(value.notes);
}

/** Whether a value is what `POST /v1/agents/:id/skills/:name/verify` answers. */
export function isSkillVerification(value: unknown): value is SkillVerification {
  if (!isRecord(value) || typeof value.ok !== "boolean") return false;
  return typeof value.seen === "string" && Array.isArray(value.files);
}

/** Whether a value is what `GET /v1/agents/:id/versions/<path>` answers. */
export function isVersions(value: unknown): value is WorkspaceVersions {
  return isRecord(value) && Array.isArray(value.versions);
}

/** Whether a value is the body of an error. */
export function isErrorBody(value: unknown): value is ErrorBody {
  return isRecord(value) && isRecord(value.error) && typeof value.error.message === "string";
}

/** Whether a value has the head of an event. An unknown type passes: readers skip it. */
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
  return value.type === "resumed" || (value.type === "error" && isErrorBody(value));
}

/** Whether an event is the last one of its run. */
export function isLast(event: AgentEvent): boolean {
  if (event.type === "lifecycle") return event.phase !== "start";
  return event.type === "queue" && (event.phase === "joined" || event.phase === "dropped");
}

/** Whether a value is what `POST /v1/agents/:id/memory/search` answers. */
export function isMemoryResults(value: unknown): value is MemoryResults {
  if (!isRecord(value) || typeof value.query !== "string" || !isRecord(value.index)) return false;
  return Array.isArray(value.results) && value.results.every((hit) => isRecord(hit) && isRecord(hit.reason));
}

/** Whether a value is what `GET /v1/agents/:id/memory/file` answers. */
export function isMemoryPassage(value: unknown): value is MemoryPassage {
  return isRecord(value) && typeof value.text === "string" && typeof value.totalLines === "number";
}

/** Whether a value is what `GET /v1/agents/:id/memory/status` answers. */
export function isMemoryStatus(value: unknown): value is MemoryStatus {
  if (!isRecord(value) || typeof value.complete !== "boolean" || !Array.isArray(value.warnings)) return false;
  return isRecord(value.embedder) && isRecord(value.vectors) && Array.isArray(value.sources);
}

function isSkillLine(value: unknown): value is SkillLine {
  return isRecord(value) && typeof value.name === "string" && typeof value.eligible === "boolean";
}

function isHistoryMessage(value: unknown): value is HistoryMessage {
  return isRecord(value) && typeof value.id === "string" && typeof value.seq === "number" && isRole(value.role);
}

function isRole(value: unknown): value is HistoryMessage["role"] {
  return value === "user" || value === "assistant" || value === "tool";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
