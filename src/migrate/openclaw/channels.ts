import { IsopodError } from "../../lib/errors.ts";
import {
  addFindings,
  type ImportDraft,
  type ImportFinding,
  inOrder,
  leavesAt,
  move,
  originOf,
  placesIn,
  rewrite,
  type Step,
  takeOut,
  withLeaves,
  without,
} from "./draft.ts";
import { isWithin, keyOf, type Leaf, matches, type Path } from "./leaves.ts";

/** Channels that the first versions had at the top of the document. */
const AT_THE_TOP = ["telegram", "whatsapp", "discord", "slack", "signal", "imessage", "msteams", "googlechat"];

/** Most values that the accounts of a channel may share, counted for each of them. */
const MAX_COPIES = 5000;

/** Settings of a whole channel, not of an account. */
const OF_THE_CHANNEL = ["accounts", "defaultAccount", "enabled"];

/**
 * Gives every channel its accounts: what stands beside `accounts` is the account `default` where it has none, and else
 * what holds for each account that does not say otherwise. What is switched off is left out.
 * @throws IsopodError `invalid_request` where that would be too much
 */
export const gatherChannels: Step = inOrder(
  ...AT_THE_TOP.map((id) => (draft: ImportDraft) => move(draft, id, `channels.${id}`)),
  (draft) => channelIds(draft).reduce(gatherAccounts, draft),
  dropDisabled,
  shareDefaults,
);

function channelIds({ leaves }: ImportDraft): string[] {
  const ids = leaves.flatMap(({ path: [top, id] }) => (top === "channels" && typeof id === "string" ? [id] : []));
  return [...new Set(ids)].filter((id) => id !== "defaults" && id !== "modelByChannel");
}

function gatherAccounts(draft: ImportDraft, id: string): ImportDraft {
  const own = draft.leaves.filter(({ path }) => path[0] === "channels" && path[1] === id && path.length > 2);
  const beside = own.filter(({ path }) => !OF_THE_CHANNEL.includes(String(path[2])));
  const named = accountIds(own);
  const needsDefault = named.length === 0 || (beside.some(isOfOneAccount) && !named.includes("default"));
  const accounts = needsDefault ? ["default", ...named] : named;
  const shared = accounts.includes("default") ? beside.filter((leaf) => !isOfOneAccount(leaf)) : beside;
  if (accounts.length * beside.length > MAX_COPIES) {
    const message = `The document cannot be read. channels.${id}: ${accounts.length} accounts share ${beside.length} values.`;
    throw new IsopodError("invalid_request", message, "Take out what the accounts need not share.");
  }
  const standing = placesIn(own);
  const copies = accounts.flatMap((account) => {
    const base = ["channels", id, "accounts", account];
    return (account === "default" ? beside : shared)
      .filter(({ path }) => !standing.has(keyOf([...base, ...path.slice(2, 3)])))
      .map((leaf): Leaf => ({ ...leaf, path: [...base, ...leaf.path.slice(2)] }));
  });
  const isEmpty = (leaf: Leaf) => leaf.path.join(".") === `channels.${id}`;
  const gathered = withLeaves(
    without(draft, (leaf) => beside.includes(leaf) || (copies.length > 0 && isEmpty(leaf))),
    ...copies,
  );
  const copied = new Set(copies.map(({ from }) => from));
  const why = "Every account sets this itself.";
  return addFindings(
    gathered,
    ...beside
      .filter(({ from }) => !copied.has(from))
      .map(({ from }): ImportFinding => ({ kind: "changed", path: from, why })),
  );
}

/** Tokens and secrets are one bot's, and not what bots share. */
function isOfOneAccount({ path }: Leaf): boolean {
  return /(?:token|secret)$/i.test(String(path[2]));
}

/** `channels.defaults.groupPolicy` holds for every account that has no rule of its own. */
function shareDefaults(draft: ImportDraft): ImportDraft {
  const shared = draft.leaves.find(({ path }) => path.join(".") === "channels.defaults.groupPolicy");
  if (shared === undefined) return draft;
  const copies = channelIds(draft).flatMap((id) =>
    accountIds(draft.leaves.filter(({ path }) => path[1] === id))
      .map((account): Path => ["channels", id, "accounts", account, "groupPolicy"])
      .filter((path) => !hasLeaf(draft, path))
      .map((path) => ({ ...shared, path })),
  );
  return copies.length === 0
    ? draft
    : withLeaves(
        without(draft, (leaf) => leaf === shared),
        ...copies,
      );
}

/** Drops accounts and channels with `enabled: false`, and the redundant `true`. */
function dropDisabled(draft: ImportDraft): ImportDraft {
  const switches = draft.leaves.filter(
    ({ path }) => matches(path, "channels.*.enabled") || matches(path, "channels.*.accounts.*.enabled"),
  );
  return switches.reduce(applySwitch, draft);
}

