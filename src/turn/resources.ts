import { findPage, PAGES } from "../docs/pages.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { Skill } from "../skills/skill.ts";
import type { Resource, Resources } from "../tools/resources.ts";

/** Isopod's own documentation. */
const docs: Resource = {
  read: async (path) => findPage(path)?.text,
  list: async () => PAGES.map(({ name, title, about }) => ({ path: name, about: `${title}: ${about}` })),
};

/** What may be read besides the workspace: the documentation by everybody, and by owners their agent's skills. */
export function resourcesOf({ set, files, read }: TurnSkills, owner: boolean): Resources {
  return owner ? { docs, skills: skillsResource(set.eligible, files, read) } : { docs };
}

const SCHEME = "skills://";

/** The files of skills that may be used. A SKILL.md is a text, as its reader is to follow it; all else are bytes. */
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
