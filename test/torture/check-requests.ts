import { toolCalls } from "../../src/models/message.ts";
import type { Breach, BreachKind } from "./check.ts";
import { type Evidence, type HistoryMessage, retriesOf, type SessionEvidence } from "./evidence.ts";
import { announcedIn, heardOf, type Script, scriptsIn } from "./script.ts";

/** A line of a summary, which repeats what was asked before it. */
const SUMMARY_LINE = /^- \[m/m;

/**
 * What the model was sent is what the transcript has: each message is shown to it, in no request twice, in the order in
 * which it was accepted; and what it asked for was carried out to its end.
 */
export function requestBreachesIn(evidence: Evidence): Breach[] {
  return [
    ...doubledIn(evidence),
    ...evidence.sessions.flatMap((session) => [
      ...unshownIn(session, evidence),
      ...disorderedIn(session),
      ...undoneIn(session),
    ]),
  ];
}

/** A message that stands in one request more often than it was taken up. */
function doubledIn({ requests, sessions }: Evidence): Breach[] {
  const again = new Map(
    sessions.flatMap((session) =>
      session.sent.flatMap((record) => ownTags(record.message.text).map((tag) => [tag, retriesOf(record, session)])),
    ),
  );
  return requests.flatMap((users, number) => {
    const tags = users.filter((text) => !SUMMARY_LINE.test(text)).flatMap(ownTags);
    const times = (tag: string) => tags.filter((other) => other === tag).length;
    const twice = [...new Set(tags)].filter((tag) => times(tag) > 1 + (again.get(tag) ?? 0));
    return twice.map(
      (tag): Breach => ({ kind: "doubledInRequest", session: "", what: `request ${number} has ${tag} twice` }),
    );
  });
}

/** The scripts that a message brings; a report of a sub-agent quotes none. */
function ownTags(text: string): string[] {
  return announcedIn(text) === undefined ? scriptsIn(text).map(({ tag }) => tag) : [];
}

/** A message of the transcript that no request has shown. */
function unshownIn({ session, history, runs }: SessionEvidence, { requests }: Evidence): Breach[] {
  const shown = new Set(requests.flatMap((users) => users.flatMap(ownTags)));
  const cut = new Set(runs.filter(({ status }) => status !== "ok").map(({ runId }) => runId));
  return asked(history)
    .filter(({ entry, script }) => !shown.has(script.tag) && !cut.has(entry.runId) && session.mode !== "interrupt")
    .map(({ entry, script }) => ({
      kind: "lost",
      session: session.key,
      runId: entry.runId,
      what: `${script.tag} is in the transcript, and the model was never shown it`,
    }));
}

/**
 * Messages that come into the transcript in another order than that in which they were accepted. A message of OpenAI's
 * API shares its run with no other kind, so one of another kind may join the run at work before it.
 */
function disorderedIn(evidence: SessionEvidence): Breach[] {
  const ofOpenai = new Set(
    evidence.sent.filter(({ message }) => message.door === "openai").flatMap(({ message }) => ownTags(message.text)),
  );
  return [true, false].flatMap((isOpenai) => disorderedAmong(evidence, (tag) => ofOpenai.has(tag) === isOpenai));
}

function disorderedAmong({ session, history, runs }: SessionEvidence, isOne: (tag: string) => boolean): Breach[] {
  const acceptedAt = new Map(runs.map((run) => [run.runId, run.acceptedAt]));
  let latest = { at: 0, tag: "" };
  return asked(history).flatMap(({ entry, script }): Breach[] => {
    if (!isOne(script.tag)) return [];
    const runId = (entry.role === "user" && entry.fromRunId) || entry.runId;
    const at = acceptedAt.get(runId) ?? latest.at;
    if (at >= latest.at) {
      latest = { at, tag: script.tag };
      return [];
    }
    const what = `${script.tag} was accepted ${latest.at - at} ms before ${latest.tag} and comes after it`;
    return [{ kind: "disordered", session: session.key, runId, what }];
  });
}

/** The messages that people sent with a script, in the order of the transcript. */
function asked(history: readonly HistoryMessage[]): { entry: HistoryMessage; script: Script }[] {
  return history.flatMap((entry) => {
    if (entry.role !== "user" || entry.aside || announcedIn(entry.text) !== undefined) return [];
    const script = scriptsIn(entry.text).at(-1);
    return script === undefined ? [] : [{ entry, script }];
  });
}

/** Runs that ended well without what they were asked: a step of calls that was not made, or the last words. */
function undoneIn({ session, history, runs }: SessionEvidence): Breach[] {
  const breaches: Breach[] = [];
  const failed = new Set(runs.flatMap(({ runId, status }) => (status === "error" ? [runId] : [])));
  for (const { runId, status } of runs) {
    if (status !== "ok") continue;
    const own = history.filter((entry) => entry.runId === runId);
    const said = own.flatMap((entry) => (entry.role === "assistant" && !entry.aside ? [entry] : []));
    const words = said
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
      .join("\n");
    const report = (kind: BreachKind, what: string) => breaches.push({ kind, session: session.key, runId, what });
    const last = own.findLast((entry) => entry.role === "user" && !entry.aside && isTold(entry.text));
    if (last?.role !== "user") continue;
    const announced = announcedIn(last.text);
    if (announced !== undefined) {
      // A report that comes while a script is under way is heard when that is over.
      if (!words.includes(heardOf(announced)) && !/\bm\d+(?:c\d+)?\.1\b/.test(words))
        report("undone", `nobody answered to the end of ${announced}`);
      continue;
    }
    const script = scriptsIn(last.text).at(-1);
    if (script === undefined) continue;
    const { tag, steps } = script;
    if (!new RegExp(`(?<![\\w-])${tag}\\.${script.words}(?!\\d)`).test(words))
      report("undone", `${tag} has no last words`);
    // A job that failed is run again, and goes on where it was.
    const before = history.flatMap((entry) => (entry.role === "assistant" && failed.has(entry.runId) ? [entry] : []));
    const calls = new Set([...before, ...said].flatMap((entry) => toolCalls(entry).map(({ callId }) => callId)));
    for (const [step, stepCalls] of steps.entries()) {
      for (const index of stepCalls.keys()) {
        if (!calls.has(`${tag}-${step}-${index}`)) report("undone", `the call ${tag}-${step}-${index} was not made`);
      }
    }
  }
  return breaches;
}

function isTold(text: string): boolean {
  return announcedIn(text) !== undefined || scriptsIn(text).length > 0;
}
