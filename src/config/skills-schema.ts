import { z } from "zod";
import { planned } from "./planned.ts";
import { secretRef } from "./secret-ref.ts";

const limit = z.number().int().positive();
const promptChars = limit.max(200_000);

/** `skillsLimits` of one agent. */
export const skillsLimits = z.strictObject({
  maxSkillsPromptChars: promptChars.optional().meta(planned("Most characters of its list of skills.")),
});

/** Names of skills that an agent may use. */
export const skillNames = z.array(z.string().min(1));

const entry = z.strictObject({
  enabled: z.boolean().default(true).meta(planned("Whether it may be used at all.")),
  apiKey: secretRef.optional().meta(planned("The value of its `primaryEnv`, by the name of a variable here.")),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "use the name of an environment variable"), secretRef)
    .default({})
    .meta(planned("Variables that its commands see during one run.")),
  config: z.record(z.string(), z.unknown()).default({}).meta(planned("Fields of its own.")),
});

/** `skills`. */
export const skills = z
  .strictObject({
    allowBundled: skillNames.optional().meta(planned("The bundled skills that may be used; all where absent.")),
    load: z
      .strictObject({
        extraDirs: z.array(z.string()).default([]).meta(planned("More folders with skills, by their R2 prefix.")),
        watch: z.boolean().default(true).meta(planned("Whether a changed SKILL.md counts from the next turn on.")),
        watchDebounceMs: z
          .number()
          .int()
          .min(0)
          .default(250)
          .meta(planned("How long to wait for more changes, in milliseconds.")),
      })
      .prefault({})
      .meta(planned("Where skills are looked for.")),
    install: z
      .strictObject({
        registryUrl: z
          .url({ protocol: /^https?$/ })
          .default("https://clawhub.ai")
          .meta(planned("The registry that skills are installed from by their slug.")),
        requireSignature: z.boolean().default(false).meta(planned("Whether a skill without a signature is refused.")),
        trustedKeys: z.array(z.string()).default([]).meta(planned("Ed25519 public keys whose signatures count.")),
      })
      .prefault({})
      .meta(planned("How skills are installed.")),
    limits: z
      .strictObject({
        maxCandidatesPerRoot: limit.default(300).meta(planned("Most folders that are looked at below a root.")),
        maxSkillsLoadedPerSource: limit.default(200).meta(planned("Most skills of one source.")),
        maxSkillsInPrompt: limit.default(150).meta(planned("Most skills that a prompt lists.")),
        maxSkillsPromptChars: promptChars.default(30_000).meta(planned("Most characters of that list.")),
        maxSkillFileBytes: limit.default(256_000).meta(planned("Largest SKILL.md, in bytes.")),
      })
      .prefault({})
      .meta(planned("How many skills there may be.")),
    entries: z.record(z.string(), entry).default({}).meta(planned("What is set for one skill, by its key or name.")),
  })
  .prefault({})
  .meta(planned("What agents can be taught by folders with a SKILL.md."));
