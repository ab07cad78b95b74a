import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import { nearestNames } from "../lib/nearest.ts";
import { MIN_SECRET_CHARS } from "../security/mask.ts";
import { agentSkillsOverview, type SkillOverviewRow, type SkillsOverview } from "../services/skills/skills-overview.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose skills are looked at: each costs some operations of R2. */
const MAX_AGENTS = 20;
/** Most lines for one agent. */
const MAX_LINES = 30;

type Config = NonNullable<DiagnosticsContext["services"]>["config"];

/** Whether skills are what they are to be: what cannot be read or trusted, what lacks something, and names that mean none. */
export async function examineSkills({ services, secret }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const ids = agentIds(services.config).slice(0, MAX_AGENTS);
  const agents = ids.map((id) => agentOf(services.config, id));
  const reports = await Promise.all(
    agents.map(async (agent) => ({ agent, report: await agentSkillsOverview(agent, services) })),
  );
  const lines = reports.flatMap(({ report }) => report.skills);
  const hasAll = agentIds(services.config).length <= MAX_AGENTS && !lines.some(({ code }) => code === "unreachable");
  return [
    ...reports.flatMap(({ agent, report }) => checksOf(agent, report, services.config)),
    ...(hasAll ? unknownNames(services.config, lines) : []),
    ...shortValues(services.config, secret),
  ];
}

function checksOf({ id }: Agent, { skills, totals, warnings }: SkillsOverview, { skills: config }: Config): Check[] {
  const { eligible, shown, tokens } = totals;
  const summary: Check = {
    id: `skills.${id}`,
    area: "skills",
    status: "ok",
    message: `'${id}' may use ${eligible} of ${totals.found} skills; the prompt lists ${shown}, in about ${tokens} tokens.`,
  };
  const problems = skills.flatMap((skill) => problemsOf(skill, Object.hasOwn(config.entries, skill.key ?? skill.name)));
  const said = [...problems, ...warnings.map((text) => ({ at: "entries", text, fix: FIX_ENTRIES }))];
  const seen = new Map<string, number>();
  const checks = said.slice(0, MAX_LINES).map(({ at, text, fix }): Check => {
    const count = seen.get(at) ?? 0;
    seen.set(at, count + 1);
    return {
      id: `skills.${id}.${at}.${count}`,
      area: "skills",
      status: "warn",
      message: `'${id}': ${text}`,
      fix,
      path: at === "entries" ? "skills.entries" : at,
    };
  });
  const more = said.length - checks.length;
  const rest: Check = {
    id: `skills.${id}.more`,
    area: "skills",
    status: "warn",
    message: `'${id}': ${more} more.`,
    fix: LOOK(id),
  };
  return [summary, ...checks, ...(more > 0 ? [rest] : [])];
}

const FIX_ENTRIES = "Mend skills.entries, or store the secrets that it names.";
const LOOK = (id: string) => `GET /v1/agents/${id}/skills says of each skill what is amiss.`;

/** Why a skill is left out that its owner has decided, or that could not be otherwise here. */
const NO_PROBLEM: ReadonlySet<string> = new Set([
  "disabled",
  "not_bundled_allowed",
  "not_agent_allowed",
  "os",
  "missing_bins",
  "missing_any_bins",
  "missing_config",
]);

/** What is to be mended of a skill. One of ours that lacks a token is no problem, nor is one that somebody has replaced. */
function problemsOf(skill: SkillOverviewRow, hasEntry: boolean): { at: string; text: string; fix: string }[] {
  const { name, source, location, code, reason, cut, warnings = [] } = skill;
  const problem = (text: string, fix: string) => ({ at: location, text: `${name} (${location}): ${text}`, fix });
  const isOurs = source === "bundled" && !hasEntry && (code === "missing_env" || code === "shadowed");
  if (code !== undefined && reason !== undefined) {
    return isOurs || NO_PROBLEM.has(code)
      ? []
      : [problem(reason, FIXES[code] ?? "Mend the file; the sentence says how.")];
  }
  return [
    ...(cut === undefined ? [] : [problem(cut, "Raise the limit, have fewer skills, or shorten their descriptions.")]),
    ...warnings.map((warning) => problem(warning, "Mend it; the skill can be used meanwhile.")),
  ];
}

const FIXES: Readonly<Record<string, string>> = {
  quarantined: "Look at its files; then accept, update or remove it.",
  shadowed: "Give one of the two another name, or remove it.",
  missing_env: "Store the secret and name it in skills.entries.",
  unreachable: "Look at the bucket that FILES is bound to.",
  too_many: "Raise skills.limits, or remove some.",
};

interface Named {
  path: string;
  name: string;
  known: readonly string[];
}

/** Entries and lists that name a skill that nobody has. */
function unknownNames({ skills, agents }: Config, lines: readonly SkillOverviewRow[]): Check[] {
  const names = [...new Set(lines.map(({ name }) => name))];
  const keys = [...new Set(lines.flatMap(({ name, key }) => [name, key ?? name]))];
  const bundled = lines.flatMap(({ name, source, key }) => (source === "bundled" ? [name, key ?? name] : []));
  const named: Named[] = [
    ...Object.keys(skills.entries).map((name) => ({ path: `skills.entries.${name}`, name, known: keys })),
    ...(skills.allowBundled ?? []).map((name) => ({ path: "skills.allowBundled", name, known: bundled })),
    ...(agents.defaults.skills ?? []).map((name) => ({ path: "agents.defaults.skills", name, known: keys })),
    ...agents.list.flatMap(({ skills = [] }, at) =>
      skills.map((name) => ({ path: `agents.list[${at}].skills`, name, known: keys })),
    ),
  ];
  const absent = named.filter(({ name, known }) => !known.includes(name));
  const distinct = new Map(absent.map((one) => [`${one.path} ${one.name}`, one]));
  return [...distinct.values()].slice(0, MAX_LINES).map(({ path, name, known }) => {
    const [meant] = nearestNames(name, known.length > 0 ? known : names, 1);
    return {
      id: `skills.unknown.${path}.${name}`,
      area: "skills",
      status: "warn",
      message: `${path} names '${name}', and no skill is called so.`,
      fix: meant === undefined ? "Take the name out, or install the skill." : `Did you mean '${meant}'?`,
      path,
    };
  });
}

/** Values that are too short to be told from other text, so that they cannot be masked where they appear. */
function shortValues({ skills }: Config, secret: DiagnosticsContext["secret"]): Check[] {
  const named = Object.entries(skills.entries).flatMap(([key, { apiKey, env }]) => [
    ...(apiKey === undefined ? [] : [{ id: apiKey.id, path: `skills.entries.${key}.apiKey` }]),
    ...Object.entries(env).map(([name, { id }]) => ({ id, path: `skills.entries.${key}.env.${name}` })),
  ]);
  const short = named.filter(({ id }) => (secret(id)?.trim().length ?? MIN_SECRET_CHARS) < MIN_SECRET_CHARS);
  return short.slice(0, MAX_LINES).map(({ id, path }) => ({
    id: `skills.short.${path}`,
    area: "skills",
    status: "warn",
    message: `${id} has fewer than ${MIN_SECRET_CHARS} characters, so it cannot be masked where a command prints it.`,
    fix: `Store a longer value (wrangler secret put ${id}), or write what is no secret into the skill.`,
    path,
  }));
}
