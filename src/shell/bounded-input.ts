import type { CustomCommand, ResolvedCommandContext } from "just-bash/browser";

const KIB = 1024;

/**
 * Programs that take forty times the memory of what they read, or more, with the most bytes that they are given at once: so they stay
 * below 64 MB. `words` is how many arguments are no files.
 */
const HUNGRY = [
  { name: "comm", words: 0, most: 1024 * KIB },
  { name: "jq", words: 1, most: 1024 * KIB },
  { name: "sed", words: 1, most: 512 * KIB },
  { name: "tr", words: Number.POSITIVE_INFINITY, most: 1024 * KIB },
];

/** Programs of just-bash that refuse to work on too much at once. */
export const boundedPrograms: CustomCommand[] = HUNGRY.map(({ name, words, most }) => ({
  name,
  async execute(args, context) {
    const paths = args.filter((arg) => !arg.startsWith("-")).slice(words);
    if ((await largest(paths, context)) > most) {
      const stderr = `${name}: it takes ${most / KIB} KiB at once; give it a part (grep, head -c, tail -n)\n`;
      return { stdout: "", stderr, exitCode: 2 };
    }
    return (await context.origCommand?.(args)) ?? { stdout: "", stderr: `${name}: not here\n`, exitCode: 127 };
  },
}));

/** The bytes of the largest file; where there is none, of what comes from stdin. */
async function largest(paths: readonly string[], context: ResolvedCommandContext): Promise<number> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push((await sizeOf(path, context)) ?? 0);
  return Math.max(...(sizes.length > 0 ? sizes : [String(context.stdin).length]));
}

async function sizeOf(path: string, { fs, cwd }: ResolvedCommandContext): Promise<number | undefined> {
  try {
    return (await fs.stat(fs.resolvePath(cwd, path))).size;
  } catch {
    // It says itself what it cannot find.
    return undefined;
  }
}
