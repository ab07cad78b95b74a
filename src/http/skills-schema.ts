import { z } from "@hono/zod-openapi";
import { SKILL_SOURCES } from "../skills/skill.ts";
import { installedSkill } from "./skill-installs-schema.ts";

const count = z.int().nonnegative();

const given = z.object({
  name: z.string(),
  set: z.boolean().openapi({ description: "Whether the secret has a value." }),
});

const installer = z.object({
  kind: z.enum(["brew", "node", "go", "uv", "download"]),
  what: z.string().openapi({ description: "The formula, package, module or address." }),
  label: z.string().optional(),
  bins: z.array(z.string()).readonly().openapi({ description: "The commands that it installs." }),
  reason: z.string().openapi({ description: "Why it does not run here." }),
});

const skill = z
  .object({
    name: z.string(),
    source: z.enum(SKILL_SOURCES),
    location: z.string().openapi({ description: "Of its SKILL.md, for `read`.", example: "skills/weather/SKILL.md" }),
    eligible: z.boolean().openapi({ description: "Whether it may be used." }),
    code: z.string().optional().openapi({ description: "Why not, for programs.", example: "missing_env" }),
    reason: z.string().optional().openapi({ description: "Why not, with a fix where there is one." }),
    shown: z.boolean().openapi({ description: "Whether the prompt lists it." }),
    cut: z.string().optional().openapi({ description: "Why a usable skill is not listed." }),
    tokens: count.openapi({ description: "Estimated tokens of its entry in the prompt." }),
    description: z.string().optional(),
    version: z.string().optional().openapi({ example: "sha256:0123456789abcdef" }),
    size: count.optional().openapi({ description: "Of its SKILL.md, in bytes." }),
    baseDir: z.string().optional().openapi({ description: "Its folder in the shell." }),
    key: z.string().optional().openapi({ description: "Its key in `skills.entries`." }),
    command: z.string().optional().openapi({ description: "Its slash command, without the `/`." }),
    commandTool: z.string().optional().openapi({ description: "The tool that its command calls without a model." }),
    emoji: z.string().optional(),
    homepage: z.string().optional(),
    license: z.string().optional(),
    compatibility: z.string().optional(),
    allowedTools: z.array(z.string()).readonly().optional(),
    env: z
      .array(given)
      .optional()
      .openapi({ description: "The variables of its configuration entry, without values." }),
    installers: z.array(installer).optional(),
    install: installedSkill
      .optional()
      .openapi({ description: "Of an installed skill: where it came from, and who signed it." }),
    warnings: z.array(z.string()).optional().openapi({ description: "Problems that do not prevent its use." }),
  })
  .openapi("Skill");

/** The skills of an agent. */
export const skillsOverview = z
  .object({
    agent: z.string(),
    skills: z.array(skill),
    totals: z.object({
      found: count,
      eligible: count,
      shown: count,
      cut: count,
      tokens: count.openapi({ description: "Of the whole list in the prompt." }),
      chars: count,
    }),
    limits: z.object({ maxSkillsInPrompt: count, maxSkillsPromptChars: count }),
    unset: z.array(z.string()).openapi({ description: "Secrets of entries that are not set." }),
    warnings: z.array(z.string()).openapi({ description: "Other problems with the variables of skills." }),
  })
  .openapi("Skills");

/** A skill with the files of its folder. */
export const skillDetail = skill
  .extend({
    files: z.array(
      z.object({
        path: z.string().openapi({ description: "Relative to the skill's folder." }),
        etag: z.string(),
        size: count.openapi({ description: "In bytes." }),
      }),
    ),
    moreFiles: count.openapi({ description: "How many files are left out." }),
    seen: z.string().openapi({ description: "The digest of all files, for `accept`." }),
    text: z.string().optional().openapi({ description: "The content of SKILL.md; absent where it is not text." }),
  })
  .openapi("SkillDetail");

export type SkillLine = z.infer<typeof skill>;
export type SkillReport = z.infer<typeof skillsOverview>;
export type SkillDetail = z.infer<typeof skillDetail>;
