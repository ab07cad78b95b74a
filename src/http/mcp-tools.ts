import type { Context } from "hono";
import { z } from "zod";
import { toJsonSchema } from "../agent/tool.ts";
import { readCommand } from "../commands/index.ts";
import { agentOf, defaultAgentId } from "../config/agents.ts";
import { newRunId } from "../config/session-ids.ts";
import { parseSessionKey, placeOf, sessionKeyOf } from "../config/session-key.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Scope } from "../services/tokens.ts";
import { callSession } from "../session/api.ts";
import { callerKey, MAX_INPUT_CHARS, requestInput, runRequest } from "../session-store/run-request.ts";
import type { RunView } from "../session-store/run-views.ts";
import { pageOfSessions } from "../session-store/session-index.ts";
import { decodeFileText, excerptLines, MAX_LINES } from "../tools/file-output.ts";
import type { AppEnv } from "./context.ts";
import { withWorkspaceErrors } from "./errors.ts";
import { withMemoryErrors } from "./memory.ts";
import { checkedByNewest } from "./newest-services.ts";
import { noSuchRun, runAddress, sessionAddress } from "./session-lookup.ts";

/** A tool that clients of the Model Context Protocol are given. */
export interface ServedTool<Args = unknown> {
  name: string;
  title: string;
  description: string;
  /** What a token must have. */
  scope: Scope;
  parameters: z.ZodType<Args>;
  /** @throws IsopodError for the client's model */
  run(args: Args, c: Context<AppEnv>): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  text: string;
  /** Whether it says what went wrong. */
  isError?: boolean;
}

/** The JSON Schema of a tool's arguments. */
export function servedSchema({ parameters }: ServedTool): JsonObject {
  return toJsonSchema(parameters);
}

/** Shorter than the minute after which many clients give up. */
const DEFAULT_WAIT_SECONDS = 50;
const MAX_WAIT_SECONDS = 300;
/** How long a run is waited for before it is looked whether it waits for its owner. */
const LOOK_MS = 3000;
const MAX_HITS = 20;
const MAX_SESSIONS = 100;
const MAX_ENTRIES = 1000;

const agentId = z.string().max(64).optional().describe("Which agent; the default one if absent");

const ask = served({
  name: "ask",
  title: "Ask the agent",
  description:
    "Says something to the agent, waits for its reply, and gives that. It has its own tools, memory and files. The " +
    "conversation goes on with the next message, unless another session is named. If the reply takes longer than " +
    "waitSeconds, the answer names the run; wait for it with run_status and do not ask again.",
  scope: "write",
  parameters: z.strictObject({
    message: z.string().min(1).max(MAX_INPUT_CHARS).describe("What to say"),
    agentId,
    sessionKey: z
      .string()
      .max(512)
      .optional()
      .describe("A session of list_sessions; one of this client's own if absent"),
    waitSeconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(DEFAULT_WAIT_SECONDS).describe("How long to wait"),
    idempotencyKey: runRequest.shape.idempotencyKey.describe("The same key with the same message is asked only once"),
  }),
  async run({ message, waitSeconds, idempotencyKey, ...wanted }, c) {
    const command = readCommand(message)?.command.name;
    if (command !== undefined) {
      const hint = "Say it in other words, without the slash";
      throw new IsopodError("forbidden", `/${command} is a command, and commands are for people`, hint);
    }
    const { sessionKey, input, configRevision } = await checkedByNewest(c, (services) => {
      const key = wanted.sessionKey ?? ownSession(wanted.agentId ?? defaultAgentId(services.config), c);
      const owner = parseSessionKey(key).agentId;
      if (wanted.agentId !== undefined && wanted.agentId !== owner) {
        throw new IsopodError("invalid_request", `sessionKey: it belongs to agent '${owner}', not '${wanted.agentId}'`);
      }
      const input = requestInput({ message }, { agentId: owner, place: placeOf(key) }, services);
      return { sessionKey: key, input, configRevision: services.revision };
    });
    const address = await sessionAddress(c, sessionKey);
    const request = {
      ...{ sessionKey, agentId: parseSessionKey(sessionKey).agentId, configRevision, input },
      runId: newRunId(address.name, Date.now()),
      ...(idempotencyKey !== undefined && {
        idempotencyKey: callerKey(idempotencyKey),
        inputDigest: await shortDigest(message),
      }),
    };
    const { runId } = await callSession(c.env, address, (session) => session.accept(request));
    return runAnswer(await settled(runId, waitSeconds, c));
  },
});

