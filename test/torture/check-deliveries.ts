import { messageText, toolCalls } from "../../src/models/message.ts";
import type { RunView } from "../../src/session-store/run-views.ts";
import type { Breach, BreachKind } from "./check.ts";
import type { Delivered, Evidence, SessionEvidence } from "./evidence.ts";
import { announcementsIn } from "./family.ts";
import { announcedIn, heardOf, scriptsIn } from "./script.ts";

/** How many deliveries of all runs have an unknown outcome. */
export function unsureIn({ sessions }: Evidence): number {
  return sessions
    .flatMap(({ runs }) => runs.flatMap((run) => run.deliveries))
    .filter(({ status }) => status === "unsure").length;
}

/** Every reply was delivered once; not at all, or perhaps, only where it is marked unsure, which is rarer than kills. */
export function deliveryBreachesIn(evidence: Evidence): Breach[] {
  const breaches = evidence.sessions
    .filter(({ session }) => session.chat !== undefined)
    .flatMap((session) => repliesOf(session, evidence));
  const unsure = unsureIn(evidence);
  const reasons = evidence.kills.length + evidence.faults.delivery;
  const all = [...breaches, ...evidence.sessions.flatMap((session) => untoldIn(session, evidence))];
  if (unsure <= reasons) return all;
  return [
    ...all,
    { kind: "unsure", session: "", what: `${unsure} deliveries are unsure, with ${reasons} reasons for one` },
  ];
}

/** What a chat is told of deliveries that may be lost. */
function isNotice(text: string): boolean {
  return text.includes("/resend");
}

/** What a chat is asked before a call that a person has to allow. */
function isQuestion(text: string): boolean {
  return text.includes("I need your word before I go on");
}

/** Deliveries that may be lost, of which neither the list of the session nor a later reply tells. */
function untoldIn({ session, runs, lost }: SessionEvidence, { delivered }: Evidence): Breach[] {
  const open = runs.flatMap((run) =>
    run.deliveries.filter(({ status }) => status === "unsure" || status === "failed").map(() => run.runId),
  );
  const isTold = delivered.some(({ chat, text }) => chat === session.chat?.id && isNotice(text));
  if (open.length === 0 || isTold || lost.length >= open.length) return [];
  const what = `${open.length} deliveries may be lost, and ${lost.length} are told`;
  return [{ kind: "untold", session: session.key, what }];
}

function repliesOf({ session, sent, history, runs }: SessionEvidence, { delivered }: Evidence): Breach[] {
  // What ended an announcement is said in reply to the message that began it, in words that other runs end with.
  const shared = errorsOfAnnouncements(runs, history);
  const breaches: Breach[] = shared.flatMap((error) => timesSaid(error, session, runs, delivered));
  for (const run of runs) {
    const report = (kind: BreachKind, what: string) =>
      breaches.push({ kind, session: session.key, runId: run.runId, what });
    for (const { deliveryId, status, reason } of run.deliveries) {
      if (status === "pending" || status === "sending") report("stuck", `delivery ${deliveryId} is still ${status}`);
      if (status === "failed") report("failed", `delivery ${deliveryId}: ${reason}`);
    }
    if (shared.some((error) => error === run.error?.message)) continue;
    const inRun = history.filter((entry) => entry.runId === run.runId);
    const text = inRun.find((entry) => entry.role === "user" && entry.fromRunId === undefined);
    const asked = sent.find(({ message }) => text?.role === "user" && text.text.includes(message.text));
    const isAnnounced = text?.role === "user" && announcedIn(text.text) !== undefined;
    // Several that were taken together have one answer, to the last of them; a person's message may be among them.
    const announced = isAnnounced ? announcementsIn(inRun).map(heardOf) : [];
    const joined = isAnnounced ? scriptsAnsweredIn(inRun) : [];
    // A notice quotes what it is about.
    const arrived = delivered.filter(({ chat }) => chat === session.chat?.id);
    const inChat = arrived.filter(({ text }) => !isNotice(text) && !shared.some((error) => text.includes(error)));
    // What was asked while the end of a sub-agent waited is answered where that sub-agent was asked for.
    const elsewhere = scriptsOfAnnouncements(runs, history, run.runId);
    const took =
      announced.length === 0
        ? inChat.filter(
            (part) =>
              part.replyTo === asked?.message.number && !part.text.includes("heard-") && !isAbout(part, [], elsewhere),
          )
        : inChat.filter((part) => isAbout(part, announced, joined));
    for (const part of twice(took)) report("doubled", `it was delivered twice: ${part}`);
    // Two calls of one kind are asked for in the same words.
    const questions = took.filter(({ text }) => isQuestion(text)).length;
    const calls = inRun.flatMap((entry) => (entry.role === "assistant" ? toolCalls(entry) : []));
    const askedFor = calls.filter(({ tool }) => tool === "count_asked").length;
    if (questions > askedFor) report("doubled", `it asked ${questions} times about ${askedFor} calls`);
    const sure = run.deliveries.filter(({ status }) => status === "delivered").length;
    const unsure = run.deliveries.filter(({ status }) => status === "unsure").length;
    const notices = arrived.filter(({ text }) => isNotice(text)).length;
    // What such a run asked before it answered cannot be told from what other runs asked.
    if (took.length + notices < sure && joined.length === 0)
      report("lost", `${sure} parts count as delivered, ${took.length} arrived`);
    if (took.length > sure + unsure)
      report("doubled", `${took.length} parts arrived, ${sure} count as delivered, ${unsure} as unsure`);
    const words = wordsIn(took.filter(({ text }) => !isQuestion(text)));
    if (run.status === "ok" && unsure === 0 && words !== said(run)) {
      report("lost", `it said '${said(run)}' and '${words}' arrived`);
    }
  }
  return breaches;
}

