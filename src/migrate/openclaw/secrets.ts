import { isSecretName, looksSecret, variableName } from "../../config/secret-ref.ts";
import { isJsonObject, type Json } from "../../lib/json.ts";
import { isLocalServer } from "../../models/local-server.ts";
import { addFindings, type ImportDraft, type ImportFinding, rewrite, type Step, takeOut } from "./draft.ts";
import { type Leaf, matches, matchStart, type Path } from "./leaves.ts";

const SOURCES = new Set<Json>(["env", "file", "exec"]);

const ENV_NAME = /^[A-Z][A-Z0-9_]*$/;

/** Whether a value is a reference to a secret as OpenClaw writes it; it is taken as one value. */
export function isReference(value: Json): boolean {
  if (!isJsonObject(value) || typeof value.id !== "string") return false;
  const isShape = Object.keys(value).every((key) => ["source", "provider", "id"].includes(key));
  return isShape && SOURCES.has(value.source ?? null);
}

/** Writes references to variables of the environment as we do: `${NAME}` and OpenClaw's own form. */
export const readReferences: Step = (draft) =>
  rewrite(draft, (leaf) => {
    const id = variableIn(leaf);
    if (id === undefined) return undefined;
    return { value: { source: "env", id }, why: `The secret is looked for in the Worker's variable ${id}.` };
  });

/** Says of skills with secrets that their hosts have to be named: OpenClaw has no such field. */
export const askForHosts: Step = (draft) => {
  const named = draft.leaves.filter(
    ({ path }) => matches(path, "skills.entries.*.apiKey") || matches(path, "skills.entries.*.env.*"),
  );
  const entries = new Map(named.map(({ path }) => [String(path[2]), path.slice(0, 3)]));
  const findings = [...entries].map(([skill, path]): ImportFinding => {
    const why = `Its secrets are put in as requests leave: name the hosts in skills.entries.${skill}.hosts, or you are asked at the first use.`;
    return { kind: "changed", path, why };
  });
  return addFindings(draft, ...findings);
};

/**
 * Refuses what must not be stored: secrets in plain text, references to files and programs, and text into which
 * variables would have to be filled. Where a secret stood there is now a reference to the variable that it goes into.
 */
export const refuseSecrets: Step = (draft) => {
  const isLocal = localProvidersOf(draft);
  const places: Path[] = [];
  const findings: ImportFinding[] = [];
  const leaves = draft.leaves.map((leaf) => {
    const why = whyRefused(leaf);
    if (why === undefined) return leaf;
    const { hint, value } = insteadOf(leaf, isLocal(leaf));
    findings.push({ kind: "refused", path: leaf.from, why, hint });
    if (value !== undefined) return { ...leaf, value, placed: true as const };
    places.push(leaf.path);
    return leaf;
  });
  return addFindings(takeOut({ ...draft, leaves }, places), ...findings);
};

/** What to do about a value that is refused, and what stands in its place. */
function insteadOf(leaf: Leaf, isLocal: boolean): { hint: string; value?: Json } {
  if (!isSecretPlace(leaf)) {
    return { hint: "Write the value itself; a secret goes into a field that takes a reference to one." };
  }
  const id = variableName(leaf.path);
  const put = `Put it into the Worker's secrets: wrangler secret put ${id}.`;
  const named = `The document names it as {source: "env", id: "${id}"}`;
  const hint = isLocal ? `${named}; without it, the server is asked without a key. ${put}` : `${put} ${named}.`;
  return { hint, value: { source: "env", id } };
}

function variableIn(leaf: Leaf): string | undefined {
  const { value } = leaf;
  if (isJsonObject(value))
    return value.source === "env" && typeof value.id === "string" && "provider" in value
      ? envName(value.id)
      : undefined;
  if (typeof value !== "string" || !isSecretPlace(leaf)) return undefined;
  const named = /^\$\{([^}]*)\}$/.exec(value)?.[1] ?? /^(?:\$|secretref-env:)(\w+)$/.exec(value)?.[1];
  if (named !== undefined) return envName(named);
  // The name alone was understood as well, where it looks like one.
  return ENV_NAME.test(value) && /_(?:KEY|TOKEN|SECRET|PASSWORD)$/.test(value) ? value : undefined;
}

function envName(name: string): string | undefined {
  return ENV_NAME.test(name) ? name : undefined;
}

const PLAIN_TEXT_SECRET = "It is a secret in plain text, and configurations are stored and shown.";

/** The fault of a value; it never contains the value. */
function whyRefused(leaf: Leaf): string | undefined {
  const { value } = leaf;
  if (isJsonObject(value) && isReference(value)) {
    return value.source === "env"
      ? undefined
      : `Secrets come from the Worker's environment, not from '${String(value.source)}'.`;
  }
  // A number of tokens is no token, but a password may be a number.
  if (typeof value === "number") return isSecretPlace(leaf) && !isPlural(leaf) ? PLAIN_TEXT_SECRET : undefined;
  if (typeof value !== "string" || value === "") return undefined;
  if (isSecretPlace(leaf)) return PLAIN_TEXT_SECRET;
  if (looksSecret(value)) return "It looks like a secret, and configurations are stored and shown.";
  return /(?<!\$)\$\{[A-Z_][A-Z0-9_]*\}/.test(value) ? "Variables are not filled into texts here." : undefined;
}

function isSecretPlace(leaf: Leaf): boolean {
  return isSecretName(nameOf(leaf)) || matches(leaf.path, "skills.entries.*.env.*");
}

function isPlural(leaf: Leaf): boolean {
  return /s$/i.test(nameOf(leaf));
}

/** The field that a value is of, also where it is one of a list. */
function nameOf({ path }: Leaf): string {
  return String(path.findLast((key) => typeof key === "string") ?? "");
}

/** Returns a test for values of a model server on the owner's own machine. */
function localProvidersOf({ leaves }: ImportDraft): (leaf: Leaf) => boolean {
  const local = leaves.filter(
    ({ path, value }) =>
      matches(path, "models.providers.*.baseUrl") && typeof value === "string" && isLocalServer(value),
  );
  const names = new Set(local.map(({ path }) => path[2]));
  return ({ path }) => matchStart(path, "models.providers.*") !== undefined && names.has(path[2]);
}
