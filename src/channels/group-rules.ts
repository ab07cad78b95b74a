import { z } from "zod";
import { skillNames } from "../config/skills-schema.ts";
import { toolChoice } from "../config/tools-schema.ts";

/** Most messages that a group keeps until the agent is addressed. */
export const MAX_GROUP_HISTORY = 100;

/** What holds for one group; an account's `groups` has an entry for each, and `*` behind a beginning for every other. */
export const groupRules = z.strictObject({
  requireMention: z
    .boolean()
    .optional()
    .describe("Whether this group has to address the agent; else the account's rule."),
  prompt: z
    .string()
    .max(4000)
    .optional()
    .describe("What the agent is told about this group: its purpose, its tone, what to do here."),
  tools: toolChoice
    .optional()
    .describe("The tools that there are in this group. It only takes tools away from people who may have them."),
  skills: skillNames.optional().describe("The skills that may be used in this group; all of the agent's where absent."),
  historyLimit: z
    .int()
    .min(0)
    .max(MAX_GROUP_HISTORY)
    .optional()
    .describe(
      "Most messages since the last answer that come along when the agent is addressed; else `messages.groupChat`'s.",
    ),
});

/** The parsed rules of a group. */
export type GroupRules = z.output<typeof groupRules>;

/**
 * The rules of a group: its own, else those of its channel where it is a thread with an id of its own, else those of the
 * longest beginning with a `*`; undefined if it has none.
 */
export function groupRulesOf(
  groups: Readonly<Record<string, GroupRules>>,
  { id, parentId }: { id: string; parentId?: string | undefined },
): GroupRules | undefined {
  const parent = parentId === undefined ? undefined : ownEntry(groups, parentId);
  const own = ownEntry(groups, id) ?? parent;
  if (own !== undefined) return own;
  const fitting = Object.keys(groups).filter((key) => key.endsWith("*") && id.startsWith(key.slice(0, -1)));
  const [longest] = fitting.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? undefined : ownEntry(groups, longest);
}

function ownEntry<Entry>(entries: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
