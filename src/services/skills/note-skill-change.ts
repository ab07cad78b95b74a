import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { type ConfigurationEnv, knownConfiguration } from "../current-config.ts";

/**
 * Records a change of skills made outside a conversation, so that every session scans its skills again before its next
 * turn. Never rejects: if D1 fails, sessions see the change one turn later.
 */
export async function noteSkillChange(env: ConfigurationEnv): Promise<void> {
  try {
    await knownConfiguration(env.DB).noteSkillChange();
  } catch (error) {
    log("warn", "skills.change_not_noted", { error: messageOf(error) });
  }
}

/** Whether a path of a workspace is in a folder of skills. */
export function isSkillPath(path: string): boolean {
  return /^(?:skills|\.agents\/skills)\//i.test(path);
}
