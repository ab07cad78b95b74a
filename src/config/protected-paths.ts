import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { fieldPath } from "./field-path.ts";

/** What holds for `tools` of all and of one agent. `bash` is an old name of `exec`. */
const TOOLS = [
  "profile",
  "allow",
  "deny",
  "bash",
  "elevated",
  "exec.security",
  "exec.ask",
  "exec.allowlist",
  "sessions",
  "agentToAgent",
  "web",
];

/** What bounds one agent. */
const AGENT = [
  "workspace",
  "sandbox",
  "elevatedDefault",
  "skills",
  "subagents.allowAgents",
  "subagents.maxSpawnDepth",
  "subagents.maxChildren",
  "memorySearch.enabled",
  "memorySearch.experimental",
  "memorySearch.extraPaths",
  "memorySearch.fallback",
  "memorySearch.model",
  "memorySearch.outputDimensionality",
  "memorySearch.provider",
  "memorySearch.remote",
  "memorySearch.sources",
  "memorySearch.store",
];

/**
 * The fields that an agent may never write, with all below them: how commands are run and approved, who may speak, who
 * answers and with whom a session is shared, what may be spent, secrets and where they are sent, whether there is an index of memory, what it is made of and to whom its texts are sent, which skills there are and may be
 * used, because whoever may use one gets the secrets of its entry, plugins, expressions that everybody's words are held against, which may take for ever, and what bounds an agent's own rights. `*` is any name.
 */
const PROTECTED: readonly (readonly string[])[] = [
  "approvals",
  "auth",
  "bindings",
  "budgets",
  "channels",
  "commands",
  "cron.webhookToken",
  "gateway",
  "hooks",
  "messages.groupChat.mentionPatterns",
  "models.providers",
  "plugins",
  "prompt.personalFiles",
  "security",
  "session.dmScope",
  "session.identityLinks",
  "session.retention",
  "skills.allowBundled",
  "skills.entries.*.apiKey",
  "skills.entries.*.enabled",
  "skills.entries.*.env",
  "skills.install",
  "skills.limits.maxCandidatesPerRoot",
  "skills.limits.maxSkillFileBytes",
  "skills.limits.maxSkillsLoadedPerSource",
  "skills.load",
  ...TOOLS.map((name) => `tools.${name}`),
  ...["defaults", "list.*"].flatMap((whose) => [
    ...AGENT.map((name) => `agents.${whose}.${name}`),
    ...TOOLS.map((name) => `agents.${whose}.tools.${name}`),
    `agents.${whose}.groupChat.mentionPatterns`,
  ]),
].map((path) => path.split("."));

/** Fields below those that an agent may write all the same. */
const OPEN: readonly (readonly string[])[] = ["blockStreaming", "requireMention"].flatMap((name) => [
  ["channels", "*", name],
  ["channels", "*", "accounts", "*", name],
]);

/** Whether an agent may never write a field. @param path the names on the way to it, `*` for any */
export function isProtected(path: readonly string[]): boolean {
  return PROTECTED.some((pattern) => begins(path, pattern)) && !OPEN.some((pattern) => begins(path, pattern));
}

/**
 * The protected fields in which two documents differ, as paths. It is the documents that are compared, so that it does not
 * matter how a change is written: as a patch, as a list, as a `null`, or as the whole. Agents are told apart by their id,
 * not by their place in the list.
 */
export function protectedChanges(before: JsonObject, after: JsonObject): string[] {
  const [old, now] = [guardedFields(before), guardedFields(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => old.get(name)?.value !== now.get(name)?.value);
  const whole: string[] = [];
  // From behind, a field comes right before all that is below it: `,` sorts before `]`.
  for (const name of changed.sort().reverse()) {
    const above = whole.at(-1);
    if (above === undefined || !isBelow(name, above)) whole.push(name);
  }
  return whole.reverse().flatMap((name) => (now.get(name) ?? old.get(name))?.path ?? []);
}

/** A guarded field: how its path is written, and its value as canonical JSON; of an object only that it is there. */
interface Guarded {
  path: string;
  value: string;
}

/** The guarded fields of a document, by a name that says the same of the same field in every document. */
function guardedFields(document: JsonObject): Map<string, Guarded> {
  const found = new Map<string, Guarded>();
  const note = (names: readonly string[], path: readonly PropertyKey[], value: string) =>
    found.set(JSON.stringify(names), { path: fieldPath(path), value });
  const walk = (value: Json, names: readonly string[], path: readonly PropertyKey[]): void => {
    const guarded = isProtected(names);
    const entries = isJsonObject(value) ? Object.entries(value) : undefined;
    if (guarded) note(names, path, entries === undefined ? canonicalJson(value) : "{}");
    for (const [name, inner] of entries ?? []) walk(inner, [...names, name], [...path, name]);
    if (!Array.isArray(value) || guarded) return;
    const ids = idsOf(value);
    for (const [at, inner] of value.entries()) walk(inner, [...names, ids[at] ?? ""], [...path, at]);
  };
  walk(document, [], []);
  note(["which agents there are, and who answers"], ["agents", "list"], rosterOf(document));
  return found;
}

/**
 * The ids of all agents, and that of the default one. Tools, budgets and workspaces are bounded by agent: who adds one, or
 * has another one answer, is past those bounds.
 */
function rosterOf({ agents }: JsonObject): string {
  const list = isJsonObject(agents) && Array.isArray(agents.list) ? agents.list : [];
  const entries = list.length === 0 ? [{ id: "main" }] : list;
  const answering = entries.find((entry) => isJsonObject(entry) && Boolean(entry.default)) ?? entries[0] ?? null;
  return canonicalJson([idOf(answering), ...entries.map(idOf).sort()]);
}

function idOf(entry: Json): string {
  return canonicalJson(isJsonObject(entry) ? (entry.id ?? null) : entry);
}

/** What tells the entries of a list apart: their id, and where several have the same, which of them it is. */
function idsOf(list: readonly Json[]): string[] {
  const seen = new Map<string, number>();
  return list.map((entry, at) => {
    const id = isJsonObject(entry) && typeof entry.id === "string" ? `id ${entry.id}` : `at ${at}`;
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return `${id} ${count}`;
  });
}

function isBelow(name: string, above: string): boolean {
  return name.startsWith(`${above.slice(0, -1)},`);
}

/** Whether a path begins with a pattern. A `*` of the path is any name, too. */
function begins(path: readonly string[], pattern: readonly string[]): boolean {
  return pattern.length <= path.length && pattern.every((name, at) => name === "*" || name === path[at]);
}