const runStatus = served({
  name: "run_status",
  title: "Wait for a run of the agent",
  description: "Gives the reply of a run that ask has named, or says what it waits for.",
  scope: "read",
  parameters: z.strictObject({
    runId: z.string().max(200).describe("As ask gave it"),
    waitSeconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(DEFAULT_WAIT_SECONDS).describe("How long to wait"),
  }),
  run: async ({ runId, waitSeconds }, c) => runAnswer(await settled(runId, waitSeconds, c)),
});

const memorySearch = served({
  name: "memory_search",
  title: "Search the agent's memory",
  description: "Searches the agent's notes and earlier conversations, and gives the best passages with where they are.",
  scope: "read",
  parameters: z.strictObject({
    query: z.string().min(1).max(2000).describe("What to look for"),
    agentId,
    maxResults: z.int().min(1).max(MAX_HITS).default(6).describe("Most passages"),
  }),
  async run({ query, maxResults, ...wanted }, c) {
    const id = agentNamed(wanted.agentId, c);
    const { config, memoryOf } = c.get("services");
    const answer = await withMemoryErrors(id, memoryOf(agentOf(config, id)).search({ query, maxResults }));
    const passages = answer.results.map(
      ({ citation, score, snippet }) => `${citation} (${score.toFixed(2)})\n${snippet}`,
    );
    const notes = answer.degraded === undefined ? [] : [`[${answer.degraded.message}]`];
    return { text: [...(passages.length === 0 ? ["Nothing was found."] : passages), ...notes].join("\n\n") };
  },
});

const readFile = served({
  name: "read_file",
  title: "Read a file of the agent's workspace",
  description:
    "Gives the lines of a text file of the agent's workspace. A long file comes in parts, and says how to go on.",
  scope: "read",
  parameters: z.strictObject({
    path: z.string().min(1).max(1024).describe("Such as MEMORY.md or notes/plan.md"),
    agentId,
    offset: z.int().min(1).default(1).describe("The first line, from 1"),
    limit: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe("Most lines"),
  }),
  async run({ path, offset, limit, ...wanted }, c) {
    const { config, workspaceOf } = c.get("services");
    const workspace = workspaceOf(agentOf(config, agentNamed(wanted.agentId, c)));
    const { bytes } = await withWorkspaceErrors(() => workspace.read(path));
    try {
      return { text: excerptLines(decodeFileText(path, bytes), offset, limit) };
    } catch (error) {
      throw new IsopodError("invalid_request", messageOf(error));
    }
  },
});

const listFiles = served({
  name: "list_files",
  title: "List files of the agent's workspace",
  description: "Lists the files and folders in a folder of the agent's workspace, with their sizes.",
  scope: "read",
  parameters: z.strictObject({
    folder: z.string().max(1024).default("").describe("Such as memory; the root if absent"),
    agentId,
  }),
  async run({ folder, ...wanted }, c) {
    const { config, workspaceOf } = c.get("services");
    const workspace = workspaceOf(agentOf(config, agentNamed(wanted.agentId, c)));
    const entries = await withWorkspaceErrors(() => workspace.list(folder.replace(/\/+$/, "")));
    if (entries.length === 0) return { text: "There are no files." };
    const lines = entries
      .slice(0, MAX_ENTRIES)
      .map((entry) => (entry.kind === "file" ? `${entry.path}  ${entry.size} bytes` : `${entry.path}/`));
    if (entries.length > MAX_ENTRIES) lines.push(`[The first ${MAX_ENTRIES} of ${entries.length} entries.]`);
    return { text: lines.join("\n") };
  },
});

