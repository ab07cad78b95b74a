import { IsopodError } from "../../lib/errors.ts";
import {
  type Draft,
  type Finding,
  find,
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

/** What is said of a channel as a whole, and not of an account. */
const OF_THE_CHANNEL = ["accounts", "defaultAccount", "enabled"];

/**
 * Gives every channel its accounts: what stands beside `accounts` is the account `default` where it has none, and else
 * what holds for each account that does not say otherwise. What is switched off is left out.
 * @throws IsopodError `invalid_request` where that would be too much
 */
export const gatherChannels: Step = inOrder(
  ...AT_THE_TOP.map((id) => (draft: Draft) => move(draft, id, `channels.${id}`)),
  (draft) => channelIds(draft).reduce(giveAccounts, draft),
  leaveOutWhatIsOff,
  shareDefaults,
);

function channelIds({ leaves }: Draft): string[] {
  const ids = leaves.flatMap(({ path: [top, id] }) => (top === "channels" && typeof id === "string" ? [id] : []));
  return [...new Set(ids)].filter((id) => id !== "defaults" && id !== "modelByChannel");
}

function giveAccounts(draft: Draft, id: string): Draft {
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
  const why = "Every account says this for itself.";
  return find(
    gathered,
    ...beside
      .filter(({ from }) => !copied.has(from))
      .map(({ from }): Finding => ({ kind: "changed", path: from, why })),
  );
}

/** Tokens and secrets are one bot's, and not what bots share. */
function isOfOneAccount({ path }: Leaf): boolean {
  return /(?:token|secret)$/i.test(String(path[2]));
}

/** `channels.defaults.groupPolicy` holds for every account that has no rule of its own. */
function shareDefaults(draft: Draft): Draft {
  const shared = draft.leaves.find(({ path }) => path.join(".") === "channels.defaults.groupPolicy");
  if (shared === undefined) return draft;
  const copies = channelIds(draft).flatMap((id) =>
    accountIds(draft.leaves.filter(({ path }) => path[1] === id))
      .map((account): Path => ["channels", id, "accounts", account, "groupPolicy"])
      .filter((path) => !says(draft, path))
      .map((path) => ({ ...shared, path })),
  );
  return copies.length === 0
    ? draft
    : withLeaves(
        without(draft, (leaf) => leaf === shared),
        ...copies,
      );
}

/** Accounts and channels with `enabled: false` are not there; with `true` they are as they would be anyway. */
function leaveOutWhatIsOff(draft: Draft): Draft {
  const switches = draft.leaves.filter(
    ({ path }) => matches(path, "channels.*.enabled") || matches(path, "channels.*.accounts.*.enabled"),
  );
  return switches.reduce(turn, draft);
}

function turn(draft: Draft, { from, path, value }: Leaf): Draft {
  if (value !== false) {
    const why = "What is configured here is switched on.";
    return find(
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
  const rest = find(
    left,
    { kind: "changed", path: holder, why },
    ...gone.map((leaf): Finding => ({ kind: "changed", path: leaf.from, why: "What it is for is switched off." })),
  );
  // A channel without a word about it may have an account of its own accord; one with no accounts has none.
  const none: Leaf = { from, path: [...path.slice(0, 2), "accounts"], value: {}, placed: true };
  return says(rest, path.slice(0, 2)) ? rest : withLeaves(rest, none);
}

function accountIds(leaves: readonly Leaf[]): string[] {
  const ids = leaves.flatMap(({ path }) => (path[0] === "channels" && path[2] === "accounts" ? [path[3]] : []));
  return [...new Set(ids)].filter((id) => typeof id === "string");
}

function says({ leaves }: Draft, path: Path): boolean {
  return leaves.some((leaf) => isWithin(leaf.path, path));
}

/**
 * Leaves out the groups in which more people could speak here than could there. OpenClaw asks two things: whether a group
 * is among `groups`, where any are named, and, unless the policy is `open`, whether its sender is let in. Here everybody in
 * a group may speak that the bot answers in.
 */
export const narrowGroups: Step = (draft) => accountsOf(draft).reduce(narrow, draft);

const WHY = "There only some of a group's members could speak; here everybody in it could.";
const HINT = "Where that is well, name the group in `groups`, by its id.";

function narrow(draft: Draft, account: Path): Draft {
  const groups = groupsOf(draft, account);
  const limited = new Set([...groups].filter(([, said]) => isLimited(said, "allowFrom")).map(([group]) => group));
  const policy = [...account, "groupPolicy"];
  const isOpen = leavesAt(draft, policy)[0]?.value === "open";
  const isForAll = isOpen && limited.size === 0;
  const isOfSenders = !isOpen && isLimited(leavesAt(draft, account), "groupAllowFrom");
  const gone = [...groups].filter(([group]) => isOfSenders || limited.has(group) || (group === "*" && !isForAll));
  const left = leaveOut(draft, account, gone);
  if (!isOpen || groups.size === 0 || (isForAll && groups.has("*"))) return left;
  return rewrite(left, ({ path }) =>
    keyOf(path) === keyOf(policy)
      ? { value: "allowlist", why: "'open' was of people, in the groups that are named; here that is 'allowlist'." }
      : undefined,
  );
}

type Groups = [group: string, said: Leaf[]][];

function leaveOut(draft: Draft, account: Path, groups: Groups): Draft {
  const places = groups.map(([group]) => [...account, "groups", group]);
  const findings = groups.flatMap(([, [first]]): Finding[] => {
    if (first === undefined) return [];
    return [{ kind: "refused", path: originOf(first, first.path.slice(0, account.length + 2)), why: WHY, hint: HINT }];
  });
  return find(takeOut(draft, places), ...findings);
}

/** Whether a list of senders, which has this name, lets only some in. */
function isLimited(said: readonly Leaf[], name: string): boolean {
  const senders = said.filter(({ path }) => path.at(-2) === name);
  return senders.length > 0 && !senders.some(({ value }) => value === "*");
}

/** What is said of each group of an account. */
function groupsOf(draft: Draft, account: Path): Map<string, Leaf[]> {
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

function accountsOf({ leaves }: Draft): Path[] {
  const found = leaves.flatMap(({ path }) =>
    path.length > 4 && matches(path.slice(0, 4), "channels.*.accounts.*") ? [path.slice(0, 4)] : [],
  );
  return [...new Map(found.map((path) => [keyOf(path), path])).values()];
}
