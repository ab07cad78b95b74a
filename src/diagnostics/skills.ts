import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import { nearestNames } from "../lib/nearest.ts";
import { MIN_SECRET_CHARS } from "../security/mask.ts";
import { installTargets } from "../services/skills/install-targets.ts";
import { agentSkillsOverview, type SkillOverviewRow, type SkillsOverview } from "../services/skills/skills-overview.ts";
import { ABANDONED_MS } from "../skills/install/finish-work.ts";
import type { InstallTarget } from "../skills/install/install-target.ts";
import { readLock } from "../skills/install/lock.ts";
import { secretCapabilities } from "../turn/capabilities.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose skills are checked: each costs some R2 operations. */
const MAX_AGENTS = 20;
/** Most checks of one agent. */
const MAX_LINES = 30;

type Config = NonNullable<DiagnosticsContext["services"]>["config"];

/** Checks that skills can be read, are trusted and have what they need, and that configured skill names exist. */
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
    ...reports.flatMap(({ agent, report }) => agentChecks(agent, report, services.config)),
    ...(hasAll ? unknownNames(services.config, lines) : []),
    ...shortValues(services.config, secret),
    ...withoutHosts(services.config),
  ];
}

function agentChecks({ id }: Agent, { skills, totals, warnings }: SkillsOverview, { skills: config }: Config): Check[] {
  const { eligible, shown, tokens } = totals;
  const summary: Check = {
    id: `skills.${id}`,
    area: "skills",
    status: "ok",
    message: `'${id}' may use ${eligible} of ${totals.found} skills; the prompt lists ${shown}, in about ${tokens} tokens.`,
  };
  const problems = skills.flatMap((skill) =>
    skillProblems(skill, Object.hasOwn(config.entries, skill.key ?? skill.name)),
  );
  const findings = [...problems, ...warnings.map((text) => ({ at: "entries", text, fix: FIX_ENTRIES }))];
  const seen = new Map<string, number>();
  const checks = findings.slice(0, MAX_LINES).map(({ at, text, fix }): Check => {
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
  const more = findings.length - checks.length;
  const rest: Check = {
    id: `skills.${id}.more`,
    area: "skills",
    status: "warn",
    message: `'${id}': ${more} more.`,
    fix: SEE_ALL(id),
  };
  return [summary, ...checks, ...(more > 0 ? [rest] : [])];
}

const FIX_ENTRIES = "Correct skills.entries, or store the secrets that it names.";
const SEE_ALL = (id: string) => `GET /v1/agents/${id}/skills has the problems of each skill.`;

/** Reasons for leaving a skill out that are the owner's choice or a limit of the platform, so no problem. */
const NO_PROBLEM: ReadonlySet<string> = new Set([
  "disabled",
  "not_bundled_allowed",
  "not_agent_allowed",
  "os",
  "missing_bins",
  "missing_any_bins",
  "missing_config",
]);

/** The problems of a skill. A bundled skill that lacks its secret or was replaced is none. */
function skillProblems(skill: SkillOverviewRow, hasEntry: boolean): { at: string; text: string; fix: string }[] {
  const { name, source, location, code, reason, cut, warnings = [] } = skill;
  const problem = (text: string, fix: string) => ({ at: location, text: `${name} (${location}): ${text}`, fix });
  const isUnusedBundled = source === "bundled" && !hasEntry && (code === "missing_env" || code === "shadowed");
  if (code !== undefined && reason !== undefined) {
    return isUnusedBundled || NO_PROBLEM.has(code)
      ? []
      : [problem(reason, FIXES[code] ?? "Correct the file as the message says.")];
  }
  return [
    ...(cut === undefined ? [] : [problem(cut, "Raise the limit, have fewer skills, or shorten their descriptions.")]),
    ...warnings.map((warning) => problem(warning, "Correct it; the skill works meanwhile.")),
  ];
}

const FIXES: Readonly<Record<string, string>> = {
  quarantined: "Review its files; then accept, update or remove it.",
  shadowed: "Rename or remove one of the two.",
  missing_env: "Store the secret and name it in skills.entries.",
  unreachable: "Check the bucket that is bound to FILES.",
  too_many: "Raise skills.limits, or remove some.",
};

interface ConfiguredName {
  path: string;
  name: string;
  known: readonly string[];
}

/** Warns of configured names that no skill has. */
function unknownNames({ skills, agents }: Config, lines: readonly SkillOverviewRow[]): Check[] {
  const names = [...new Set(lines.map(({ name }) => name))];
  const keys = [...new Set(lines.flatMap(({ name, key }) => [name, key ?? name]))];
  const bundled = lines.flatMap(({ name, source, key }) => (source === "bundled" ? [name, key ?? name] : []));
  const named: ConfiguredName[] = [
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
      message: `${path} names the skill '${name}', which does not exist.`,
      fix: meant === undefined ? "Remove the name, or install the skill." : `Did you mean '${meant}'?`,
      path,
    };
  });
}

