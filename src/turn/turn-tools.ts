import type { AnyTool } from "../agent/tool.ts";
import { digestOf, shortDigest } from "../lib/digest.ts";
import { IsopodError } from "../lib/errors.ts";
import { VERSION } from "../lib/version.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import type { Label } from "../security/labels.ts";
import { createMask } from "../security/mask.ts";
import { SecretBroker } from "../security/secret-broker.ts";
import { transcriptReach } from "../services/memory/transcript-reach.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import { createShell } from "../shell/create-shell.ts";
import type { Skill } from "../skills/skill.ts";
import type { BrowserPort } from "../tools/browser.ts";
import type { ExecPort } from "../tools/exec.ts";
import type { AgentConfigChange, AgentConfigChanged, ConfigPort } from "../tools/gateway.ts";
import { toolsFor } from "../tools/index.ts";
import type { RecallPort } from "../tools/memory.ts";
import type { ProcessesPort } from "../tools/process.ts";
import type { Resource, Resources } from "../tools/resources.ts";
import type { FetchedImage, WebFetchPort } from "../tools/web-fetch.ts";
import type { WebSearchPort } from "../tools/web-search.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TurnGate } from "./gate.ts";
import { labelledLines } from "./labelled-lines.ts";
import { spawnDepth } from "./lineage.ts";
import { hostsOfSkillsIn } from "./skill-hosts.ts";
import { quarantinedFolders, withoutFolders } from "./skills/quarantined-folders.ts";
import type { TurnContext } from "./turn-context.ts";
import type { ToolsDeps } from "./turn-deps.ts";
import { turnMedia } from "./turn-media.ts";
import type { TurnPorts } from "./turn-ports.ts";

/** The tools of a turn: those that the policy gives its sender, and whose ports are open. */
export function turnTools(context: TurnContext, deps: ToolsDeps, workspace: Workspace): AnyTool[] {
  const { readEtags, extraTools, servers, skills, gate } = deps;
  const { services, principal } = context;
  const { owner } = principal;
  const plans = services.config.tools.experimental.planTool;
  const outside = outsidePort(services, deps.suspect);
  const own = {
    owner,
    has: (tool: string) => gate.has(tool),
    workspace,
    readEtags,
    resources: resourcesOf(skills, owner),
    servers,
    skillFolders: skills.files,
    exec: turnShell(context, skills, deps.workspaceFor, { outside, gate, background: deps.ports.processes }),
    search: turnSearch(context, outside),
    web: turnWeb(context, workspace, outside),
    media: turnMedia(context, workspace, { budget: deps.budget, outside }),
    ...deps.ports,
    browser: turnBrowser(context, workspace, { browser: deps.ports.browser, gate, outside }),
    config: gatewayPort(context),
    outside,
    recall: turnRecall(context, workspace, outside),
    plans,
  };
  gate.skillHosts = (script) => hostsOfSkillsIn(script, skills, workspace);
  return toolsFor(own, extraTools).map((tool) => gate.guard(tool));
}

/** The door for words that are not the owner's. */
export function outsidePort({ config }: TurnContext["services"], suspect: OutsidePort["suspect"]): OutsidePort {
  return { newFenceId, suspect, onInjection: config.security.injection.action };
}

/** The port for running commands; undefined if the agent may run none. Opening the port reads nothing. */
export function turnShell(
  { agent: { exec }, services }: Pick<TurnContext, "agent" | "services">,
  { env: values, secrets, mounts, set }: Pick<TurnSkills, "env" | "secrets" | "mounts" | "set">,
  workspaceFor: ToolsDeps["workspaceFor"],
  { outside, gate, background }: { outside: OutsidePort; gate: TurnGate; background: ProcessesPort | undefined },
): ExecPort | undefined {
  if (exec === undefined) return undefined;
  const broker = new SecretBroker(secrets);
  gate.broker = broker;
  const env = { ...values, ...broker.env };
  const maskedValues = { ...values, ...Object.fromEntries(secrets.map(({ variable, value }) => [variable, value])) };
  const hidden = quarantinedFolders(set);
  const deps = { mounts, fetch: services.egress, mask: createMask(maskedValues), now: Date.now };
  const { timeoutSec, backgroundMs: afterMs, notifyOnExit: wakes } = exec;
  return {
    shell: (approved) => createShell({ ...deps, workspace: withoutFolders(workspaceFor(approved), hidden) }),
    env,
    hidden,
    timeoutSec,
    outside,
    mayReach: (approved) => gate.mayReach(approved),
    beforeSend: (script, approved) => gate.beforeSend(script, approved),
    background: background && { ...background, afterMs, wakes },
  };
}

