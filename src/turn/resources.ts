import { findPage, PAGES } from "../docs/pages.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { Skill } from "../skills/skill.ts";
import type { Resource, Resources } from "../tools/resources.ts";

/** Isopod's own documentation. */
const docs: Resource = {
  read: async (path) => findPage(path)?.text,
  list: async () => PAGES.map(({ name, title, about }) => ({ path: name, about: `${title}: ${about}` })),
};

/**
 * The resources that may be read besides the workspace: the documentation for all senders, and the agent's skills for
 * owners.
 */
export function resourcesOf({ set, files, read }: TurnSkills, owner: boolean): Resources {
  return owner ? { docs, skills: skillsResource(set.eligible, files, read) } : { docs };
}

const SCHEME = "skills://";

/** The files of usable skills. A SKILL.md is read as text with its variables replaced; other files as bytes. */
function skillsResource(eligible: readonly Skill[], files: TurnSkills["files"], read: TurnSkills["read"]): Resource {
  const skillAt = (address: string) => eligible.find(({ location }) => location === address);
  return {
    read: (path) => (skillAt(`${SCHEME}${path}`) ? read(`${SCHEME}${path}`) : files.readFile(`${SCHEME}${path}`)),
    async list(path) {
      const found = await files.list(`${SCHEME}${path}`);
      return found.map((file) => {
        const name = skillAt(file.path)?.name;
        const about = name === undefined ? String(file.size) : `${file.size}  skill: ${name}`;
        return { path: file.path.slice(SCHEME.length), about, size: file.size };
      });
    },
  };
}
