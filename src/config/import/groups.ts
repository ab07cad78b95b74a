import { type Draft, find, leavesAt, originOf, rewrite, type Step, takeOut } from "./draft.ts";
import { keyOf, type Path } from "./leaves.ts";
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
  const groups = namesBelow(draft, [...account, "groups"]);
  const limited = groups.filter((group) => isLimited(draft, [...account, "groups", group, "allowFrom"]));
  const policy = [...account, "groupPolicy"];
  const isOpen = leavesAt(draft, policy)[0]?.value === "open";
  const isForAll = isOpen && limited.length === 0;
  const isOfSenders = !isOpen && isLimited(draft, [...account, "groupAllowFrom"]);
  const gone = groups.filter((group) => isOfSenders || limited.includes(group) || (group === "*" && !isForAll));
  const left = gone.reduce((current, group) => leaveOut(current, [...account, "groups", group]), draft);
  if (!isOpen || groups.length === 0 || (isForAll && groups.includes("*"))) return left;
  return rewrite(left, ({ path }) =>
    keyOf(path) === keyOf(policy)
      ? { value: "allowlist", why: "'open' was of people, in the groups that are named; here that is 'allowlist'." }
      : undefined,
  );
}

function leaveOut(draft: Draft, group: Path): Draft {
  const [first] = leavesAt(draft, group);
  if (first === undefined) return draft;
  return find(takeOut(draft, [group]), { kind: "refused", path: originOf(first, group), why: WHY, hint: HINT });
}

/** Whether a list of senders lets only some in. */
function isLimited(draft: Draft, list: Path): boolean {
  const senders = leavesAt(draft, list);
  return senders.length > 0 && !senders.some(({ value }) => value === "*");
}

function accountsOf({ leaves }: Draft): Path[] {
  const found = leaves.flatMap(({ path }) =>
    path.length > 4 && matches(path.slice(0, 4), "channels.*.accounts.*") ? [path.slice(0, 4)] : [],
  );
  return [...new Map(found.map((path) => [keyOf(path), path])).values()];
}

function namesBelow(draft: Draft, folder: Path): string[] {
  return [...new Set(leavesAt(draft, folder).flatMap(({ path }) => path[folder.length] ?? []))].map(String);
}
