import type { Agent } from "../../config/agents.ts";
import type { ArchivePorts } from "../../skills/install/download.ts";
import { DOWNLOAD_MS } from "../../skills/install/get-archive.ts";
import { agentPlace, type InstallPlace, managedPlace } from "../../skills/install/install-place.ts";
import { MAX_ARCHIVE_BYTES } from "../../skills/install/package-limits.ts";
import type { PackageRules } from "../../skills/install/skill-package.ts";
import type { Services } from "../services.ts";

/** Where skills are installed for an agent: in its own workspace, and for all agents. Nothing is asked by making them. */
export function installPlaces(
  agent: Agent,
  { installs, workspaceOf }: Pick<Services, "installs" | "workspaceOf">,
): { own: InstallPlace; managed: InstallPlace } {
  return { own: agentPlace(installs, agent, workspaceOf(agent)), managed: managedPlace(installs) };
}

/** What the configuration asks of a skill that is installed. */
export function installRules({ config }: Pick<Services, "config">): PackageRules {
  const { trustedKeys, requireSignature } = config.skills.install;
  return { trustedKeys, requireSignature, maxSkillFileBytes: config.skills.limits.maxSkillFileBytes };
}

/** The way to archives outside. */
export function archivePorts({ config, egress, secret }: Pick<Services, "config" | "egress" | "secret">): ArchivePorts {
  const { registryUrl, registryToken } = config.skills.install;
  return {
    fetch: egress,
    registryUrl,
    registryToken: registryToken && secret(registryToken.id),
    limits: { maxBytes: MAX_ARCHIVE_BYTES, timeoutMs: DOWNLOAD_MS },
  };
}