/** What announcements ended with that failed. */
function errorsOfAnnouncements(runs: SessionEvidence["runs"], history: SessionEvidence["history"]): string[] {
  const failed = runs.filter(({ runId }) =>
    history.some((entry) => entry.runId === runId && entry.role === "user" && announcedIn(entry.text) !== undefined),
  );
  return [...new Set(failed.flatMap(({ error }) => (error === undefined ? [] : [error.message])))];
}

/** An error is said once for each run that ended with it. */
function timesSaid(
  error: string,
  { key, chat }: SessionEvidence["session"],
  runs: SessionEvidence["runs"],
  delivered: Evidence["delivered"],
): Breach[] {
  const ended = runs.filter((run) => run.error?.message === error);
  const inChat = delivered.filter((part) => part.chat === chat?.id);
  const said = inChat.filter(({ text }) => text.includes(error) && !isNotice(text)).length;
  const isSure = ended.every((run) => run.deliveries.every(({ status }) => status === "delivered"));
  const what = `'${error}' arrived ${said} times, and ${ended.length} runs ended with it`;
  if (said > ended.length) return [{ kind: "doubled", session: key, what }];
  // A newer answer, or a notice, may carry the words instead.
  const merged = inChat.filter(({ text }) => isNotice(text)).length;
  return said + merged < ended.length && isSure ? [{ kind: "lost", session: key, what }] : [];
}

/** The scripts that were answered together with the ends of sub-agents, in other runs than one. */
function scriptsOfAnnouncements(
  runs: SessionEvidence["runs"],
  history: SessionEvidence["history"],
  runId: string,
): string[] {
  return runs
    .filter((run) => run.runId !== runId)
    .flatMap((run) => {
      const inRun = history.filter((entry) => entry.runId === run.runId);
      const first = inRun.find((entry) => entry.role === "user" && entry.fromRunId === undefined);
      return first?.role === "user" && announcedIn(first.text) !== undefined ? scriptsAnsweredIn(inRun) : [];
    });
}

/** The scripts that a run was asked, or has answered: also one whose own run was given up before. */
function scriptsAnsweredIn(inRun: SessionEvidence["history"]): string[] {
  return inRun.flatMap((entry) => {
    if (entry.role === "user") return scriptsIn(entry.text).map(({ tag }) => tag);
    if (entry.role !== "assistant") return [];
    return [...messageText(entry).matchAll(/(?<![\w-])(m\d+(?:c\d+)?)(?:-\d+)?\.1\b/g)].map(([, tag = ""]) => tag);
  });
}

/** Whether a part tells of the end of one of these sub-agents, or answers one of these scripts. */
function isAbout({ text }: Delivered, announced: readonly string[], scripts: readonly string[]): boolean {
  return (
    announced.some((words) => text.includes(words)) ||
    scripts.some((tag) => new RegExp(`(?<![\\w-])${tag}\\.\\d`).test(text))
  );
}

function twice(took: readonly Delivered[]): string[] {
  return took
    .filter(({ text }, n) => !isQuestion(text) && took.findIndex((part) => part.text === text) !== n)
    .map(({ text }) => text);
}

function said({ reply = "" }: RunView): string {
  return bare(reply);
}

function wordsIn(took: readonly Delivered[]): string {
  return bare(took.map(({ text }) => text).join(" "));
}

/** Without markup, and with single spaces. */
function bare(text: string): string {
  return text
    .replace(/<[^>]*>|[*`_\u200b\u2060]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
