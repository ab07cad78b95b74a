import type { Skill, SkillMetadata } from "../../src/skills/skill.ts";

/** A skill of the workspace about which nothing is particular but what is said. */
export function aSkill(name: string, more: Partial<Skill> = {}): Skill {
  return {
    name,
    description: `Does ${name}.`,
    source: "workspace",
    location: `skills/${name}/SKILL.md`,
    baseDir: `/workspace/skills/${name}`,
    version: "sha256:0123456789abcdef",
    etag: "e1",
    size: 100,
    metadata: {},
    invocation: { userInvocable: true, disableModelInvocation: false },
    ...more,
  };
}

/** The same, with something in its metadata. */
export function skillWith(name: string, metadata: SkillMetadata, more: Partial<Skill> = {}): Skill {
  return aSkill(name, { metadata, ...more });
}

/** What a skill requires; nothing but what is said. */
export function requiring(requires: Partial<NonNullable<SkillMetadata["requires"]>>): SkillMetadata {
  return { requires: { bins: [], anyBins: [], env: [], config: [], ...requires } };
}
