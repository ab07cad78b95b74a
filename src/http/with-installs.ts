import type { Agent } from "../config/agents.ts";
import type { Services } from "../services/services.ts";
import { installTargets } from "../services/skills/skill-installs.ts";
import { type InstalledView, installedByLocation } from "../skills/install/installed-skill.ts";
import { WorkspaceError } from "../workspace/workspace.ts";

/**
 * Skills with what is recorded of their installs. Where that cannot be read, without: what they are left out for says so already.
 */
export async function withInstalls<Line extends { location: string }>(
  skills: readonly Line[],
  agent: Agent,
  services: Services,
): Promise<(Line & { install?: InstalledView })[]> {
  const { own, managed } = installTargets(agent, services);
  const installs = await known(installedByLocation([own, managed]));
  return skills.map((skill) => {
    const install = installs.get(skill.location);
    return install === undefined ? skill : { ...skill, install };
  });
}

async function known(reading: ReturnType<typeof installedByLocation>): ReturnType<typeof installedByLocation> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError) return new Map();
    throw thrown;
  }
}
