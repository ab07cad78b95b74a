import { z } from "zod";

/** A secret by name; its value is only ever in the Worker's environment. What is written instead is never repeated. */
export const secretRef = z
  .strictObject(
    {
      source: z.literal("env").describe("Where the value is: the Worker's environment."),
      id: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]*$/, "use the name of an environment variable")
        .describe("Its name there."),
    },
    { error: ({ input }) => (typeof input === "string" ? NOT_BY_VALUE : undefined) },
  )
  .describe("A secret by name, never by value.");

/** What is said of a secret that stands where its name should. */
export const NOT_BY_VALUE =
  'a secret does not belong here: store it with `wrangler secret put NAME`, or in .dev.vars, and write {source: "env", id: "NAME"}';

/** A secret as configurations name it. */
export type SecretRef = z.output<typeof secretRef>;

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
export function variableName(path: readonly (string | number)[]): string {
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
