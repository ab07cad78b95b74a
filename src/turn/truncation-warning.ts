import type { LoopEnd } from "../agent/loop.ts";
import type { PromptInput } from "../prompt/input.ts";
import type { SessionSettings } from "../session-store/stored-shapes.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";

/** Whether the model was warned before about exactly these truncated files. */
export function wasWarned({ truncationWarned }: SessionSettings, files: readonly BootstrapFile[]): boolean {
  return truncationWarned !== undefined && isSame(truncationWarned, cutAmong(files));
}

/** Stores which truncated files the answered prompt has warned about, if each warning is to be shown only once. */
export function noteWarning(end: LoopEnd, input: PromptInput, noteWarned: (paths: readonly string[]) => void): void {
  if (end.kind !== "reply" || end.message.stop === "error") return;
  const cut = cutAmong(input.bootstrapFiles);
  if (input.truncationWarning === "once" && !input.truncationWarned && cut.length > 0) noteWarned(cut);
}

function cutAmong(files: readonly BootstrapFile[]): string[] {
  return files.filter(({ truncated }) => truncated).map(({ path }) => path);
}

function isSame(a: unknown, b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
