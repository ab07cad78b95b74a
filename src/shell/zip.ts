import { type UnzipFileInfo, unzipSync, type Zippable, zipSync } from "fflate";
import type { Command, ResolvedCommandContext } from "just-bash/browser";
import { messageOf } from "../lib/errors.ts";
import { ArchiveBounds, ended, filesBelow, readInput, unpackEntry } from "./archive-files.ts";
import { byteString } from "./file-bytes.ts";

/** The first year that a ZIP can hold. */
const EARLIEST = Date.UTC(1980, 0, 2);

/** `unzip`: unpacks, lists or prints the files of a ZIP. It overwrites without asking, unless `-n` is given. */
export const unzip: Command = {
  name: "unzip",
  async execute(args, context) {
    const options = parseOptions(args, "d");
    const [file, ...names] = options.operands;
    if (file === undefined || options.unknown !== undefined) {
      return ended("", [`usage: unzip [-l|-p] [-n|-o] [-q] FILE [NAME…] [-d FOLDER]`]);
    }
    try {
      return await unpack(file, names, options, context);
    } catch (thrown) {
      return ended("", [`unzip: ${messageOf(thrown)}`]);
    }
  },
};

/** `zip -r`: packs files, besides those that the archive holds already. */
export const zip: Command = {
  name: "zip",
  async execute(args, context) {
    const { operands, unknown } = parseOptions(args, "");
    const [file, ...paths] = operands;
    if (file === undefined || paths.length === 0 || unknown !== undefined) {
      return ended("", ["usage: zip [-r] [-q] FILE PATH…"]);
    }
    try {
      return await pack(/\.\w+$/.test(file) ? file : `${file}.zip`, paths, context);
    } catch (thrown) {
      return ended("", [`zip: ${messageOf(thrown)}`]);
    }
  },
};

async function pack(file: string, paths: readonly string[], context: ResolvedCommandContext) {
  const { fs, cwd } = context;
  const path = fs.resolvePath(cwd, file);
  const known = (await fs.exists(path)) ? unzipped(await fs.readFileBuffer(path)) : {};
  const all: Zippable = { ...known };
  const entries = await filesBelow(paths, context);
  for (const { name, bytes, modifiedAt } of entries) {
    const mtime = Math.max(modifiedAt.getTime(), EARLIEST);
    all[bytes ? name : `${name}/`] = [bytes ?? new Uint8Array(), { mtime }];
  }
  await fs.writeFile(path, zipSync(all));
  return ended("");
}

async function unpack(
  file: string,
  names: readonly string[],
  { letters, values }: Options,
  context: ResolvedCommandContext,
) {
  const { fs, cwd } = context;
  const isWanted = (name: string) => names.length === 0 || names.includes(name);
  const listed: string[] = [];
  const found = unzipped(await readInput(file, context), ({ name, originalSize }) => {
    if (!isWanted(name)) return false;
    listed.push(`${String(originalSize).padStart(9)}  ${name}\n`);
    return !letters.has("l");
  });
  if (letters.has("l")) return ended(listed.join(""));
  if (letters.has("p")) {
    const stdout = Object.values(found).map(byteString).join("");
    return { ...ended(stdout), stdoutKind: "bytes" as const };
  }
  const folder = fs.resolvePath(cwd, values.get("d") ?? ".");
  const problems: string[] = [];
  const shown: string[] = [];
  for (const [name, bytes] of Object.entries(found)) {
    if (letters.has("n") && (await fs.exists(`${folder}/${name}`))) continue;
    const isFolder = name.endsWith("/");
    const problem = await unpackEntry({ name, ...(!isFolder && { bytes }), mode: 0o644 }, folder, context);
    if (problem !== undefined) problems.push(`unzip: ${problem}`);
    else if (!letters.has("q") && !isFolder) shown.push(`  ${name}\n`);
  }
  for (const name of names) if (found[name] === undefined) problems.push(`unzip: ${name}: it is not in the archive`);
  return ended(shown.join(""), problems);
}

/** The files of a ZIP. @throws Error if it is damaged, or holds too much */
function unzipped(
  bytes: Uint8Array,
  isWanted: (file: UnzipFileInfo) => boolean = () => true,
): Record<string, Uint8Array> {
  const bounds = new ArchiveBounds();
  return unzipSync(bytes, {
    filter(file) {
      if (!isWanted(file)) return false;
      // fflate copies a stored entry by its packed size and unpacks another into a buffer of its original size, and an
      // archive may claim anything of either.
      bounds.add(Math.max(file.size, file.originalSize));
      return true;
    },
  });
}

interface Options {
  letters: ReadonlySet<string>;
  /** The values of those letters that take one. */
  values: ReadonlyMap<string, string>;
  operands: readonly string[];
  /** An option that is not known. */
  unknown?: string;
}

function parseOptions(args: readonly string[], valued: string): Options {
  const [letters, values, operands] = [new Set<string>(), new Map<string, string>(), [] as string[]];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else if (valued.includes(arg.charAt(1)) && arg.length === 2) values.set(arg.charAt(1), args[++at] ?? "");
    else {
      for (const letter of arg.slice(1)) {
        if (!/[lpnoqr0-9]/.test(letter)) return { letters, values, operands, unknown: arg };
        letters.add(letter);
      }
    }
  }
  return { letters, values, operands };
}
