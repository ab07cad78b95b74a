import type { Json } from "../../lib/json.ts";
import {
  addFindings,
  type ImportDraft,
  type ImportFinding,
  leavesAt,
  originOf,
  rewrite,
  type Step,
  without,
} from "./draft.ts";
import { type Leaf, lengthOf, matches, matchStart, type Pattern } from "./leaves.ts";

/** A value that has another form here. */
interface Rewriting {
  at: Pattern;
  /** The new value and the reason; undefined if it needs no change. `draft` is the state before all rewritings. */
  to(value: Json, leaf: Leaf, draft: ImportDraft): { value: Json; why: string } | undefined;
}

const REWRITINGS: readonly Rewriting[] = [
  ...["agents.defaults.thinkingDefault", "agents.defaults.subagents.thinking"].map(
    (at): Rewriting => ({ at, to: oneOf({ xhigh: "high", max: "high", adaptive: "medium" }) }),
  ),
  ...["messages.queue.mode", "messages.queue.byChannel.*"].map(
    (at): Rewriting => ({ at, to: oneOf({ "steer-backlog": "steer", "steer+backlog": "steer", queue: "steer" }) }),
  ),
  { at: "session.reset.mode", to: oneOf({ manual: "none" }) },
  {
    at: "agents.defaults.contextPruning.mode",
    to: oneOf({ "cache-ttl": "auto", adaptive: "auto", aggressive: "auto" }),
  },
  { at: "agents.defaults.verboseDefault", to: fromBoolean("on", "off") },
  { at: "agents.defaults.blockStreamingDefault", to: fromBoolean("on", "off") },
  { at: "agents.defaults.models.*.alias", to: aliasName },
  ...["agents.defaults.model", "agents.defaults.model.primary", "agents.defaults.model.fallbacks.*"].map(
    (at): Rewriting => ({ at, to: fullModelName }),
  ),
  ...["agents.list.*.model", "agents.list.*.model.primary", "agents.list.*.model.fallbacks.*"].map(
    (at): Rewriting => ({ at, to: fullModelName }),
  ),
  ...["allowFrom.*", "groupAllowFrom.*"].map(
    (field): Rewriting => ({ at: `channels.*.accounts.*.${field}`, to: senderId }),
  ),
  { at: "commands.ownerAllowFrom.*", to: (value) => asText(value) },
  { at: "bindings.*.match.peer.kind", to: oneOf({ dm: "direct" }) },
  { at: "bindings.*.match.peer.id", to: (value) => asText(value) },
  ...["agents.defaults", "agents.list.*"].map(
    (whose): Rewriting => ({ at: `${whose}.memorySearch.provider`, to: oneOf({ "openai-compatible": "openai" }) }),
  ),
  { at: "models.providers.*.api", to: wireFormat },
  { at: "models.providers.*.baseUrl", to: baseUrl },
];

/** Rewrites values into the form that they have here. */
export const rewriteValues: Step = (draft) =>
  rewrite(draft, (leaf) => REWRITINGS.find(({ at }) => matches(leaf.path, at))?.to(leaf.value, leaf, draft));

function oneOf(words: Readonly<Record<string, string>>): Rewriting["to"] {
  const known = new Map(Object.entries(words));
  return (value) => {
    const word = typeof value === "string" ? known.get(value) : undefined;
    return word === undefined ? undefined : { value: word, why: `'${String(value)}' is '${word}' here.` };
  };
}

function fromBoolean(yes: string, no: string): Rewriting["to"] {
  return (value) => {
    if (typeof value !== "boolean") return undefined;
    const word = value ? yes : no;
    return { value: word, why: `${value} is written '${word}' here.` };
  };
}

function asText(value: Json) {
  return typeof value === "number" ? { value: String(value), why: "Ids are texts here." } : undefined;
}

/** Senders are ids without the channel's name before them. */
function senderId(value: Json, { path }: Leaf) {
  if (typeof value !== "string") return asText(value);
  const prefix = new RegExp(`^(?:${path[1] === "telegram" ? "tg|telegram" : String(path[1])}):`, "i");
  if (!prefix.test(value)) return undefined;
  return { value: value.replace(prefix, ""), why: "The channel's name before an id is left out here." };
}

function aliasName(value: Json) {
  if (typeof value !== "string" || /^[\w.-]{1,40}$/.test(value)) return undefined;
  const name = value
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return name === "" ? undefined : { value: name, why: `A short name is one word here: '${name}'.` };
}

