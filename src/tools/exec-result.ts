import { head, tail } from "../lib/text.ts";
import { wrapExternal } from "../security/external-content.ts";
import type { ShellResult } from "../shell/shell.ts";

/** Most characters of each stream that a result shows. */
const MAX_STREAM_CHARS = 100_000;
/** Most paths that are named. */
const MAX_PATHS = 50;

/**
 * What a model is told of a run: what it printed, and then what came of it. What was printed is fenced off where other hosts
 * answered, because it may be their words.
 */
export function execResult(result: ShellResult, newFenceId: () => string): string {
  const { stdout, stderr, exitCode, stopped, hosts } = result;
  const printed = [
    ...(stdout === "" ? [] : [bounded(stdout)]),
    ...(stderr === "" ? [] : [`stderr:\n${bounded(stderr)}`]),
  ].join("\n");
  const shown =
    printed === "" || hosts.length === 0
      ? printed
      : wrapExternal(printed, { source: "web_fetch", id: newFenceId(), metadata: { Hosts: hosts.join(", ") } });
  const said = [
    ...(stopped === undefined ? [] : [stopped]),
    ...(exitCode === 0 ? [] : [`Exit code ${exitCode}.`]),
    ...named(
      "Wrote",
      result.written.map(({ path }) => path),
    ),
    ...named("Removed", result.removed),
    ...bullets(result.conflicts),
  ];
  if (said.length === 0) return shown === "" ? "Done. It printed nothing." : shown;
  return [...(shown === "" ? [] : [shown, ""]), ...said].join("\n");
}

function named(verb: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : "";
  return [`${verb}: ${paths.slice(0, MAX_PATHS).join(", ")}${more}`];
}

function bullets(conflicts: readonly string[]): string[] {
  if (conflicts.length === 0) return [];
  const shown = conflicts.slice(0, MAX_PATHS).map((sentence) => `- ${sentence}`);
  const more = conflicts.length > MAX_PATHS ? [`- and ${conflicts.length - MAX_PATHS} more`] : [];
  return ["Not as the script wanted it:", ...shown, ...more];
}

/** The beginning and the end of what is too long. */
function bounded(text: string): string {
  const whole = text.replace(/\n$/, "");
  if (whole.length <= MAX_STREAM_CHARS) return whole;
  const [first, last] = [head(whole, MAX_STREAM_CHARS * 0.75), tail(whole, MAX_STREAM_CHARS * 0.25)];
  const left = whole.length - first.length - last.length;
  return `${first}\n[${left} of ${whole.length} characters are left out here. Write to a file to have all of it.]\n${last}`;
}
