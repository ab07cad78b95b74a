import { setTimeout as sleep } from "node:timers/promises";
import { Approver } from "./approver.ts";
import { deliveredOn } from "./chats.ts";
import { ask, type Client } from "./client.ts";
import { MinuteClock } from "./clock.ts";
import { deleteSession } from "./deletion.ts";
import type { Evidence } from "./evidence.ts";
import { asSession, startedIn } from "./family.ts";
import { gather, gatherBeats, settle, settleChildren, settleFamily } from "./gather.ts";
import { type Kill, killRepeatedly } from "./killer.ts";
import { Mail } from "./mail.ts";
import { Mover } from "./mover.ts";
import { Outages } from "./outages.ts";
import type { Plan, PlannedSession } from "./plan.ts";
import { randomOf } from "./random.ts";
import { Reader } from "./reader.ts";
import { killLine } from "./report.ts";
import { BEATING, type Stage } from "./stage.ts";

/** How much time everything has to come to its end, once there are no more kills, in milliseconds. */
const SETTLE_MS = 60_000;
/** A busy machine takes many seconds to start again; this only bounds how long a message is tried. */
const KILL_MS = 20_000;
/** Longer than the first look of a session after what it left: whatever goes on by itself has begun by then. */
const QUIET_MS = 3000;

/** Carries a plan out: sends, reads and kills, waits until nothing is left to be done, and asks everybody what they saw. */
export async function carryOut(stage: Stage, plan: Plan, kills: number, seed: number): Promise<Evidence> {
  const startedAt = Date.now();
  const { client, watch, isopod } = stage;
  await writeHeartbeats(client);
  const clock = new MinuteClock(client, seed);
  const mail = new Mail(client, { watch, clock }, plan, seed, AbortSignal.timeout(SETTLE_MS + kills * KILL_MS));
  await mail.open(plan.openings);
  const readers = new Map(plan.sessions.map((session) => [session, readersOf(stage, session, seed)]));
  const struck: Kill[] = [];
  mail.due(0);
  const mover = new Mover(
    client,
    plan.sessions.map(({ key }) => key),
    seed,
  );
  const approver = new Approver(client);
  const outages = new Outages(client, stage.faults, seed);
  const onKill = (kill: Kill) => {
    struck.push(kill);
    console.log(killLine(kill, startedAt));
    mail.due(kill.number);
  };
  const onDeath = () => {
    for (const { story } of [...readers.values()].flat()) story.serverDied();
  };
  await killRepeatedly(isopod, watch, { seed, kills }, { lure: (place) => mail.lure(place), onDeath, onKill });
  await mail.done();
  await outages.stop();
  clock.hurry();
  console.log(`Everything is accepted after ${Math.round((Date.now() - startedAt) / 1000)} s`);

  const sentTo = (session: PlannedSession) => mail.sent.filter(({ message }) => message.session === session);
  await settle(client, new Map(plan.sessions.map((session) => [session.key, sentTo(session).length])), SETTLE_MS);
  await sleep(QUIET_MS);
  const awaited = plan.sessions.filter(({ mode }) => mode !== "interrupt");
  await Promise.all(awaited.map(({ key }) => settleFamily(client, key, SETTLE_MS / 2)));
  await sleep(QUIET_MS);
  await settleChildren(client, plan.sessions, SETTLE_MS);
  await mover.stop();
  await clock.stop();
  await approver.stop();
  const until = AbortSignal.timeout(SETTLE_MS);
  const parents = await Promise.all(
    plan.sessions.map((session) => gather(client, session, sentTo(session), readers.get(session) ?? [], until)),
  );
  const children = await Promise.all(
    parents.flatMap(({ session, history, runs }) =>
      startedIn(history).map(async (child) => {
        const [childSession, sent] = asSession(child, session);
        const parentStatus = runs.find(({ runId }) => runId === child.startedBy)?.status;
        return { ...(await gather(client, childSession, [sent], [], until)), parentStatus };
      }),
    ),
  );
  const sessions = [...parents, ...children];
  const struckAt = (where: "model" | "delivery" | "d1") =>
    stage.faults.struck.filter(({ place }) => place === where).length;
  const [doomed] = parents.filter(({ session }) => session.chat === undefined && session.mode !== "interrupt");
  const kill = async () => void (await isopod.kill(onDeath));
  const beats = await gatherBeats(client, BEATING, clock.now, until);
  const delivered = await deliveredOn(stage.servers);
  const deletion = doomed === undefined || kills === 0 ? [] : await deleteSession(client, doomed, kill);
  return {
    deletion,
    approvals: approver.decided.size,
    kills: struck,
    moves: mover.moves,
    sessions,
    counts: stage.counts,
    requests: stage.requests,
    faults: { model: struckAt("model"), delivery: struckAt("delivery"), d1: struckAt("d1") },
    beats,
    ticks: clock.ticks,
    delivered,
  };
}

/** Gives the agent that beats something to do: with an empty HEARTBEAT.md it would be left out. */
async function writeHeartbeats(client: Client): Promise<void> {
  const path = `/v1/agents/${BEATING}/workspace/HEARTBEAT.md`;
  const sent = { method: "PUT" as const, body: "- Tell the time.\n", headers: { "Content-Type": "text/markdown" } };
  await ask(client, path, sent, AbortSignal.timeout(SETTLE_MS));
}

function readersOf({ client }: Stage, session: PlannedSession, seed: number): Reader[] {
  return session.readers.map(
    (kind, n) => new Reader(client, kind, session.key, randomOf(seed, session.key, n), { least: 150, most: 4000 }),
  );
}
