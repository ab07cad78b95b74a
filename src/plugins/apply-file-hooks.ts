import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";
import { type BootstrapLimits, withinLimits } from "../workspace/bootstrap-limits.ts";
import { showControls } from "../workspace/decode-text.ts";
import { asBootstrapFile } from "./hook-merge.ts";
import type { BootstrapChange } from "./hooks.ts";
import type { PromptHooks } from "./session-hooks.ts";

/** Most files that a prompt shows. */
const MAX_FILES = 50;

/**
 * The workspace files that the prompt shows once plugins have spoken, cut to the limits; one that nobody touched is the
 * same object. Each that was added, changed or left out is on the audit trail.
 */
export async function applyFileHooks(
  files: readonly BootstrapFile[],
  limits: BootstrapLimits,
  hooks: PromptHooks,
  runId?: string,
): Promise<readonly BootstrapFile[]> {
  if (!hooks.has("agent:bootstrap")) return files;
  const { event, answers } = await hooks.run("agent:bootstrap", { files }, runId);
  if (answers.length === 0) return files;
  hooks.audit.write(await linesOf(files, answers, runId));
  return within(event.files, files, limits);
}

/**
 * The files as far as they fit, in their order. Those that are not `known` are a plugin's: their control characters are
 * shown as pictures, as those of a file are.
 */
export function within(
  files: readonly BootstrapFile[],
  known: readonly BootstrapFile[],
  limits: BootstrapLimits,
): BootstrapFile[] {
  const shown = files.slice(0, MAX_FILES).map((file) => (known.includes(file) ? file : measured(file)));
  return withinLimits(shown, limits);
}

function measured(file: BootstrapFile): BootstrapFile {
  const content = showControls(file.content);
  const { length } = content;
  return { ...file, content, rawChars: file.truncated ? file.rawChars : length, injectedChars: length };
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
