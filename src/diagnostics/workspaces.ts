import { type Agent, agentIds, agentOf, agentsByPrefix } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { reviewFiles } from "../workspace/acceptance.ts";
import { loadBootstrap } from "../workspace/bootstrap.ts";
import type { CachedText } from "../workspace/read-text.ts";
import { readState, STATE_FOLDER, STATE_PATH } from "../workspace/state.ts";
import type { Workspace, WorkspaceEntry } from "../workspace/workspace.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose files are checked: each costs up to ten R2 operations. */
const MAX_AGENTS = 20;
/** Most stray files that are reported. */
const MAX_STRAYS = 10;

/** Checks that each agent's files can be listed and read, and fit into the prompt. */
export async function examineWorkspaces({ services, bindings }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const ids = agentIds(services.config);
  const checks = ids.slice(0, MAX_AGENTS).map((id) => {
    const agent = agentOf(services.config, id);
    return examineWorkspace(agent, services.workspaceOf(agent), bindings.DB);
  });
  const more: Check[] = [
    {
      id: "workspaces.more",
      area: "workspaces",
      status: "ok",
      message: `There are ${ids.length} agents; the files of ${MAX_AGENTS} were checked.`,
    },
  ];
  return [
    ...(await Promise.all(checks)).flat(),
    ...(ids.length > MAX_AGENTS ? more : []),
    ...examineSharing(services.config),
  ];
}

/** Warns of agents that share a workspace, which is allowed but often a mistake. */
function examineSharing(config: Config): Check[] {
  const shared = [...agentsByPrefix(config)].filter(([, ids]) => ids.length > 1);
  return shared.map(([prefix, ids]) => ({
    id: `workspaces.shared.${prefix}`,
    area: "workspaces",
    status: "warn",
    message: `${ids.join(", ")} share the workspace ${prefix}: each reads and changes the files of the others.`,
    fix: "If that is a mistake, give each its own `workspace` in agents.list.",
  }));
}

type Config = NonNullable<DiagnosticsContext["services"]>["config"];

async function examineWorkspace(agent: Agent, workspace: Workspace, database: D1Database): Promise<Check[]> {
  const head = { id: `workspaces.${agent.id}`, area: "workspaces" } as const;
  const listing = await workspace.list("");
  if (!listing.some(({ path }) => path === STATE_FOLDER)) {
    return [
      { ...head, status: "ok", message: `'${agent.id}' has no workspace yet; it is created with the first message.` },
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
  const findings = [
    ...binary.map((path) => ({
      path,
      message: `${path} is not a text file, so the prompt leaves it out.`,
      fix: saveAsText(path),
    })),
    ...warnings.map((message) => ({ path: "", message, fix: "Rename or delete the file." })),
    ...shown.flatMap(({ path, missing, truncated, rawChars, warnings = [] }) => [
      ...(missing
        ? [{ path, message: `${path} is missing.`, fix: `Write it: PUT /v1/agents/${agent.id}/workspace/${path}.` }]
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
  return findings.map(({ path, message, fix }, at) => ({
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
      fix: `Delete it: DELETE /v1/agents/${agent.id}/workspace/${STATE_PATH}. It is created again, and no other file changes.`,
      path: STATE_PATH,
    },
  ];
}

/** Warns of objects in the bucket whose names are no valid path, or clash with another. */
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

/** Warns of bootstrap files that differ from what their owner has accepted; never where none was accepted. */
async function examineAcceptance(
  { id }: Agent,
  workspace: Pick<Workspace, "list">,
  database: D1Database,
): Promise<Check[]> {
  const head = { id: `workspaces.${id}.accepted`, area: "workspaces", status: "warn" } as const;
  const review = await reviewFiles(database, workspace, id).catch(messageOf);
  if (typeof review === "string") {
    const message = `'${id}': it cannot be checked whether its bootstrap files are accepted: ${review}`;
    return [{ ...head, message, fix: "See the check of the database." }];
  }
  const { hasAccepted, files } = review;
  const changed = files.filter(({ state }) => state !== "accepted");
  if (!hasAccepted || changed.length === 0) return [];
  const named = changed.map(({ path, state }) => `${path} (${state})`).join(", ");
  return [
    {
      ...head,
      message: `'${id}': bootstrap files that differ from what you have accepted: ${named}.`,
      fix: `Read them, then POST /v1/agents/${id}/bootstrap/accept.`,
    },
  ];
}
