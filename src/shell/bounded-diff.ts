import type { CustomCommand, ResolvedCommandContext } from "just-bash/browser";
import { MAX_DIFF_LINES } from "./limits.ts";

/** `diff`, which refuses files that differ in too much: the time of just-bash's own grows with the square of that. */
export const boundedDiff: CustomCommand = {
  name: "diff",
  async execute(args, context) {
    const refusal = await refuse(args, context);
    if (refusal !== undefined) return { stdout: "", stderr: `${refusal}\n`, exitCode: 2 };
    return (await context.origCommand?.(args)) ?? { stdout: "", stderr: "diff: not here\n", exitCode: 127 };
  },
};

/** Why two files are not compared, where they differ in too much. */
async function refuse(args: readonly string[], { fs, cwd }: ResolvedCommandContext): Promise<string | undefined> {
  if (args.some((arg) => arg === "--brief" || /^-[a-z]*q/.test(arg))) return undefined;
  const [one, other] = args.filter((arg) => !arg.startsWith("-"));
  if (one === undefined || other === undefined) return undefined;
  const linesOf = async (path: string) => (await fs.readFile(fs.resolvePath(cwd, path))).split("\n");
  try {
    return differing(await linesOf(one), await linesOf(other)) <= MAX_DIFF_LINES
      ? undefined
      : `diff: ${one} and ${other} differ in more than ${MAX_DIFF_LINES} lines; diff -q says whether they differ`;
  } catch {
    // It says itself what it cannot read.
    return undefined;
  }
}

/** How many lines are left of both where the same ones at the beginning and at the end are taken away. */
function differing(one: readonly string[], other: readonly string[]): number {
  let first = 0;
  while (first < one.length && one[first] === other[first]) first++;
  let last = 0;
  const most = Math.min(one.length, other.length) - first;
  while (last < most && one[one.length - 1 - last] === other[other.length - 1 - last]) last++;
  return one.length + other.length - 2 * (first + last);
}
