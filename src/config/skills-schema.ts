import { z } from "zod";
import { pathFault } from "../lib/relative-path.ts";
import { ed25519KeyBytes } from "../security/ed25519-key.ts";
import { hostPattern } from "./host-pattern.ts";
import { isShellVariable } from "./reserved-names.ts";
import { isSecretName, looksSecret, NOT_BY_VALUE, secretRef } from "./secret-ref.ts";
import { isOnDisk } from "./workspace-prefix.ts";

const limit = z.number().int().positive();
const promptChars = limit.max(200_000);

/** `skillsLimits` of one agent. */
export const skillsLimits = z.strictObject({
  maxSkillsPromptChars: promptChars.optional().describe("Most characters of its list of skills."),
});

/** Names of skills that an agent may use. */
export const skillNames = z.array(z.string().min(1));

/** Variables by name. Those that change the shell itself are refused. */
const variables = z.record(z.string(), secretRef).superRefine((given, context) => {
  for (const name of Object.keys(given)) {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: [name], message });
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) refuse("use the name of an environment variable");
    else if (isShellVariable(name)) refuse(`${name} would change the shell itself; leave it out`);
  }
});

/** A skill's own fields, visible to every reader of the configuration. */
const ownFields = z.record(z.string(), z.unknown()).superRefine((given, context) => {
  const refuse = (value: unknown, path: readonly string[]): void => {
    if (secretRef.safeParse(value).success) return;
    if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) refuse(inner, [...path, name]);
    } else if (typeof value === "string" && value !== "" && (isSecretName(path.at(-1) ?? "") || looksSecret(value))) {
      context.addIssue({ code: "custom", path: [...path], message: NOT_BY_VALUE });
    }
  };
  refuse(given, []);
});

const entry = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether it may be used at all."),
  apiKey: secretRef.optional().describe("The value of its `primaryEnv`, by the name of a variable here."),
  env: variables.default({}).describe("Variables that its commands see during one run, by the names of secrets here."),
  hosts: z
    .array(hostPattern)
    .optional()
    .describe(
      "The hosts that its secrets may be sent to, as `api.example.org` or `*.example.org`. Without them an owner is asked at the first use.",
    ),
  secretMode: z
    .enum(["placeholder", "value"])
    .default("placeholder")
    .describe(
      "What commands see of its secrets: a placeholder that is replaced when a request leaves, or the value itself, which signing needs.",
    ),
  config: ownFields.default({}).describe("Fields of its own."),
});

/** Longest prefix, in bytes. */
const MAX_PREFIX_BYTES = 256;
/** Top-level folders of the bucket with internal data. */
const CLOSED = ["sessions", "versions"];

/** A prefix in the bucket, `shared/skills` or `shared/skills/`. */
const extraDir = z.string().superRefine((dir, context) => {
  const fault = dirFault(dir);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

function dirFault(dir: string): string | undefined {
  if (isOnDisk(dir)) {
    return `'${dir}' is a folder of a machine; put its skills into the bucket, and name their prefix, such as 'shared/skills'`;
  }
  const folder = dir.replace(/\/$/, "");
  const fault = pathFault(folder, MAX_PREFIX_BYTES);
  if (fault !== undefined) return `'${dir}' is no prefix: it ${fault}`;
  const closed = CLOSED.find((name) => name === folder.split("/")[0]);
  return closed && `'${dir}' is no place for skills: '${closed}/' is kept for something else; take another prefix`;
}

const publicKey = z.string().refine((written) => ed25519KeyBytes(written) !== undefined, {
  message: "is no Ed25519 public key; write its 32 bytes or its SPKI in base64, or its PEM",
});

/** `skills`. */
export const skills = z
  .strictObject({
    allowBundled: skillNames
      .optional()
      .describe("The bundled skills that may be used; all where absent, none if empty."),
    load: z
      .strictObject({
        extraDirs: z.array(extraDir).default([]).describe("More folders with skills, by their R2 prefix."),
        watch: z.boolean().default(true).describe("Whether a changed SKILL.md counts from the next turn on."),
        watchDebounceMs: z
          .number()
          .int()
          .min(0)
          .default(250)
          .describe("How long to wait for more changes, in milliseconds."),
      })
      .prefault({})
      .describe("Where skills are looked for."),
    install: z
      .strictObject({
        registryUrl: z
          .url({ protocol: /^https?$/ })
          .default("https://clawhub.ai")
          .describe("The registry that skills are installed from by their slug."),
        registryToken: secretRef
          .optional()
          .describe("A token for that registry. It needs none; with one, more may be asked for in a minute."),
        requireSignature: z
          .boolean()
          .default(false)
          .describe("Whether a skill is refused that is not signed by one of `trustedKeys`."),
        trustedKeys: z
          .array(publicKey)
          .default([])
          .describe("Ed25519 public keys whose signatures count, in base64 (32 bytes, or SPKI) or PEM."),
      })
      .prefault({})
      .describe("How skills are installed."),
    limits: z
      .strictObject({
        maxCandidatesPerRoot: limit.default(300).describe("Most folders that are looked at below a root."),
        maxSkillsLoadedPerSource: limit.default(200).describe("Most skills of one source."),
        maxSkillsInPrompt: limit.default(150).describe("Most skills that a prompt lists."),
        maxSkillsPromptChars: promptChars.default(30_000).describe("Most characters of that list."),
        maxSkillFileBytes: limit.default(256_000).describe("Largest SKILL.md, in bytes."),
      })
      .prefault({})
      .describe("How many skills there may be."),
    entries: z.record(z.string(), entry).default({}).describe("What is set for one skill, by its key or name."),
  })
  .prefault({})
  .describe("Skills: folders with a SKILL.md.");
