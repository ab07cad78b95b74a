import { type Draft, type Finding, find, leavesAt, originOf, rewrite, type Step, takeOut } from "./draft.ts";
import { keyOf, type Leaf, type Path } from "./leaves.ts";
import { matches } from "./pattern.ts";

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
