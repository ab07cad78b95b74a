import { z } from "zod";

/**
 * A secret by the name of its variable. Its value is in the Worker's environment only, and an error never repeats a
 * text that was written in place of the reference.
 */
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
  .meta({ description: "A secret by name, never by value.", secret: true });

/** The fault of a secret that is written by value. */
export const NOT_BY_VALUE =
  'a secret does not belong here: store it with `wrangler secret put NAME`, or in .dev.vars, and write {source: "env", id: "NAME"}';

/** A secret as configurations name it. */
export type SecretRef = z.output<typeof secretRef>;

/** Parts of a path that do not identify the owner of a secret. */
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
  "servers",
]);

/**
 * The variable for the secret at a path: `channels.telegram.accounts.default.botToken` is `TELEGRAM_BOT_TOKEN`,
 * `models.providers.my-proxy.apiKey` is `MY_PROXY_API_KEY`. Those of skills begin with `SKILL_`, so that two skills
 * never share one: `skills.entries.gh.env.GH_TOKEN` is `SKILL_GH_GH_TOKEN`.
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

/** Request headers: texts, and secrets by name. A text that looks like a secret, or has a secret's name, is refused. */
export const headers = z.record(z.string(), z.union([z.string(), secretRef])).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string" || !(isSecretName(name) || looksSecret(value))) continue;
    context.addIssue({ code: "custom", path: [name], message: NOT_BY_VALUE });
  }
});

/** The base URL of requests that carry a secret; it contains no secret itself. */
export const address = z
  .url({ protocol: /^https?$/, error: "use an http or https address" })
  .refine((text) => !looksSecret(text), "an address must not contain a login or a key: use apiKey or a header");

/** Names of fields and headers that hold secrets. */
const SECRET_NAME =
  /(?:api[_-]?key|auth[_-]?key|token|secret|password|passwd|credentials?|private[_-]?key|encrypt[_-]?key|authorization|cookie)s?$/i;

/** Shapes of well-known secrets. */
const SECRET_SHAPES = [
  /^(?:sk|pk|rk)[-_][\w-]{16,}/,
  /^(?:xox[abeprs]|xapp)-/,
  /^(?:gh[opsu]_|github_pat_|glpat-|hf_|gsk_|nvapi-|whsec_|AIza|AKIA|ya29\.)[\w-]{8,}/,
  /^\d{6,12}:[\w-]{20,}$/,
  /^(?:Bearer|Basic)\s+\S/i,
  /^eyJ[\w-]{10,}\.[\w-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z\d+.-]*:\/\/[^\s/@]+@/i,
  /^https?:\/\/\S*[?&](?:key|api_?key|token|secret|access_token)=/i,
];

/** Whether a name is that of a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether a text looks like a secret, or like an address with one in it. */
export function looksSecret(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text));
}
