import type { Json } from "../../lib/json.ts";
import { type Draft, type Finding, find, originOf, type Step, without } from "./draft.ts";
import type { Leaf } from "./leaves.ts";
import { lengthOf, matchStart, type Pattern } from "./pattern.ts";

/** A setting that says what is so here anyway, and that therefore goes without loss. */
interface Truism {
  at: Pattern;
  /** Which values say so. */
  if(value: Json): boolean;
  why: string;
}

const always = () => true;
/** `~` and absolute paths are of a disk that is not here. */
export const isOfADisk = (value: Json) => typeof value === "string" && /^(?:~|\/|[A-Za-z]:|\.\.|\$)/.test(value);
const OWN_WORKSPACE = "It is a folder of a machine. The agent's files are in R2, below agents/<id>/workspace/.";

const TRUISMS: readonly Truism[] = [
  { at: "agents.defaults.workspace", if: isOfADisk, why: OWN_WORKSPACE },
  { at: "agents.list.*.workspace", if: isOfADisk, why: OWN_WORKSPACE },
  { at: "agents.list.*.agentDir", if: isOfADisk, why: "What an agent keeps is in its sessions' objects and in D1." },
  { at: "session.mainKey", if: (value) => value === "main", why: "The main session is always called main." },
  {
    at: "session.scope",
    if: (value) => value === "per-sender",
    why: "That is how it is here; session.dmScope says more.",
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
  { at: "channels.*.defaultAccount", if: (value) => value === "default", why: "The account 'default' is that here." },
  {
    at: "skills.allowBundled",
    if: (value) => Array.isArray(value) && value.length === 0,
    why: "An empty list allowed all bundled skills there, as none does here.",
  },
  { at: "meta", if: always, why: "OpenClaw keeps its own books there." },
  { at: "wizard", if: always, why: "OpenClaw keeps its own books there." },
  { at: "$schema", if: always, why: "Isopod's schema is at GET /v1/config/schema." },
];

/** Takes out what says nothing new, and says so. */
export const dropTruisms: Step = (draft) => TRUISMS.reduce(drop, draft);

function drop(draft: Draft, { at, if: holds, why }: Truism): Draft {
  const goes = ({ path, value }: Leaf) => matchStart(path, at) !== undefined && holds(value);
  const findings = draft.leaves.filter(goes).map((leaf): Finding => {
    return { kind: "changed", path: originOf(leaf, leaf.path.slice(0, lengthOf(at))), why };
  });
  return find(without(draft, goes), ...findings);
}
