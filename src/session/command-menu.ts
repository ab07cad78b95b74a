import type { MenuCommand, Target } from "../channels/channel.ts";
import { COMMANDS } from "../commands/index.ts";
import { within } from "../lib/deadline.ts";
import { shortDigest } from "../lib/digest.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Services } from "../services/services.ts";
import type { Fence } from "../session-store/fence.ts";
import { readSessionRow, saveSetting } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { SkillSet } from "../skills/skill.ts";
import { sessionSkillCommands } from "../turn/skills/resolve-skill-command.ts";

/** Timeout of a platform's menu call. */
const MENU_MS = 10_000;
/** Most conversations of a session whose shown menu is stored. */
const MAX_MENUS = 20;

/** Dependencies of `updateCommandMenu`. */
export interface CommandMenuDeps {
  store: Store;
  fence: Fence;
  services(): Services;
  skills: { known(target: Target): SkillSet };
}

/**
 * Updates the command menu of an owner's direct conversation, including skills' commands, if its channel has a menu. It
 * runs after a turn, once for each list of commands, so that no reply is delayed; a failed update is retried after the
 * next turn. Never rejects.
 */
export async function updateCommandMenu(
  target: Target,
  { store, fence, services, skills }: CommandMenuDeps,
): Promise<void> {
  try {
    if (target.kind !== "direct") return;
    const { channel, context } = services().channel(target.channel, target.accountId);
    if (!channel.menu?.isOn(context.account)) return;
    const commands = menuOf(skills.known(target));
    const conversation = `${target.channel}:${target.accountId}:${target.conversationId}`;
    const digest = await shortDigest(JSON.stringify(commands));
    const { [conversation]: known, ...others } = readSessionRow(store)?.settings.menus ?? {};
    if (known === digest) return;
    const { menu } = channel;
    const { outcome } = await within(MENU_MS, (signal) => menu.show(commands, target, context, signal));
    if (outcome !== "delivered" && outcome !== "failed") return;
    if (outcome === "failed") log("warn", "menu.refused", { channel: target.channel, accountId: target.accountId });
    const kept = Object.fromEntries(Object.entries(others).slice(1 - MAX_MENUS));
    fence.write(() => saveSetting(store, "menus", { ...kept, [conversation]: digest }));
  } catch (error) {
    log("warn", "menu.not_shown", { channel: target.channel, error: messageOf(error) });
  }
}

/** The commands of a menu, each one word: the built-in ones, then skills'. */
function menuOf(set: SkillSet): MenuCommand[] {
  const own = COMMANDS.filter(({ name }) => !name.includes(" ")).map(({ name, summary }) => ({ name, summary }));
  return [...own, ...sessionSkillCommands(set).map(({ name, skill }) => ({ name, summary: skill.description }))];
}