const listSessions = served({
  name: "list_sessions",
  title: "List the agent's sessions",
  description: "Lists the conversations of the agent, the latest first, with the keys that ask takes.",
  scope: "read",
  parameters: z.strictObject({
    agentId: agentId.describe("Whose; those of all agents if absent"),
    limit: z.int().min(1).max(MAX_SESSIONS).default(20).describe("Most sessions"),
  }),
  async run({ limit, ...wanted }, c) {
    const rows = await pageOfSessions(c.env.DB, { agentId: wanted.agentId, limit, before: undefined });
    if (rows.length === 0) return { text: "There are no sessions yet." };
    const lines = rows.map(
      ({ key, lastStatus, updatedAt }) => `${key}  ${lastStatus}, ${new Date(updatedAt).toISOString()}`,
    );
    return { text: lines.join("\n") };
  },
});

/** The tools, in the order in which clients see them. */
export const SERVED_TOOLS: readonly ServedTool[] = [ask, runStatus, memorySearch, readFile, listFiles, listSessions];

/** Keeps the type of a tool's arguments while it is written. */
function served<Args>(tool: ServedTool<Args>): ServedTool {
  return { ...tool, run: (args, c) => tool.run(args as Args, c) };
}

/** The session of a token, so that its clients do not talk into the owner's own conversation. */
function ownSession(agent: string, c: Context<AppEnv>): string {
  const { tokenId = "owner" } = c.get("caller");
  const peer = { kind: "direct", conversationId: tokenId, peerId: tokenId, owner: false } as const;
  return sessionKeyOf({ agentId: agent, channel: "mcp", accountId: "", ...peer }, "per-channel-peer");
}

function agentNamed(wanted: string | undefined, c: Context<AppEnv>): string {
  return wanted ?? defaultAgentId(c.get("services").config);
}

/** A run once it has ended, waits for its owner, or the time is up. @throws IsopodError `not_found` */
async function settled(runId: string, waitSeconds: number, c: Context<AppEnv>): Promise<RunView> {
  const until = Date.now() + waitSeconds * 1000;
  for (;;) {
    const waitMs = Math.min(LOOK_MS, Math.max(0, until - Date.now()));
    const end = await callSession(c.env, runAddress(runId), (session) => session.wait(runId, waitMs));
    const view = end && (await callSession(c.env, runAddress(runId), (session) => session.show(runId)));
    if (end === undefined || view === undefined) throw noSuchRun(runId.slice(0, 80));
    if (end.status !== "timeout" || view.status === "waiting_approval" || Date.now() >= until) return view;
  }
}

function runAnswer({
  runId,
  status,
  reply,
  silent,
  error,
  approvals = [],
  intoRunId,
  labels = [],
}: RunView): ToolAnswer {
  const goOn = `Wait for it with run_status, runId ${runId}.`;
  switch (status) {
    case "ok": {
      const from =
        labels.length === 0 ? "" : `\n\n[It is made from words of ${labels.join(", ")}, which are not the owner's.]`;
      return { text: silent ? "The agent chose to say nothing." : `${reply ?? ""}${from}` };
    }
    case "queued":
    case "running":
      return { text: `The agent is still at work. ${goOn}` };
    case "waiting_approval": {
      const questions = approvals.filter(({ decision }) => decision === undefined).map(({ question }) => question);
      return {
        text: `The agent waits for its owner, who answers on the page or in a chat. ${goOn}\n\n${questions.join("\n\n")}`,
      };
    }
    case "joined":
      return {
        text: `The message was merged into the run ${intoRunId}, which answers it. Wait for that with run_status.`,
      };
    default:
      return { text: `The run has ended without a reply (${status}). ${error?.message ?? ""}`.trim(), isError: true };
  }
}
