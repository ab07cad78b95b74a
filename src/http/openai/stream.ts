import type { Context } from "hono";
import { objectNameOfRun } from "../../config/session-ids.ts";
import { IsopodError } from "../../lib/errors.ts";
import { callSession } from "../../session/api.ts";
import type { RunView } from "../../session-store/run-views.ts";
import type { AppEnv } from "../context.ts";
import { sse } from "../event-source.ts";
import { type FollowedRun, type News, tellRun } from "./follow.ts";
import { type Ending, isEnding, type Told } from "./telling.ts";

/** How one protocol writes down, as server-sent events, what is told of a run. */
export interface Script {
  /** What is said before anything is known. */
  begin(): string;
  of(told: Told): string;
  /** What is said where the telling itself breaks. */
  broken(thrown: unknown): string;
  /** What is said after everything else. */
  end(): string;
}

/** A run that is told to one reader. */
export interface ToldRun extends FollowedRun {
  /** Whether it is stopped when the reader hangs up. */
  endsWithReader: boolean;
}

/** Sends what is told of a run, each piece as soon as it is there. */
export function streamRun(c: Context<AppEnv>, run: ToldRun, script: Script): Response {
  const encoder = new TextEncoder();
  const hungUp = new AbortController();
  const texts = textsOf(tellRun(c.env.SESSIONS, run, { live: true, signal: hungUp.signal }), script);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      hungUp.abort();
      if (run.endsWithReader) c.executionCtx.waitUntil(abortRun(c, run.runId));
    },
  });
  return named(sse(stream), run);
}

/** Everything that is told of a run, up to its ending. */
export async function gatherRun(c: Context<AppEnv>, run: FollowedRun): Promise<{ told: Told[]; ending: Ending }> {
  const told: Told[] = [];
  for await (const news of tellRun(c.env.SESSIONS, run, { live: false, signal: new AbortController().signal })) {
    if (news === "ping") continue;
    if (isEnding(news)) return { told, ending: news };
    told.push(news);
  }
  throw new Error("A run was told without its ending.");
}

/** An answer that says which run it is of; official clients show it as the id of the request. */
export function named(response: Response, { runId }: Pick<FollowedRun, "runId">): Response {
  response.headers.set("X-Request-Id", runId);
  return response;
}

/** Stops a run. @throws IsopodError `unavailable` */
export function abortRun(c: Context<AppEnv>, runId: string): Promise<unknown> {
  return callSession(c.env.SESSIONS, objectNameOfRun(runId) ?? "", (session) => session.abort(runId));
}

async function* textsOf(news: AsyncGenerator<News, void>, script: Script): AsyncGenerator<string, void> {
  yield script.begin();
  try {
    for await (const one of news) {
      const text = one === "ping" ? ": ping\n\n" : script.of(one);
      if (text !== "") yield text;
    }
  } catch (error) {
    yield script.broken(error);
  }
  yield script.end();
}

/** A run as it stands. @throws IsopodError `not_found` */
export async function findRun(c: Context<AppEnv>, runId: string): Promise<RunView> {
  const objectName = objectNameOfRun(runId);
  const find = (name: string) => callSession(c.env.SESSIONS, name, (session) => session.show(runId));
  const view = objectName === undefined ? undefined : await find(objectName);
  if (view === undefined) throw new IsopodError("not_found", `There is no run '${runId.slice(0, 80)}'`);
  return view;
}
