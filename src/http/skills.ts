import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { type Agent, agentOf } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Services } from "../services/services.ts";
import { installTargets } from "../services/skills/install-targets.ts";
import { type SkillFolder, skillFolder } from "../services/skills/skill-files.ts";
import { skillRoots } from "../services/skills/skill-roots.ts";
import { agentSkillsOverview } from "../services/skills/skills-overview.ts";
import type { InstalledView } from "../skills/install/installed-skill.ts";
import { installedByLocation } from "../skills/install/installed-skill.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid, withWorkspaceErrors } from "./errors.ts";
import { skillDetail, skillsOverview } from "./skills-schema.ts";

const noQuery = z.strictObject({});
const agentId = z.string().openapi({ description: "The agent's id." });

const listRoute = createRoute({
  method: "get",
  path: "/agents/{id}/skills",
  summary: "List the skills of an agent, with the reason for each that cannot be used",
  description: "Read from storage: a session may use an older list until its next turn.",
  request: { params: z.object({ id: agentId }), query: noQuery },
  responses: {
    200: {
      description: "All, by name; the effective one first among equal names",
      content: { "application/json": { schema: skillsOverview } },
    },
  },
});

const readRoute = createRoute({
  method: "get",
  path: "/agents/{id}/skills/{name}",
  summary: "Read a skill with its files and the text of its SKILL.md",
  description: "The effective one of several with the same name.",
  request: {
    params: z.object({ id: agentId, name: z.string().openapi({ description: "The skill's name." }) }),
    query: noQuery,
  },
  responses: { 200: { description: "The skill", content: { "application/json": { schema: skillDetail } } } },
});

/** The reading routes of `/v1/agents/{id}/skills`. */
export const skillRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

skillRoutes.openapi(listRoute, async (c) => {
  const services = c.get("services");
  const agent = agentOf(services.config, c.req.valid("param").id);
  const report = await agentSkillsOverview(agent, services);
  const skills = await withInstalls(report.skills, agent, services);
  return c.json({ agent: agent.id, ...report, skills, limits: agent.skillsLimits }, 200);
});

skillRoutes.openapi(readRoute, async (c) => {
  const services = c.get("services");
  const { id, name } = c.req.valid("param");
  const agent = agentOf(services.config, id);
  const { skills } = await agentSkillsOverview(agent, services);
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) {
    throw new IsopodError(
      "not_found",
      `Agent '${id}' has no skill '${name}'`,
      `GET /v1/agents/${id}/skills has those that were found.`,
    );
  }
  const [line = skill] = await withInstalls([skill], agent, services);
  const folder = await withWorkspaceErrors(() => skillFolder(skill.location, skillRoots(agent, services)));
  const { files, more, seen, text } = folder ?? EMPTY_FOLDER;
  return c.json({ ...line, files, moreFiles: more, seen, ...(text !== undefined && { text }) }, 200);
});

const EMPTY_FOLDER: SkillFolder = { files: [], more: 0, seen: "", text: undefined };

/** Adds to skills the records of their installs. Unreadable records are left out: the skills' own reasons name them. */
async function withInstalls<Line extends { location: string }>(
  skills: readonly Line[],
  agent: Agent,
  services: Services,
): Promise<(Line & { install?: InstalledView })[]> {
  const { own, managed } = installTargets(agent, services);
  const installs = await readInstalls([own, managed]);
  return skills.map((skill) => {
    const install = installs.get(skill.location);
    return install === undefined ? skill : { ...skill, install };
  });
}

async function readInstalls(places: Parameters<typeof installedByLocation>[0]): ReturnType<typeof installedByLocation> {
  try {
    return await installedByLocation(places);
  } catch (thrown) {
    if (thrown instanceof WorkspaceError) return new Map();
    throw thrown;
  }
}
