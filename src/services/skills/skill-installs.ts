import type { DownloadDeps } from "../../skills/install/archive-request.ts";
import { DOWNLOAD_MS } from "../../skills/install/download.ts";
import { MAX_ARCHIVE_BYTES } from "../../skills/install/refusal.ts";
import type { PackageRules } from "../../skills/install/skill-package.ts";
import type { Services } from "../services.ts";

/** The configured rules for installed packages. */
export function installRules({ config }: Pick<Services, "config">): PackageRules {
  const { trustedKeys, requireSignature } = config.skills.install;
  return { trustedKeys, requireSignature, maxSkillFileBytes: config.skills.limits.maxSkillFileBytes };
}

/** What downloads of archives need. */
export function downloadDeps({ config, egress, secret }: Pick<Services, "config" | "egress" | "secret">): DownloadDeps {
  const { registryUrl, registryToken } = config.skills.install;
  return {
    fetch: egress,
    registryUrl,
    registryToken: registryToken && secret(registryToken.id),
    limits: { maxBytes: MAX_ARCHIVE_BYTES, timeoutMs: DOWNLOAD_MS },
  };
}
