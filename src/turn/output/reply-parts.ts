import type { LoopEnd } from "../../agent/loop.ts";
import { NOT_ANSWERED, replyTexts } from "../../agent/reply.ts";
import { refusalOf } from "../../agent/run-error.ts";
import type { ReplyToMode, Target } from "../../channels/channel.ts";
import { addUsage, type MadeFile, NO_USAGE, type Usage } from "../../models/message.ts";
import type { OutboxPart } from "../../session-store/outbox.ts";
import { type Answering, type RunResult, stopped } from "../../session-store/run-result.ts";
import type { Preferences } from "../../session-store/session-settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ActiveRun } from "../active-run.ts";
import { moneyText, tokenText } from "./amount-text.ts";
import { boundedParts, MAX_PARTS } from "./bounded-parts.ts";
import { attach, fileLine } from "./files.ts";
import type { RunOutput } from "./run-output.ts";

/** Converts the end of a loop into the result of its run. A stopped run has no further reply. */
export function runResult(
  end: Exclude<LoopEnd, { kind: "paused" }>,
  signal: AbortSignal,
  output: RunOutput,
): RunResult {
  if (end.kind === "aborted") return { ...stopped(signal), ...(end.message && { message: end.message }) };
  if (end.kind === "yielded") return { status: "ok", texts: [], yields: true };
  if (end.kind === "called") return { status: "ok", texts: [], leavesCalls: true };
  const { message } = end;
  const { error } = message;
  const texts = replyTexts(output.finalReply(message));
  const said = { message, texts, answering: output.answering(message), sentParts: output.sentParts };
  if (error === undefined) return { status: "ok", ...said };
  return { status: "error", error: { code: "model_error", message: error.message, ...refusalOf(error) }, ...said };
}

const BESIDE: Answering = { isFirst: false };

/** How texts become parts of a channel, and parts become texts again. */
export interface ReplyFormat {
  format(target: Target, markdown: string, answering?: Answering): OutboxPart[];
  plainText(part: { target: Target; text: string }): string;
}

/** The outbox parts of a run's result for its own conversation, files last. */
export function replyParts(
  { texts, error, answering, sentParts = 0, files = [] }: RunResult,
  target: Target | null,
  { format, plainText }: ReplyFormat,
): OutboxPart[] {
  if (target === null) return [];
  const most = Math.max(1, MAX_PARTS - sentParts);
  const told = target.isVisitor && error !== undefined && texts.length > 0 ? [NOT_ANSWERED] : texts;
  const parts = told.flatMap((text, n) =>
    format(target, text, { ...(n === 0 && answering ? answering : BESIDE), most }),
  );
  const said = boundedParts(parts, { target, most, plain: (text) => plainText({ target, text }) });
  const attached = files.flatMap((file) =>
    format(target, fileLine(file), BESIDE)
      .slice(0, 1)
      .map((part) => ({ ...part, source: file })),
  );
  return [...said, ...attached];
}

const NOT_YOURS = "⚠️ No file was sent: only an owner may have files of the workspace sent.";

/**
 * Adds the files that the run's replies have named and that its tools have made, each once. Senders who are not owners
 * get what was made for them, and no other file of the workspace, whatever they make the model reply.
 */
export async function withFiles(
  result: RunResult,
  run: ActiveRun,
  { output, workspace, mayShow }: ReplyFilesDeps,
): Promise<RunResult> {
  if (result.status !== "ok" || run.row.target === null || output.isPrivate) return result;
  const made = madeIn(run);
  const others = namedIn(result, run).filter(({ path }) => !made.has(path));
  if (made.size + others.length === 0) return result;
  const { owner } = run.principal;
  const shown = owner ? others.filter(({ path }) => mayShow(path)) : [];
  const sent = output.sentPaths();
  const unsent = [...made.values()].filter(({ path }) => !sent.has(path));
  const { files, problems } = await attach([...shown, ...unsent], workspace);
  const kept = owner
    ? others.filter((file) => !shown.includes(file)).map(keptPrivate)
    : others.length > 0
      ? [NOT_YOURS]
      : [];
  return { ...result, texts: [...result.texts, ...problems, ...kept], ...(files.length > 0 && { files }) };
}

function keptPrivate({ path }: MadeFile): string {
  return `⚠️ \`${path}\` was not sent: it is private, others read along here, and this turn has read foreign words (rule security.flow). Ask for it in your own chat.`;
}

/** What the files of a reply depend on. */
export interface ReplyFilesDeps {
  output: Pick<RunOutput, "isPrivate" | "sentPaths">;
  workspace: Pick<Workspace, "stat">;
  /** Whether a file may be seen by those who read the reply. */
  mayShow(path: string): boolean;
}

/** The files that replies of the run name. */
function namedIn({ message }: RunResult, { journal }: ActiveRun): MadeFile[] {
  const { startedAt } = journal.state;
  const said = [...journal.context(), ...(message === undefined ? [] : [message])].flatMap((one) =>
    one.role === "assistant" && one.at >= startedAt && one.directives !== undefined ? [one.directives] : [],
  );
  const asVoice = said.some((directives) => directives.asVoice === true);
  const paths = new Set(said.flatMap(({ files = [] }) => files));
  return [...paths].map((path) => ({ path, ...(asVoice && { asVoice }) }));
}

/** The files that tools of the run have made for people, by path. */
function madeIn({ journal }: ActiveRun): Map<string, MadeFile> {
  const { startedAt } = journal.state;
  const made = journal
    .context()
    .flatMap((one) => (one.role === "tool" && one.at >= startedAt ? (one.files ?? []) : []));
  return new Map(made.map((file) => [file.path, file]));
}

/**
 * Adds a usage footer to the last text of a run's result where it is enabled: its tokens and, in `full`, its estimated
 * cost and model. If all text was sent in blocks, the footer is a text of its own; without any text there is none.
 * @param before the run's usage without its last reply
 */
export function withUsage(
  result: RunResult,
  before: Usage,
  { mode, isBegun }: { mode: Preferences["usage"]; isBegun: boolean },
): RunResult {
  const { message, texts } = result;
  const last = texts.at(-1);
  if (mode === "off" || (last === undefined && !isBegun)) return result;
  const told = `*${footer(addUsage(before, message?.usage ?? NO_USAGE), message?.model, mode)}*`;
  return { ...result, texts: [...texts.slice(0, -1), last === undefined ? told : `${last}\n\n${told}`] };
}

function footer(usage: Usage, model: string | undefined, mode: "tokens" | "full"): string {
  const tokens = `${tokenText(usage.input)} tokens in, ${tokenText(usage.output)} out`;
  if (mode === "tokens") return tokens;
  const cost = usage.costMicros === undefined ? [] : [`about ${moneyText(usage.costMicros)}`];
  return [tokens, ...cost, ...(model === undefined ? [] : [model])].join(" · ");
}

/**
 * The targets of a text's parts: the first is a native reply if it was requested or is the account's default, the
 * others are not.
 * @param target its `replyToId` is the message that the run answers
 */
export function replyTargets(
  target: Target,
  mode: ReplyToMode,
  { replyTo, isFirst }: Answering,
): { first: Target; rest: Target } {
  const { replyToId: current, ...rest } = target;
  const isImplied = mode === "all" || (mode === "first" && isFirst);
  const id = typeof replyTo === "object" ? replyTo.id : replyTo === "current" || isImplied ? current : undefined;
  const first = id === undefined ? rest : { ...rest, replyToId: id };
  return { first, rest: mode === "all" ? first : rest };
}
