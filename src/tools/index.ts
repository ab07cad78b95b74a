import type { AnyTool } from "../agent/tool.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { applyPatchTool } from "./apply-patch.ts";
import { type BrowserPort, browserTool } from "./browser.ts";
import { cronTool, type JobsPort } from "./cron.ts";
import { editTool } from "./edit.ts";
import { type ExecPort, execTool } from "./exec.ts";
import { findTool } from "./find.ts";
import { type ConfigPort, gatewayTool } from "./gateway.ts";
import { grepTool } from "./grep.ts";
import { imageTool, type LookPort } from "./image.ts";
import { imageGenerateTool, type PicturePort } from "./image-generate.ts";
import { lsTool } from "./ls.ts";
import type { MadeFilesPort } from "./made-files.ts";
import { memoryGetTool, memorySearchTool, type RecallPort } from "./memory.ts";
import { messageTool, type OutboxPort } from "./message.ts";
import { listPagesTool, readPagesTool } from "./pages.ts";
import { type ProcessesPort, processTool } from "./process.ts";
import { readTool, type SkillFolders } from "./read.ts";
import type { ReadEtags } from "./read-etags.ts";
import type { Resources } from "./resources.ts";
import type { ServerResources } from "./server-resources.ts";
import { type StatusPort, sessionStatusTool } from "./session-status.ts";
import { sessionsHistoryTool, sessionsListTool, sessionsSendTool } from "./sessions.ts";
import type { SessionsPort } from "./sessions-port.ts";
import { agentsListTool, sessionsSpawnTool, subagentsTool } from "./subagents.ts";
import { type TranscriptionPort, transcribeTool } from "./transcribe.ts";
import { type SpeechPort, ttsTool } from "./tts.ts";
import { updatePlanTool } from "./update-plan.ts";
import { type WebFetchPort, webFetchTool } from "./web-fetch.ts";
import { type WebSearchPort, webSearchTool } from "./web-search.ts";
import { writeTool } from "./write.ts";

/** What the tools of a turn need. */
export interface ToolDeps {
  /** Whether it is an owner's turn; others have no files of the workspace and no buttons that say something else. */
  owner: boolean;
  /** Whether the policy gives the turn a tool. */
  has(tool: string): boolean;
  workspace: Workspace;
  readEtags: ReadEtags;
  /** What may be read besides the workspace. */
  resources: Resources;
  /** The resources of MCP servers, if the turn has any. */
  servers: ServerResources | undefined;
  skillFolders: SkillFolders;
  /** The shell, if the turn may run commands. */
  exec: ExecPort | undefined;
  /** Commands in the background, if the turn's session has any. */
  processes: ProcessesPort | undefined;
  /** A search of the web, if a service is set up. */
  search: WebSearchPort | undefined;
  /** The web, if the configuration has the agent fetch pages. */
  web: WebFetchPort | undefined;
  /** A browser, if one is bound. */
  browser: BrowserPort | undefined;
  /** Media, as far as there are models for them. */
  media: MediaPorts;
  /** Other sessions, if the turn may reach them. */
  sessions: SessionsPort | undefined;
  /** The way to send messages, if there is one. */
  outbox: OutboxPort | undefined;
  /** The agent's jobs, if the turn may set any. */
  jobs: JobsPort | undefined;
  /** The turn's session. */
  status: StatusPort;
  /** The configuration, if the turn may reach it. */
  config: ConfigPort | undefined;
  /** The door for words that are not the owner's. */
  outside: OutsidePort;
  /** The agent's memory, if the turn may search it. */
  recall: RecallPort | undefined;
  /** Whether `update_plan` is available. */
  plans: boolean;
}

/** The ports of the tools for media. A port is undefined, and its tool absent, where no model is there for it. */
export interface MediaPorts {
  look: LookPort | undefined;
  pictures: PicturePort | undefined;
  speech: SpeechPort | undefined;
  transcription: TranscriptionPort | undefined;
  made: MadeFilesPort;
}

/** The tools of a turn in the prompt's order, then those of plugins. */
export function toolsFor(deps: ToolDeps, plugins: readonly AnyTool[] = []): AnyTool[] {
  const {
    owner,
    has,
    workspace,
    readEtags,
    resources,
    servers,
    skillFolders,
    exec,
    processes,
    search,
    web,
    browser,
    media,
    sessions,
    jobs,
    status,
    outbox,
    config,
    recall,
    outside,
    plans,
  } = deps;
  const message = outbox === undefined ? [] : [messageTool(outbox, owner)];
  // Public pages may be read by everybody.
  const pages = owner || has("read") ? [] : [readPagesTool(resources), listPagesTool(resources)];
  const all = [
    readTool(workspace, readEtags, resources, skillFolders, outside, servers),
    writeTool(workspace, readEtags),
    editTool(workspace, readEtags),
    applyPatchTool(workspace, readEtags),
    grepTool(workspace, resources, outside),
    findTool(workspace),
    lsTool(workspace, resources, outside, servers),
    ...(exec === undefined ? [] : [execTool(exec, readEtags)]),
    ...(exec === undefined || processes === undefined ? [] : [processTool(processes)]),
    ...(search === undefined ? [] : [webSearchTool(search)]),
    ...(web === undefined ? [] : [webFetchTool(web)]),
    ...(browser === undefined ? [] : [browserTool(browser)]),
    ...(jobs === undefined ? [] : [cronTool(jobs)]),
    ...message,
    ...(config === undefined ? [] : [gatewayTool(config)]),
    ...(sessions === undefined ? [] : sessionTools(sessions)),
    sessionStatusTool(status, owner),
    ...(media.look === undefined ? [] : [imageTool(media.look, workspace)]),
    ...(recall === undefined ? [] : [memorySearchTool(recall), memoryGetTool(recall)]),
    ...(media.pictures === undefined ? [] : [imageGenerateTool(media.pictures, media.made)]),
    ...(media.transcription === undefined ? [] : [transcribeTool(media.transcription, workspace, outside)]),
    ...(media.speech === undefined ? [] : [ttsTool(media.speech, media.made)]),
    ...(plans ? [updatePlanTool()] : []),
    ...plugins,
  ];
  return [...pages, ...all.filter(({ name }) => has(name) && !pages.some((page) => page.name === name))];
}

function sessionTools(sessions: SessionsPort): AnyTool[] {
  return [
    ...(sessions.maySpawn ? [agentsListTool(sessions)] : []),
    sessionsListTool(sessions),
    sessionsHistoryTool(sessions),
    sessionsSendTool(sessions),
    ...(sessions.maySpawn ? [sessionsSpawnTool(sessions), subagentsTool(sessions)] : []),
  ];
}