/** The port for fetching pages; undefined if the configuration has none. People who are not owners have no files. */
export function turnWeb(
  { agent, principal, services }: Pick<TurnContext, "agent" | "principal" | "services">,
  workspace: Pick<Workspace, "write">,
  outside: OutsidePort,
): WebFetchPort | undefined {
  const { enabled, maxChars, maxRedirects, timeoutSeconds, cacheTtlMinutes, userAgent } =
    services.config.tools.web.fetch;
  if (!enabled) return undefined;
  return {
    egress: services.egress,
    pages: services.pages.of(agent.id, cacheTtlMinutes * 60_000),
    readDocument: services.readDocument,
    keepImage: principal.owner ? (image) => keepImage("web", image, workspace) : undefined,
    maxChars,
    maxRedirects,
    timeoutMs: timeoutSeconds * 1000,
    userAgent: userAgent ?? `Mozilla/5.0 (compatible; Isopod/${VERSION})`,
    outside,
  };
}

/** The port for driving a page; undefined where no browser is bound, or the configuration has none. */
export function turnBrowser(
  { principal, services }: Pick<TurnContext, "principal" | "services">,
  workspace: Pick<Workspace, "write">,
  { browser, gate, outside }: { browser: TurnPorts["browser"]; gate: TurnGate; outside: OutsidePort },
): BrowserPort | undefined {
  const { browser: binding, config, egress } = services;
  const { enabled, idleSeconds } = config.tools.web.browser;
  if (binding === undefined || browser === undefined || !enabled) return undefined;
  return {
    browser,
    source: { binding, idleMs: idleSeconds * 1000 },
    egress,
    mayLoad: (url, from, opened) => gate.mayLoad(url, from, opened),
    keepImage: principal.owner ? (image) => keepImage("browser", image, workspace) : undefined,
    outside,
  };
}

/** The port for searching the web; undefined if no service is set up. */
export function turnSearch(
  { agent, services }: Pick<TurnContext, "agent" | "services">,
  outside: OutsidePort,
): WebSearchPort | undefined {
  const { search: service, searches, config } = services;
  if (service === undefined) return undefined;
  const { maxResults, cacheTtlMinutes } = config.tools.web.search;
  return { service, answers: searches.of(agent.id, cacheTtlMinutes * 60_000), maxResults, outside };
}

/** Stores an image from outside; the same one has the same path. @throws WorkspaceError */
export async function keepImage(
  from: string,
  { bytes, mediaType, labels }: FetchedImage,
  workspace: Pick<Workspace, "write">,
): Promise<string> {
  return keepFile(from, { bytes, extension: `.${mediaType.slice(mediaType.indexOf("/") + 1)}`, labels }, workspace);
}

/** Stores a file from outside; the same one has the same path. @throws WorkspaceError */
export async function keepFile(
  from: string,
  { bytes, extension, labels }: { bytes: Uint8Array; extension: string; labels: readonly Label[] },
  workspace: Pick<Workspace, "write">,
): Promise<string> {
  const digest = await digestOf("SHA-256", bytes);
  const path = `inbox/${from}-${digest.slice(0, 16)}${extension}`;
  await workspace.write(path, bytes, { kind: "any" }, { labels });
  return path;
}