function applySwitch(draft: ImportDraft, { from, path, value }: Leaf): ImportDraft {
  if (value !== false) {
    const why = "What is configured here is switched on.";
    return addFindings(
      without(draft, (leaf) => isWithin(leaf.path, path)),
      { kind: "changed", path: from, why },
    );
  }
  const isOff = (leaf: Leaf) => isWithin(leaf.path, path.slice(0, -1));
  const left = without(draft, isOff);
  const holds = new Set(left.leaves.map((leaf) => leaf.from));
  const holder = from.slice(0, -1);
  // What holds for several accounts stands elsewhere, and goes with the last of them.
  const gone = draft.leaves.filter((leaf) => isOff(leaf) && !isWithin(leaf.from, holder) && !holds.has(leaf.from));
  const why = "It is switched off, so nothing of it comes over.";
  const rest = addFindings(
    left,
    { kind: "changed", path: holder, why },
    ...gone.map(
      (leaf): ImportFinding => ({ kind: "changed", path: leaf.from, why: "What it is for is switched off." }),
    ),
  );
  // A channel without a word about it may have an account of its own accord; one with no accounts has none.
  const none: Leaf = { from, path: [...path.slice(0, 2), "accounts"], value: {}, placed: true };
  return hasLeaf(rest, path.slice(0, 2)) ? rest : withLeaves(rest, none);
}

function accountIds(leaves: readonly Leaf[]): string[] {
  const ids = leaves.flatMap(({ path }) => (path[0] === "channels" && path[2] === "accounts" ? [path[3]] : []));
  return [...new Set(ids)].filter((id) => typeof id === "string");
}

function hasLeaf({ leaves }: ImportDraft, path: Path): boolean {
  return leaves.some((leaf) => isWithin(leaf.path, path));
}

/**
 * Drops the groups in which more people could write here than in OpenClaw. OpenClaw asks two things: whether a group
 * is among `groups`, where any are named, and, unless the policy is `open`, whether its sender is let in. Here every
 * member of a group that the bot answers in may write.
 */
export const narrowGroups: Step = (draft) => accountsOf(draft).reduce(narrow, draft);

const WHY = "In OpenClaw only some members of the group could write, or none; here all of them could.";
const HINT = "If that is fine, add the group to `groups` by its id.";

function narrow(draft: ImportDraft, account: Path): ImportDraft {
  const groups = groupsOf(draft, account);
  const limited = new Set(
    [...groups].filter(([, said]) => isLimited(said, "allowFrom") || said.some(isOff)).map(([group]) => group),
  );
  const policy = [...account, "groupPolicy"];
  const isOpen = leavesAt(draft, policy)[0]?.value === "open";
  const isForAll = isOpen && limited.size === 0;
  const isOfSenders = !isOpen && isLimited(leavesAt(draft, account), "groupAllowFrom");
  const gone = [...groups].filter(([group]) => isOfSenders || limited.has(group) || (group === "*" && !isForAll));
  const left = leaveOut(draft, account, gone);
  // Servers of Discord are named in `guilds`, which do not come over.
  const isNamed = groups.size > 0 || leavesAt(draft, [...account, "guilds"]).length > 0;
  if (!isOpen || !isNamed || (isForAll && groups.has("*"))) return left;
  return rewrite(left, ({ path }) =>
    keyOf(path) === keyOf(policy)
      ? { value: "allowlist", why: "'open' was of people, in the groups that are named; here that is 'allowlist'." }
      : undefined,
  );
}

type Groups = [group: string, said: Leaf[]][];

function leaveOut(draft: ImportDraft, account: Path, groups: Groups): ImportDraft {
  const places = groups.map(([group]) => [...account, "groups", group]);
  const findings = groups.flatMap(([, [first]]): ImportFinding[] => {
    if (first === undefined) return [];
    return [{ kind: "refused", path: originOf(first, first.path.slice(0, account.length + 2)), why: WHY, hint: HINT }];
  });
  return addFindings(takeOut(draft, places), ...findings);
}

/** Whether a group is switched off. */
function isOff({ path, value }: Leaf): boolean {
  return path.length === 7 && ["allow", "enabled"].includes(String(path[6])) && value === false;
}

/** Whether a list of senders, which has this name, lets only some in. */
function isLimited(said: readonly Leaf[], name: string): boolean {
  const senders = said.filter(({ path }) => path.at(-2) === name);
  return senders.length > 0 && !senders.some(({ value }) => value === "*");
}

/** The values of each group of an account. */
function groupsOf(draft: ImportDraft, account: Path): Map<string, Leaf[]> {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leavesAt(draft, [...account, "groups"])) {
    const group = leaf.path[account.length + 1];
    if (group === undefined) continue;
    const said = groups.get(String(group)) ?? [];
    said.push(leaf);
    groups.set(String(group), said);
  }
  return groups;
}

function accountsOf({ leaves }: ImportDraft): Path[] {
  const found = leaves.flatMap(({ path }) =>
    path.length > 4 && matches(path.slice(0, 4), "channels.*.accounts.*") ? [path.slice(0, 4)] : [],
  );
  return [...new Map(found.map((path) => [keyOf(path), path])).values()];
}
