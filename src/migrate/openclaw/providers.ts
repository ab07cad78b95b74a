import { variableName } from "../../config/secret-ref.ts";
import type { Json } from "../../lib/json.ts";
import { type Draft, type Finding, find, inOrder, leavesAt, type Step, takeOut, withLeaves, without } from "./draft.ts";
import { type Leaf, matches, type Path } from "./leaves.ts";

/** Model providers and the keys for them, as we have them. */
export const gatherProviders: Step = inOrder(giveWireFormats, giveProfilesKeys, dropLogins);

/** OpenClaw asks a provider that names no wire format in this one. */
const USUAL_FORMAT = "openai-responses";

/** Every provider names its wire format: its models' where they all have one, else the usual one. */
function giveWireFormats(draft: Draft): Draft {
  return namesBelow(draft, ["models", "providers"]).reduce((current, name) => {
    const provider = ["models", "providers", name];
    const own = leavesAt(current, [...provider, "api"])[0];
    const ofModels = current.leaves.filter(
      ({ path }) => path[2] === name && matches(path, "models.providers.*.models.*.api"),
    );
    const formats = [...new Set([own, ...ofModels].flatMap((leaf) => (leaf === undefined ? [] : [leaf.value])))];
    if (formats.length > 1) return current;
    const told = find(
      without(current, (leaf) => ofModels.includes(leaf)),
      ...ofModels.map(({ from }): Finding => ({ kind: "changed", path: from, why: "The provider says it for all." })),
    );
    if (own !== undefined || leavesAt(current, [...provider, "baseUrl"]).length === 0) return told;
    const [value = USUAL_FORMAT] = formats;
    const api: Leaf = { from: provider, path: [...provider, "api"], value, placed: true };
    const why = `It names no wire format, so it is asked in '${String(value)}'.`;
    return find(withLeaves(told, api), { kind: "changed", path: provider, why });
  }, draft);
}

/** OpenClaw keeps the keys of profiles elsewhere; here a profile names the variable that its key is in. */
function giveProfilesKeys(draft: Draft): Draft {
  return namesBelow(draft, ["auth", "profiles"]).reduce((current, name) => {
    const profile = ["auth", "profiles", name];
    if (isLogin(current, profile)) return current;
    const bare = dropHead(current, profile);
    if (leavesAt(bare, [...profile, "apiKey"]).length > 0) return bare;
    const id = variableName([...profile, "apiKey"]);
    const key: Leaf = { from: profile, path: [...profile, "apiKey"], value: { source: "env", id }, placed: true };
    const why = `Its key is not in the document. Put it where it is looked for: wrangler secret put ${id}.`;
    return find(withLeaves(bare, key), { kind: "changed", path: profile, why });
  }, draft);
}

/** Leaves out what a profile says of itself beside its provider and key. */
function dropHead(draft: Draft, profile: Path): Draft {
  const said = leavesAt(draft, profile).filter(({ path }) => path.length === 4 && isHead(path[3]));
  const why = "A profile is a provider and a key here, and nothing else.";
  return find(
    without(draft, (leaf) => said.includes(leaf)),
    ...said.map(({ from }): Finding => ({ kind: "changed", path: from, why })),
  );
}

function isHead(field: string | number | undefined): boolean {
  return field === "mode" || field === "email" || field === "displayName";
}

/** Profiles that are logins are no keys: they and their places in an order stay behind. */
function dropLogins(draft: Draft): Draft {
  const names = namesBelow(draft, ["auth", "profiles"]).filter((name) => isLogin(draft, ["auth", "profiles", name]));
  const profiles = names.map((name): Path => ["auth", "profiles", name]);
  const gone = new Set<Json>(names);
  const places = draft.leaves.filter(({ path, value }) => matches(path, "auth.order.*.*") && gone.has(value));
  const left = takeOut(draft, [...profiles, ...places.map(({ path }) => path)]);
  return find(
    left,
    ...profiles.map((path): Finding => {
      const why = "It is a login by OAuth or of a subscription, and only API keys are used here.";
      const hint = "Make an API key at the provider, and name it in auth.profiles.";
      return { kind: "unknown", path, why, hint };
    }),
    ...places.map(({ from }): Finding => ({ kind: "changed", path: from, why: "The profile stays behind." })),
  );
}

function isLogin(draft: Draft, profile: Path): boolean {
  const mode = leavesAt(draft, [...profile, "mode"])[0]?.value;
  return mode === "oauth" || mode === "token";
}

function namesBelow({ leaves }: Draft, folder: Path): string[] {
  const below = leaves.filter(({ path }) => folder.every((key, at) => path[at] === key));
  return [...new Set(below.flatMap(({ path }) => path[folder.length] ?? []))].map(String);
}