/** OpenClaw took a model without a provider for Anthropic's, unless it was a short name. */
function fullModelName(value: Json, _: Leaf, draft: ImportDraft) {
  if (typeof value !== "string" || value.includes("/") || !/^claude-/.test(value)) return undefined;
  const isAlias = leavesAt(draft, ["agents", "defaults", "models"]).some((leaf) => leaf.value === value);
  return isAlias ? undefined : { value: `anthropic/${value}`, why: "A model is named with its provider here." };
}

function wireFormat(value: Json) {
  if (value !== "openai" && value !== "ollama") return undefined;
  return { value: "openai-completions", why: `'${value}' is openai-completions here.` };
}

/** OpenClaw's client for Anthropic's format added the version, and the one for Ollama asked its own API. */
function baseUrl(value: Json, { path }: Leaf, draft: ImportDraft) {
  if (typeof value !== "string" || !URL.canParse(value) || /\/v\d+[a-z]*\/?$/.test(value)) return undefined;
  const api = leavesAt(draft, [...path.slice(0, -1), "api"])[0];
  if (api?.value !== "anthropic-messages" && api?.value !== "ollama") return undefined;
  return { value: `${value.replace(/\/+$/, "")}/v1`, why: "The address is written with its version here." };
}

/** A setting that restates how Isopod works anyway, and is dropped without loss. */
interface RedundantSetting {
  at: Pattern;
  /** The values for which that is so. */
  if(value: Json): boolean;
  why: string;
}

const always = () => true;
/** Whether a path is on a disk: `~`, absolute, or a variable. */
export const isDiskPath = (value: Json) => typeof value === "string" && /^(?:~|\/|[A-Za-z]:|\.\.|\$)/.test(value);
const OWN_WORKSPACE = "It is a folder on a disk. The agent's files are in R2, below agents/<id>/workspace/.";

const REDUNDANT: readonly RedundantSetting[] = [
  { at: "agents.defaults.workspace", if: isDiskPath, why: OWN_WORKSPACE },
  { at: "agents.list.*.workspace", if: isDiskPath, why: OWN_WORKSPACE },
  { at: "agents.list.*.agentDir", if: isDiskPath, why: "What an agent keeps is in its sessions' objects and in D1." },
  { at: "session.mainKey", if: (value) => value === "main", why: "The main session is always called main." },
  {
    at: "session.scope",
    if: (value) => value === "per-sender",
    why: "That is the rule here; session.dmScope refines it.",
  },
  { at: "bindings.*.type", if: (value) => value === "route", why: "That is what a binding does here." },
  {
    at: "agents.defaults.memorySearch.provider",
    if: (value) => value === "auto",
    why: "Without a provider one is chosen here.",
  },
  { at: "models.mode", if: (value) => value === "merge", why: "The built-in providers are always there as well." },
  { at: "models.providers.*.authHeader", if: (value) => value === true, why: "A key is always sent in a header." },
  {
    at: "channels.*.accounts.*.webhookUrl",
    if: always,
    why: "Every account has its own address here: /channels/<channel>/<account>/webhook.",
  },
  {
    at: "channels.*.accounts.*.webhookPath",
    if: always,
    why: "Every account has its own address here: /channels/<channel>/<account>/webhook.",
  },
  {
    at: "channels.*.defaultAccount",
    if: (value) => value === "default",
    why: "The account 'default' is the default here.",
  },
  {
    at: "skills.allowBundled",
    if: (value) => Array.isArray(value) && value.length === 0,
    why: "In OpenClaw an empty list allowed all bundled skills; here an absent list does.",
  },
  { at: "meta", if: always, why: "OpenClaw's own bookkeeping." },
  { at: "wizard", if: always, why: "OpenClaw's own bookkeeping." },
  { at: "$schema", if: always, why: "Isopod's schema is at GET /v1/config/schema." },
];

/** Drops redundant settings, with a finding for each. */
export const dropRedundant: Step = (draft) => REDUNDANT.reduce(drop, draft);

function drop(draft: ImportDraft, { at, if: holds, why }: RedundantSetting): ImportDraft {
  const goes = ({ path, value }: Leaf) => matchStart(path, at) !== undefined && holds(value);
  const findings = draft.leaves.filter(goes).map((leaf): ImportFinding => {
    return { kind: "changed", path: originOf(leaf, leaf.path.slice(0, lengthOf(at))), why };
  });
  return addFindings(without(draft, goes), ...findings);
}
