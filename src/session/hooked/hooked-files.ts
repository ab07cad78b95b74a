import type { BootstrapChange } from "../../hooks/hooks.ts";
import { asBootstrapFile } from "../../hooks/merge.ts";
import { head } from "../../lib/text.ts";
import type { BootstrapFile, BootstrapLimits } from "../../workspace/bootstrap.ts";
import { type AuditLine, changeLine } from "../catalog/audit-line.ts";
import type { PromptHooks } from "./session-hooks.ts";

/** Most files that a prompt shows. */
const MAX_FILES = 50;

/**
 * The workspace files that the prompt shows once plugins have spoken, cut to the limits; one that nobody touched is the
 * same object. Each that was added, changed or left out is on the audit trail.
 */
export async function hookedFiles(
  files: readonly BootstrapFile[],
  limits: BootstrapLimits,
  hooks: PromptHooks,
  runId?: string,
): Promise<readonly BootstrapFile[]> {
  if (!hooks.has("agent:bootstrap")) return files;
  const { event, answers } = await hooks.run("agent:bootstrap", { files }, runId);
  if (answers.length === 0) return files;
  hooks.audit.write(await linesOf(files, answers, runId));
  return within(event.files, limits);
}

/** The files as far as they fit, in their order. */
export function within(files: readonly BootstrapFile[], { fileChars, totalChars }: BootstrapLimits): BootstrapFile[] {
  let left = totalChars;
  return files.slice(0, MAX_FILES).map((file) => {
    const content = head(file.content, Math.min(fileChars, left));
    left -= content.length;
    const isWhole = content.length === file.content.length;
    return isWhole ? file : { ...file, content, injectedChars: content.length, truncated: true };
  });
}

async function linesOf(
  files: readonly BootstrapFile[],
  answers: readonly { by: string; answer: BootstrapChange }[],
  runId: string | undefined,
): Promise<AuditLine[]> {
  const lines: Promise<AuditLine>[] = [];
  let before = contentsOf(files);
  for (const { by, answer } of answers) {
    const after = contentsOf(answer.files.map(asBootstrapFile));
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [was = "", is = ""] = [before.get(path), after.get(path)];
      if (was !== is)
        lines.push(
          changeLine({ kind: "prompt", ...(runId !== undefined && { runId }), by, subject: `file ${path}` }, was, is),
        );
    }
    before = after;
  }
  return Promise.all(lines);
}

function contentsOf(files: readonly BootstrapFile[]): Map<string, string> {
  return new Map(files.map(({ path, content }) => [path, content]));
}