/** Warns of secrets that are too short to be masked in output: masking them would hit other text. */
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
    message: `${id} has fewer than ${MIN_SECRET_CHARS} characters, so it cannot be masked in the output of commands.`,
    fix: `Store a longer value (wrangler secret put ${id}), or move it into the skill if it is not secret.`,
    path,
  }));
}

/** Warns of secrets that heartbeats, jobs and hooks cannot use, because nobody is there who could be asked. */
function withoutHosts({ skills }: Config): Check[] {
  const asked = secretCapabilities(skills.entries).filter(({ sees, hosts }) => sees === "placeholder" && !hosts);
  return asked.slice(0, MAX_LINES).map(({ skill, secrets }) => ({
    id: `skills.hosts.${skill}`,
    area: "skills",
    status: "warn",
    message: `No host is named for ${secrets.join(", ")}: you are asked at the first use with each, and unattended runs do without.`,
    fix: `Name the hosts, such as "api.example.org", in skills.entries.${skill}.hosts.`,
    path: `skills.entries.${skill}`,
  }));
}

/** Checks that the records of installed skills can be read, and that no install or removal was interrupted. */
export async function examineSkillInstalls({ services, now }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const ids = agentIds(services.config).slice(0, MAX_AGENTS);
  const places = ids.flatMap((id) => Object.values(installTargets(agentOf(services.config, id), services)));
  const byLock = new Map(places.map((place) => [place.lockKey, place]));
  return (await Promise.all([...byLock.values()].map((place) => examineLock(place, now)))).flat();
}

async function examineLock(place: InstallTarget, now: number): Promise<Check[]> {
  const { lockKey } = place;
  const head = { area: "skills", status: "warn", path: lockKey } as const;
  const stored = await readLock(place);
  if (stored.kind === "damaged") {
    const message = `The record of installed skills ${lockKey} cannot be read, so none of its skills is trusted: ${stored.why}`;
    const fix = "Correct it in the bucket, or delete it and install its skills again with `replace`.";
    return [{ ...head, id: `skills.lock.${lockKey}`, message, fix }];
  }
  return [...stored.lock.skills].flatMap(([folder, entry]): Check[] => {
    const id = `skills.lock.${lockKey}.${folder}`;
    if (entry.state === "damaged") {
      const message = `The record of '${folder}' in ${lockKey} cannot be read, so the skill is not trusted: ${entry.why}`;
      return [{ ...head, id, message, fix: "Install it again with `replace`." }];
    }
    if (entry.state === "installed" || entry.since > now - ABANDONED_MS) return [];
    const what = entry.state === "installing" ? "The install" : "The removal";
    const message = `${what} of '${folder}' was interrupted; the skill is left out until it is finished.`;
    const flag = place.scope === "managed" ? "?global=true" : "";
    const fix = `Finish it: POST /v1/agents/:id/skills/${folder}/verify${flag}.`;
    return [{ ...head, id, message, fix }];
  });
}
