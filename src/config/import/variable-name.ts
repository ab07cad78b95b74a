import type { Path } from "./leaves.ts";

/** Parts of a path that say nothing of whose secret it is. */
const SILENT = new Set([
  "accounts",
  "default",
  "channels",
  "providers",
  "models",
  "profiles",
  "auth",
  "entries",
  "headers",
]);

/**
 * The variable that a secret at a path is to be in: `channels.telegram.accounts.default.botToken` is
 * `TELEGRAM_BOT_TOKEN`, `models.providers.my-proxy.apiKey` is `MY_PROXY_API_KEY`. Those of skills begin with `SKILL_`, so that none is
 * taken for another's: `skills.entries.gh.env.GH_TOKEN` is `SKILL_GH_GH_TOKEN`.
 */
export function variableName(path: Path): string {
  if (path[0] === "skills") return wordsOf(["skill", ...path.slice(2).filter((key) => key !== "env")].join("_"));
  const words = path.filter((key) => !SILENT.has(String(key))).map((key) => wordsOf(String(key)));
  const name = words.filter((word) => word !== "").join("_");
  return /^[A-Z]/.test(name) ? name : `ISOPOD_${name}`;
}

function wordsOf(key: string): string {
  return key
    .replace(/(?:[:_-]default)$/, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
}
