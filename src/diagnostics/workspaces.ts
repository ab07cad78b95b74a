import { type Agent, agentIds, agentOf, agentsByPrefix } from "../config/agents.ts";
import { loadBootstrap } from "../workspace/bootstrap.ts";
import type { CachedText } from "../workspace/read-text.ts";
import { readState, STATE_FOLDER, STATE_PATH } from "../workspace/state.ts";
import type { Workspace, WorkspaceEntry } from "../workspace/workspace.ts";
import { examineAcceptance } from "./acceptance.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose files are looked at: each costs up to ten operations of R2. */
const MAX_AGENTS = 20;
/** Most files that are named as lost. */
const MAX_STRAYS = 10;

/** Whether each agent's files can be listed and read, and get into the prompt as they are. */
export async function examineWorkspaces({ services, env }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const ids = agentIds(services.config);
  const looked = ids.slice(0, MAX_AGENTS).map((id) => {
    const agent = agentOf(services.config, id);
    return examineWorkspace(agent, services.workspaceOf(agent), env.DB);
  });
  const more: Check[] = [
    {
      id: "workspaces.more",
      area: "workspaces",
      status: "ok",
      message: `There are ${ids.length} agents; the files of ${MAX_AGENTS} were looked at.`,
    },
  ];
  return [
    ...(await Promise.all(looked)).flat(),
    ...(ids.length > MAX_AGENTS ? more : []),
    ...examineSharing(services.config),
  ];
}

/** Agents with one workspace between them. It is allowed, and easily not what was meant. */
function examineSharing(config: Config): Check[] {
  const shared = [...agentsByPrefix(config)].filter(([, ids]) => ids.length > 1);
  return shared.map(([prefix, ids]) => ({
    id: `workspaces.shared.${prefix}`,
    area: "workspaces",
    status: "warn",
    message: `${ids.join(", ")} have one workspace, ${prefix}: each reads and changes the files of the others.`,
    fix: "If that is not meant, give each a `workspace` of its own in agents.list.",
  }));
}

type Config = NonNullable<DiagnosticsContext["services"]>["config"];

async function examineWorkspace(agent: Agent, workspace: Workspace, database: D1Database): Promise<Check[]> {
  const head = { id: `workspaces.${agent.id}`, area: "workspaces" } as const;
  const listing = await workspace.list("");
  if (!listing.some(({ path }) => path === STATE_FOLDER)) {
    return [
      { ...head, status: "ok", message: `'${agent.id}' has no workspace yet; it is made with the first message.` },
    ];
  }
  const found = await Promise.all([
    examineFiles(agent, workspace, listing),
    examineAcceptance(agent, workspace, database),
    examineState(agent, workspace),
    examineStrays(agent, workspace),
  ]);
  const problems = found.flat();
  const message = `'${agent.id}' has ${listing.length} files and folders.`;
  return problems.length > 0 ? problems : [{ ...head, status: "ok", message }];
}

async function examineFiles(agent: Agent, workspace: Workspace, listing: readonly WorkspaceEntry[]): Promise<Check[]> {
  const { skipBootstrap, bootstrapMaxChars, bootstrapTotalMaxChars } = agent.defaults;
  if (skipBootstrap) return [];
  const cache = new Map<string, CachedText>();
  const { shown, warnings } = await loadBootstrap({
    workspace,
    listing,
    cache,
    mode: "full",
    heartbeat: false,
    firstConversation: "here",
    personal: true,
    limits: { fileChars: bootstrapMaxChars, totalChars: bootstrapTotalMaxChars },
  });
  const binary = [...cache].filter(([, { kind }]) => kind === "binary").map(([path]) => path);
  const said = [
    ...binary.map((path) => ({ path, message: `${path} is no text, so nobody is shown it.`, fix: saveAsText(path) })),
    ...warnings.map((message) => ({ path: "", message, fix: "Rename or delete what is in the way." })),
    ...shown.flatMap(({ path, missing, truncated, rawChars, warnings = [] }) => [
      ...(missing
        ? [{ path, message: `${path} is not there.`, fix: `Write it: PUT /v1/agents/${agent.id}/workspace/${path}.` }]
        : []),
      ...(truncated
        ? [
            {
              path,
              message: `${path} has ${rawChars} characters, and the prompt shows only a part of them.`,
              fix: SHORTEN,
            },
          ]
        : []),
      ...warnings.map((message) => ({ path, message, fix: saveAsText(path) })),
    ]),
  ];
  return said.map(({ path, message, fix }, at) => ({
    id: `workspaces.${agent.id}.${path || "names"}.${at}`,
    area: "workspaces",
    status: "warn",
    message: `'${agent.id}': ${message}`,
    fix,
    ...(path !== "" && { path }),
  }));
}

function saveAsText(path: string): string {
  return `Save ${path} as plain text in UTF-8.`;
}

const SHORTEN = "Shorten it, or raise agents.defaults.bootstrapMaxChars and bootstrapTotalMaxChars.";

async function examineState(agent: Agent, workspace: Workspace): Promise<Check[]> {
  const state = await readState(workspace);
  if (state.kind !== "damaged") return [];
  return [
    {
      id: `workspaces.${agent.id}.state`,
      area: "workspaces",
      status: "warn",
      message: `'${agent.id}': ${STATE_PATH} cannot be read: ${state.why}`,
      fix: `Delete it: DELETE /v1/agents/${agent.id}/workspace/${STATE_PATH}. It is made anew, and no other file is touched.`,
      path: STATE_PATH,
    },
  ];
}

/** Files that programs put into the bucket and that no agent can name, or takes for another. */
async function examineStrays(agent: Agent, workspace: Workspace): Promise<Check[]> {
  const strays = await workspace.strays();
  return strays.slice(0, MAX_STRAYS).map(({ path, why }) => ({
    id: `workspaces.${agent.id}.stray.${path}`,
    area: "workspaces",
    status: "warn",
    message: `'${agent.id}': the bucket has ${path}. ${why}`,
    fix: "Rename or delete it in the bucket, with any S3 client.",
    path,
  }));
}
