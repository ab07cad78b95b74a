import { variableName } from "../../config/secret-ref.ts";
import type { Json } from "../../lib/json.ts";
import { BUILT_IN_PROVIDERS } from "../../models/providers.ts";
import {
  addFindings,
  type ImportDraft,
  type ImportFinding,
  inOrder,
  leavesAt,
  type Step,
  takeOut,
  withLeaves,
  without,
} from "./draft.ts";
import { type Leaf, matches, type Path } from "./leaves.ts";

/** Model providers and the keys for them, as we have them. */
export const gatherProviders: Step = inOrder(addWireFormats, addProfileKeys, dropLogins);

/** OpenClaw asks a provider that names no wire format in this one. */
const USUAL_FORMAT = "openai-responses";

/** Every provider names its wire format: its models' where they all have one, else the usual one. */
function addWireFormats(draft: ImportDraft): ImportDraft {
  return namesBelow(draft, ["models", "providers"]).reduce((current, name) => {
    const provider = ["models", "providers", name];
    const own = leavesAt(current, [...provider, "api"])[0];
    const ofModels = current.leaves.filter(
      ({ path }) => path[2] === name && matches(path, "models.providers.*.models.*.api"),
    );
    const formats = [...new Set([own, ...ofModels].flatMap((leaf) => (leaf === undefined ? [] : [leaf.value])))];
    if (formats.length > 1) return current;
    const told = addFindings(
      without(current, (leaf) => ofModels.includes(leaf)),
      ...ofModels.map(
        ({ from }): ImportFinding => ({ kind: "changed", path: from, why: "It is set once for the provider." }),
      ),
    );
    if (own !== undefined || leavesAt(current, [...provider, "baseUrl"]).length === 0) return told;
    const [value = BUILT_IN_PROVIDERS[name]?.api ?? USUAL_FORMAT] = formats;
    const api: Leaf = { from: provider, path: [...provider, "api"], value, placed: true };
    const why = `It names no wire format, so it is asked in '${String(value)}'.`;
    return addFindings(withLeaves(told, api), { kind: "changed", path: provider, why });
  }, draft);
}

/** OpenClaw keeps the keys of profiles elsewhere; here a profile names the variable that its key is in. */
function addProfileKeys(draft: ImportDraft): ImportDraft {
  return namesBelow(draft, ["auth", "profiles"]).reduce((current, name) => {
    const profile = ["auth", "profiles", name];
    if (isLogin(current, profile)) return current;
    const bare = dropHead(current, profile);
    if (leavesAt(bare, [...profile, "apiKey"]).length > 0) return bare;
    const id = variableName([...profile, "apiKey"]);
    const key: Leaf = { from: profile, path: [...profile, "apiKey"], value: { source: "env", id }, placed: true };
    const why = `Its key is not in the document. Put it where it is looked for: wrangler secret put ${id}.`;
    return addFindings(withLeaves(bare, key), { kind: "changed", path: profile, why });
  }, draft);
}

/** Drops the fields of a profile besides provider and key. */
function dropHead(draft: ImportDraft, profile: Path): ImportDraft {
  const said = leavesAt(draft, profile).filter(({ path }) => path.length === 4 && isHead(path[3]));
  const why = "A profile is a provider and a key here, and nothing else.";
  return addFindings(
    without(draft, (leaf) => said.includes(leaf)),
    ...said.map(({ from }): ImportFinding => ({ kind: "changed", path: from, why })),
  );
}

function isHead(field: string | number | undefined): boolean {
  return field === "mode" || field === "email" || field === "displayName";
}

/** Drops profiles that are logins and not keys, and their positions in an order. */
function dropLogins(draft: ImportDraft): ImportDraft {
  const names = namesBelow(draft, ["auth", "profiles"]).filter((name) => isLogin(draft, ["auth", "profiles", name]));
  const profiles = names.map((name): Path => ["auth", "profiles", name]);
  const gone = new Set<Json>(names);
  const places = draft.leaves.filter(({ path, value }) => matches(path, "auth.order.*.*") && gone.has(value));
  const left = takeOut(draft, [...profiles, ...places.map(({ path }) => path)]);
  return addFindings(
    left,
    ...profiles.map((path): ImportFinding => {
      const why = "It is a login by OAuth or of a subscription, and only API keys are used here.";
      const hint = "Make an API key at the provider, and name it in auth.profiles.";
      return { kind: "unknown", path, why, hint };
    }),
    ...places.map(({ from }): ImportFinding => ({ kind: "changed", path: from, why: "Its profile is not imported." })),
  );
}

function isLogin(draft: ImportDraft, profile: Path): boolean {
  const mode = leavesAt(draft, [...profile, "mode"])[0]?.value;
  return mode === "oauth" || mode === "token";
}

function namesBelow({ leaves }: ImportDraft, folder: Path): string[] {
  const below = leaves.filter(({ path }) => folder.every((key, at) => path[at] === key));
  return [...new Set(below.flatMap(({ path }) => path[folder.length] ?? []))].map(String);
}
