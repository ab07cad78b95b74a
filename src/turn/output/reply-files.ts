import type { RunResult } from "../../session-store/run-result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ActiveRun } from "../active-run.ts";
import { attach } from "./files.ts";
import type { RunOutput } from "./run-output.ts";

const NOT_YOURS = "⚠️ No file was sent: only an owner may have files of the workspace sent.";

/**
 * Adds the files that the run's replies have named, each once. Senders who are not owners get no workspace files,
 * whatever they make the model reply.
 */
export async function withFiles(
  result: RunResult,
  run: ActiveRun,
  { output, workspace }: { output: Pick<RunOutput, "isPrivate">; workspace: Workspace },
): Promise<RunResult> {
  if (result.status !== "ok" || run.row.target === null || output.isPrivate) return result;
  const { paths, asVoice } = namedIn(result, run);
  if (paths.length === 0) return result;
  if (!run.principal.owner) return { ...result, texts: [...result.texts, NOT_YOURS] };
  const { files, problems } = await attach(paths, asVoice, workspace);
  return { ...result, texts: [...result.texts, ...problems], files };
}

function namedIn({ message }: RunResult, { journal }: ActiveRun): { paths: string[]; asVoice: boolean } {
  const { startedAt } = journal.state;
  const said = [...journal.context(), ...(message === undefined ? [] : [message])].flatMap((one) =>
    one.role === "assistant" && one.at >= startedAt && one.directives !== undefined ? [one.directives] : [],
  );
  const paths = said.flatMap(({ files = [] }) => files);
  return { paths: [...new Set(paths)], asVoice: said.some(({ asVoice }) => asVoice === true) };
}
