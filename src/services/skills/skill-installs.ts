import type { Agent } from "../../config/agents.ts";
import type { DownloadDeps } from "../../skills/install/archive-request.ts";
import { DOWNLOAD_MS } from "../../skills/install/download.ts";
import { agentInstallTarget, type InstallTarget, managedInstallTarget } from "../../skills/install/install-target.ts";
import { MAX_ARCHIVE_BYTES } from "../../skills/install/refusal.ts";
import type { PackageRules } from "../../skills/install/skill-package.ts";
import type { Services } from "../services.ts";

/** Where skills are installed for an agent: in its own workspace, and for all agents. Nothing is asked by making them. */
export function installTargets(
  agent: Agent,
  { installs, workspaceOf }: Pick<Services, "installs" | "workspaceOf">,
): { own: InstallTarget; managed: InstallTarget } {
  return { own: agentInstallTarget(installs, agent, workspaceOf(agent)), managed: managedInstallTarget(installs) };
}

/** What the configuration asks of a skill that is installed. */
export function installRules({ config }: Pick<Services, "config">): PackageRules {
  const { trustedKeys, requireSignature } = config.skills.install;
  return { trustedKeys, requireSignature, maxSkillFileBytes: config.skills.limits.maxSkillFileBytes };
}

/** The way to archives outside. */
export function downloadDeps({ config, egress, secret }: Pick<Services, "config" | "egress" | "secret">): DownloadDeps {
  const { registryUrl, registryToken } = config.skills.install;
  return {
    fetch: egress,
    registryUrl,
    registryToken: registryToken && secret(registryToken.id),
    limits: { maxBytes: MAX_ARCHIVE_BYTES, timeoutMs: DOWNLOAD_MS },
  };
}
