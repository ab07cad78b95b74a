import type { InstallSpec } from "./skill.ts";

/** An installer of a skill, and why it does not run here. */
export interface IdleInstaller {
  kind: InstallSpec["kind"];
  /** What it installs: a formula, package, module or URL. */
  what: string;
  label?: string;
  /** The commands that it would install. */
  bins: readonly string[];
  reason: string;
}

const WHAT_FIELDS: Readonly<Record<InstallSpec["kind"], string>> = {
  brew: "formula",
  node: "package",
  go: "module",
  uv: "package",
  download: "url",
};

const WHO: Readonly<Record<InstallSpec["kind"], string>> = {
  brew: "Homebrew",
  node: "A package manager of Node",
  go: "The Go toolchain",
  uv: "uv",
  download: "A download",
};

/** The installers of a skill, each with why it does not run here. @param commands the shell's commands */
export function idleInstallers(
  specs: readonly InstallSpec[] | undefined,
  commands: ReadonlySet<string>,
): IdleInstaller[] {
  return (specs ?? []).map((spec) => {
    const { kind, label, bins = [] } = spec;
    const what = spec[WHAT_FIELDS[kind]];
    return {
      kind,
      what: typeof what === "string" ? what : "",
      ...(label !== undefined && { label }),
      bins,
      reason: whyIdle(spec, commands),
    };
  });
}

function whyIdle({ kind, os = [], bins = [] }: InstallSpec, commands: ReadonlySet<string>): string {
  if (bins.length > 0 && bins.every((name) => commands.has(name))) {
    return `Nothing has to be installed: the shell has ${bins.join(", ")} of its own.`;
  }
  if (os.length > 0 && !os.includes("linux")) return `It is for ${os.join(", ")}, and commands run on linux here.`;
  return `${WHO[kind]} puts programs on a machine, and there is none: the shell's commands are built in.`;
}
