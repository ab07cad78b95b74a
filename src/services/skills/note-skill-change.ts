import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { type ConfigurationEnv, knownConfiguration } from "../current-config.ts";

/**
 * To be called after skills were changed from outside of a conversation, in a workspace or elsewhere: every session looks
 * at its skills again before its next turn. Never rejects: where D1 cannot be told, sessions see the change a turn later.
 */
export async function noteSkillChange(env: ConfigurationEnv): Promise<void> {
  try {
    await knownConfiguration(env.DB).noteSkillChange();
  } catch (error) {
    log("warn", "skills.change_not_noted", { error: messageOf(error) });
  }
}

/** Whether a file of a workspace is part of what skills are made of there. */
export function isSkillPath(path: string): boolean {
  return /^(?:skills|\.agents\/skills)\//i.test(path);
}
