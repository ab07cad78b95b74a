import type { CustomCommand } from "just-bash/browser";

/** `xargs`, whose options may have their values joined to them: `-n1`, `-I{}`. just-bash's own wants them apart. */
export const xargs: CustomCommand = {
  name: "xargs",
  async execute(args, { origCommand }) {
    return (await origCommand?.(apart(args))) ?? { stdout: "", stderr: "xargs: not here\n", exitCode: 127 };
  },
};

function apart(args: readonly string[]): string[] {
  const options: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, option, value] = /^(-[dInP])(.*)$/s.exec(arg) ?? [];
    if (option === undefined && !arg.startsWith("-")) return [...options, ...args.slice(at)];
    if (option === undefined) options.push(arg);
    else options.push(option, value || (args[++at] ?? ""));
  }
  return options;
}
