import type { Command, ResolvedCommandContext } from "just-bash/browser";
import { MAX_DIFF_LINES } from "./limits.ts";

const KIB = 1024;

/**
 * Programs that use forty times the memory of their input or more, with the most bytes of one input: that keeps them
 * below 64 MB. `words` is the number of leading arguments that are not files.
 */
const MEMORY_HUNGRY = [
  { name: "comm", words: 0, most: 1024 * KIB },
  { name: "jq", words: 1, most: 1024 * KIB },
  { name: "sed", words: 1, most: 512 * KIB },
  { name: "tr", words: Number.POSITIVE_INFINITY, most: 1024 * KIB },
];

/** Wrappers of just-bash programs that refuse an input that is too large. */
export const boundedPrograms: Command[] = MEMORY_HUNGRY.map(({ name, words, most }) => ({
  name,
  async execute(args, context) {
    const paths = args.filter((arg) => !arg.startsWith("-")).slice(words);
    if ((await largestInput(paths, context)) > most) {
      const stderr = `${name}: it takes ${most / KIB} KiB at once; give it a part (grep, head -c, tail -n)\n`;
      return { stdout: "", stderr, exitCode: 2 };
    }
    return (await context.origCommand?.(args)) ?? { stdout: "", stderr: `${name}: not here\n`, exitCode: 127 };
  },
}));

/** The size of the largest file argument; without file arguments, that of stdin. */
async function largestInput(paths: readonly string[], context: ResolvedCommandContext): Promise<number> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push((await fileSize(path, context)) ?? 0);
  return Math.max(...(sizes.length > 0 ? sizes : [String(context.stdin).length]));
}

async function fileSize(path: string, { fs, cwd }: ResolvedCommandContext): Promise<number | undefined> {
  try {
    return (await fs.stat(fs.resolvePath(cwd, path))).size;
  } catch {
    // The wrapped program reports the missing file.
    return undefined;
  }
}

/**
 * `diff`, which refuses files with too many differing lines: just-bash's implementation takes time that grows with
 * their square.
 */
export const boundedDiff: Command = {
  name: "diff",
  async execute(args, context) {
    const refusal = await sizeRefusal(args, context);
    if (refusal !== undefined) return { stdout: "", stderr: `${refusal}\n`, exitCode: 2 };
    return (await context.origCommand?.(args)) ?? { stdout: "", stderr: "diff: not here\n", exitCode: 127 };
  },
};

/** The error message for two files with too many differing lines. */
async function sizeRefusal(args: readonly string[], { fs, cwd }: ResolvedCommandContext): Promise<string | undefined> {
  if (args.some((arg) => arg === "--brief" || /^-[a-z]*q/.test(arg))) return undefined;
  const [one, other] = args.filter((arg) => !arg.startsWith("-"));
  if (one === undefined || other === undefined) return undefined;
  const readLines = async (path: string) => (await fs.readFile(fs.resolvePath(cwd, path))).split("\n");
  try {
    return differingLines(await readLines(one), await readLines(other)) <= MAX_DIFF_LINES
      ? undefined
      : `diff: ${one} and ${other} differ in more than ${MAX_DIFF_LINES} lines; diff -q says whether they differ`;
  } catch {
    // The wrapped program reports the unreadable file.
    return undefined;
  }
}

/** The number of lines in both files without their common beginning and end. */
function differingLines(one: readonly string[], other: readonly string[]): number {
  let first = 0;
  while (first < one.length && one[first] === other[first]) first++;
  let last = 0;
  const most = Math.min(one.length, other.length) - first;
  while (last < most && one[one.length - 1 - last] === other[other.length - 1 - last]) last++;
  return one.length + other.length - 2 * (first + last);
}
