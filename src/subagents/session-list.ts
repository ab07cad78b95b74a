import { parseSessionKey } from "../config/session-key.ts";
import { refusalToReach } from "../config/session-reach.ts";
import { listSessions } from "../session-store/session-index.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import type { SessionQuery, SessionSummary } from "../tools/sessions-port.ts";
import { spawnDepth } from "../turn/lineage.ts";
import { reachRules, type SessionCaller } from "./find-session.ts";
import { isAtWork, listedSubagents } from "./find-subagent.ts";
import { readExcerpt } from "./session-excerpt.ts";

/** Most sessions that are read from the index. */
const MAX_INDEXED = 500;
/** Most characters of the messages of one session. */
const EXCERPT_CHARS = 1000;

/** The sessions that a run may see, the latest first: its own, its descendants, and, where allowed, others. */
export async function listReachable(query: SessionQuery, caller: SessionCaller): Promise<SessionSummary[]> {
  const { now } = caller.deps;
  const since = query.activeMinutes === undefined ? 0 : now() - query.activeMinutes * 60_000;
  const found = new Map((await indexed(since, caller)).map((session) => [session.sessionKey, session]));
  for (const session of [ownSession(caller), ...(await descendants(caller))]) found.set(session.sessionKey, session);
  const listed = [...found.values()]
    .filter(({ kind, updatedAt }) => updatedAt >= since && (query.kinds === undefined || isAmong(query.kinds, kind)))
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, query.limit);
  if (query.messageLimit === 0) return listed;
  const request = { limit: query.messageLimit, includeTools: false, chars: EXCERPT_CHARS };
  const withMessages = async (session: SessionSummary) => {
    const excerpt = await readExcerpt(session.sessionKey, request, caller.deps.call);
    return { ...session, messages: excerpt?.messages ?? [] };
  };
  return Promise.all(listed.map(withMessages));
}

function ownSession({ deps }: SessionCaller): SessionSummary {
  const { key, agentId } = deps.session();
  return { sessionKey: key, agentId, kind: sessionKind(key), status: "running", updatedAt: deps.now() };
}

/** All descendants of this session, generation by generation. */
async function descendants(caller: SessionCaller): Promise<SessionSummary[]> {
  const { deps, agent } = caller;
  const bottom = agent.subagents.maxSpawnDepth;
  if (deps.services().config.tools.sessions.visibility === "self") return [];
  const found: SubagentView[] = [];
  let generation = listedSubagents(deps.store);
  for (let depth = spawnDepth(deps.session()) + 1; generation.length > 0; depth++) {
    found.push(...generation);
    const parents = depth < bottom ? generation : [];
    const requests = parents.map(({ sessionKey }) => deps.call(sessionKey, (session) => session.lineage()));
    // A sub-agent that does not answer is listed without its own sub-agents.
    const answers = await Promise.allSettled(requests);
    generation = answers.flatMap((answer) => (answer.status === "fulfilled" ? (answer.value?.subagents ?? []) : []));
  }
  return found.map(subagentSummary);
}

function subagentSummary(subagent: SubagentView): SessionSummary {
  const { sessionKey, agentId, label, status, startedAt, endedAt } = subagent;
  const state = isAtWork(subagent) ? "running" : status;
  return { sessionKey, agentId, kind: "subagent", label, status: state, updatedAt: endedAt ?? startedAt };
}

async function indexed(since: number, caller: SessionCaller): Promise<SessionSummary[]> {
  const reach = reachRules(caller);
  const { visibility } = reach.tools.sessions;
  if (visibility === "self" || visibility === "tree") return [];
  const agentId = visibility === "agent" ? caller.agent.id : undefined;
  const rows = await listSessions(caller.deps.database, { agentId, since, limit: MAX_INDEXED });
  return rows
    .filter(({ key }) => refusalToReach({ ...reach, otherKey: key, isDescendant: false }) === undefined)
    .map((row) => {
      return {
        sessionKey: row.key,
        agentId: row.agentId,
        kind: sessionKind(row.key),
        status: row.lastStatus,
        updatedAt: row.updatedAt,
      };
    });
}

function sessionKind(sessionKey: string): string {
  return parseSessionKey(sessionKey).kind;
}

function isAmong(kinds: readonly string[], kind: string): boolean {
  return kinds.includes(kind);
}