/**
 * The port for searching the agent's memory; undefined if the turn may not. Only owners' turns may, and no sub-agent's:
 * its task contains what it needs, as with MEMORY.md. Opening the port reads nothing.
 */
export function turnRecall(
  { session, principal, agent, services }: TurnContext,
  workspace: Workspace,
  outside: OutsidePort,
): RecallPort | undefined {
  if (!agent.memorySearch.enabled || !principal.owner || spawnDepth(session) > 0) return undefined;
  const { citations } = services.config.memory;
  return {
    memory: services.memoryOf(agent, transcriptReach({ ...session, agentId: agent.id }, services.config.tools)),
    cites: citations === "on" || (citations === "auto" && principal.place === "direct"),
    outside,
    labelledLines: (paths) => labelledLines(paths, workspace),
  };
}

/**
 * The configuration port of a turn; undefined if the turn may not use it: only owners' turns may, in a session that is
 * neither a sub-agent nor scheduled.
 */
export function gatewayPort(context: TurnContext): ConfigPort | undefined {
  const { principal, mode, session } = context;
  const { configuration } = context.services;
  if (!principal.owner || mode !== "full" || session.settings.spawned !== undefined) return undefined;
  return {
    schema: configuration.describe,
    newest: () => inWords(configuration.newest()),
    change: (wanted) => inWords(change(context, wanted)),
  };
}

async function change(
  { session: { key }, runId, agent: { id: agentId }, services: { configuration } }: TurnContext,
  { callId, base, change, note }: AgentConfigChange,
): Promise<AgentConfigChanged> {
  const author = `gateway:${agentId}/${await shortDigest(JSON.stringify([key, runId, callId, base]))}`;
  const run = runId === undefined ? {} : { run: { agentId, sessionKey: key, runId } };
  const outcome = await configuration.change({ base, change, author, note, ...run });
  if (outcome.kind === "invalid") return outcome;
  if (outcome.kind === "conflict") {
    // A call that was interrupted after it had stored its change is repeated.
    const next = await configuration.at(base + 1);
    return next?.author === author ? { kind: "stored", revision: base + 1, changed: next.changed } : outcome;
  }
  const { revision, changed } = outcome;
  return { kind: outcome.kind === "same" ? "same" : "stored", revision, changed };
}

/** Rewrites an error as one text for the model: the problem and its hint. */
async function inWords<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof IsopodError) || error.hint === undefined) throw error;
    throw new Error(`${error.message} ${error.hint}`, { cause: error });
  }
}

/** Isopod's own documentation, which is loaded where it is read. */
const docs: Resource = {
  read: async (path) => (await import("../docs/pages.ts")).findPage(path)?.text,
  list: async () =>
    (await import("../docs/pages.ts")).PAGES.map(({ name, title, about }) => ({
      path: name,
      about: `${title}: ${about}`,
    })),
};

/**
 * The resources that may be read besides the workspace: the documentation for all senders, and the agent's skills for
 * owners.
 */
export function resourcesOf({ set, files, read }: TurnSkills, owner: boolean): Resources {
  return owner ? { docs, skills: skillsResource(set.eligible, files, read) } : { docs };
}

const SCHEME = "skills://";

/** The files of usable skills. A SKILL.md is read as text with its variables replaced; other files as bytes. */
function skillsResource(eligible: readonly Skill[], files: TurnSkills["files"], read: TurnSkills["read"]): Resource {
  const skillAt = (address: string) => eligible.find(({ location }) => location === address);
  return {
    read: (path) => (skillAt(`${SCHEME}${path}`) ? read(`${SCHEME}${path}`) : files.readFile(`${SCHEME}${path}`)),
    async list(path) {
      const found = await files.list(`${SCHEME}${path}`);
      return found.map((file) => {
        const name = skillAt(file.path)?.name;
        const about = name === undefined ? String(file.size) : `${file.size}  skill: ${name}`;
        return { path: file.path.slice(SCHEME.length), about, size: file.size };
      });
    },
  };
}
