import type { Conclusion } from "../../session-store/run-result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ActiveRun } from "../active-run.ts";
import { attach } from "./files.ts";
import type { Voice } from "./run-output.ts";

const NOT_YOURS = "⚠️ No file was sent: only an owner may have files of the workspace sent.";

/**
 * A conclusion with the files that the run's replies have named, each once. Whoever may not look into the workspace is
 * sent nothing of it, whatever they have talked the model into.
 */
export async function withFiles(
  conclusion: Conclusion,
  run: ActiveRun,
  { voice, workspace }: { voice: Pick<Voice, "isPrivate">; workspace: Workspace },
): Promise<Conclusion> {
  if (conclusion.status !== "ok" || run.row.target === null || voice.isPrivate) return conclusion;
  const { paths, asVoice } = namedIn(conclusion, run);
  if (paths.length === 0) return conclusion;
  if (!run.speaker.owner) return { ...conclusion, texts: [...conclusion.texts, NOT_YOURS] };
  const { files, problems } = await attach(paths, asVoice, workspace);
  return { ...conclusion, texts: [...conclusion.texts, ...problems], files };
}

function namedIn({ message }: Conclusion, { journal }: ActiveRun): { paths: string[]; asVoice: boolean } {
  const { startedAt } = journal.state;
  const said = [...journal.context(), ...(message === undefined ? [] : [message])].flatMap((one) =>
    one.role === "assistant" && one.at >= startedAt && one.directives !== undefined ? [one.directives] : [],
  );
  const paths = said.flatMap(({ files = [] }) => files);
  return { paths: [...new Set(paths)], asVoice: said.some(({ asVoice }) => asVoice === true) };
}
