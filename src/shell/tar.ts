import { Gunzip, gzipSync } from "fflate";
import type { Command, ResolvedCommandContext } from "just-bash/browser";
import { packTar, type TarHeader, unpackTar } from "modern-tar";
import { messageOf } from "../lib/errors.ts";
import { joinBytes } from "../lib/join-bytes.ts";
import { ArchiveBounds, ended, filesBelow, readInput, unpackEntry } from "./archive-files.ts";
import { byteString } from "./file-bytes.ts";
import { MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from "./limits.ts";

/** What `tar` is to do. */
interface TarArguments {
  mode: "c" | "x" | "t";
  gzip: boolean;
  verbose: boolean;
  toStdout: boolean;
  file?: string;
  folder: string;
  strip: number;
  paths: string[];
}

const USAGE = "usage: tar -c|-x|-t [-z] [-v] [-O] [-f FILE] [-C FOLDER] [--strip-components=N] [PATH…]";
/** A tar's overhead: at most two blocks of 512 bytes for each entry, and its end. */
const MAX_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_ARCHIVE_ENTRIES * 1024 + 10_240;
/** What feeds the decompressor at a time, so that a bomb is noticed early. */
const FED_BYTES = 4096;

/** `tar`: packs, unpacks and lists archives, also compressed with gzip. Links and devices are left out. */
export const tar: Command = {
  name: "tar",
  async execute(args, context) {
    const wanted = parseArguments(args);
    if (typeof wanted === "string") return ended("", [`tar: ${wanted}`, USAGE]);
    try {
      return await (wanted.mode === "c" ? pack(wanted, context) : unpack(wanted, context));
    } catch (thrown) {
      return ended("", [`tar: ${messageOf(thrown)}`]);
    }
  },
};

async function pack({ paths, folder, file, gzip, verbose }: TarArguments, context: ResolvedCommandContext) {
  const { fs, cwd } = context;
  if (paths.length === 0) return ended("", ["tar: it refuses to create an empty archive", USAGE]);
  const entries = await filesBelow(paths, { fs, cwd: fs.resolvePath(cwd, folder) });
  const packed = await packTar(
    entries.map(({ name, bytes, mode, modifiedAt }) => {
      const header = { name: bytes ? name : `${name}/`, size: bytes?.length ?? 0, mode, mtime: modifiedAt };
      return bytes ? { header, body: bytes } : { header: { ...header, type: "directory" as const } };
    }),
  );
  const whole = gzip ? gzipSync(packed, { mtime: 0 }) : packed;
  const listing = verbose ? entries.map(({ name }) => `${name}\n`).join("") : "";
  if (file === undefined || file === "-") {
    return { stdout: byteString(whole), stdoutKind: "bytes" as const, stderr: listing, exitCode: 0 };
  }
  await fs.writeFile(fs.resolvePath(cwd, file), whole);
  return ended(listing);
}

async function unpack(wanted: TarArguments, context: ResolvedCommandContext) {
  const { mode, file, folder, strip, paths, verbose, toStdout } = wanted;
  const { fs, cwd } = context;
  const packed = await readInput(file, context);
  const bounds = new ArchiveBounds();
  const problems: string[] = [];
  const isWanted = ({ name, type, size }: TarHeader): boolean => {
    if (type === "pax-global-header") return false;
    if (!isNamed(name, paths)) return false;
    bounds.add(size);
    if (type === undefined || type === "file" || type === "directory") return true;
    problems.push(`tar: ${name}: it is no file, and is left out`);
    return false;
  };
  const isGzip = packed[0] === 0x1f && packed[1] === 0x8b;
  const found = await unpackTar(isGzip ? gunzip(packed) : packed, { strict: true, filter: isWanted });
  const target = fs.resolvePath(cwd, folder);
  const shown: string[] = [];
  for (const { header, data } of found) {
    const name = header.name.split("/").slice(strip).join("/");
    if (name === "" && header.name !== "") continue;
    if (mode === "t" || (verbose && !toStdout)) shown.push(`${header.name}\n`);
    if (mode === "t") continue;
    if (toStdout) shown.push(byteString(data ?? new Uint8Array()));
    else {
      const bytes = header.type === "directory" ? {} : { bytes: data ?? new Uint8Array() };
      const problem = await unpackEntry({ name, ...bytes, mode: header.mode ?? 0o644 }, target, context);
      if (problem !== undefined) problems.push(`tar: ${problem}`);
    }
  }
  const missing = paths.filter((path) => !found.some(({ header }) => isNamed(header.name, [path])));
  for (const path of missing) problems.push(`tar: ${path}: it is not in the archive`);
  const end = ended(shown.join(""), problems);
  return toStdout ? { ...end, stdoutKind: "bytes" as const } : end;
}

function isNamed(name: string, paths: readonly string[]): boolean {
  const plain = (path: string) => path.replace(/^\.\//, "").replace(/\/+$/, "");
  return paths.length === 0 || paths.some((path) => `${plain(name)}/`.startsWith(`${plain(path)}/`));
}

/** @throws Error if it is damaged, or holds too much */
function gunzip(packed: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Gunzip((part) => {
    length += part.length;
    if (length > MAX_TAR_BYTES) throw new Error(`it holds more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB`);
    parts.push(part);
  });
  for (let from = 0; from < packed.length; from += FED_BYTES) {
    stream.push(packed.subarray(from, from + FED_BYTES), from + FED_BYTES >= packed.length);
  }
  return joinBytes(parts);
}

/** The arguments, of which the first may lack its dash; or what is wrong with them. */
function parseArguments(given: readonly string[]): TarArguments | string {
  const wanted: Omit<TarArguments, "mode"> & { mode?: TarArguments["mode"] } = {
    ...{ gzip: false, verbose: false, toStdout: false, folder: ".", strip: 0, paths: [] },
  };
  const args = [...given];
  if (args[0] !== undefined && !args[0].startsWith("-")) args[0] = `-${args[0]}`;
  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    const [option = "", joined] = arg.split(/=(.*)/s, 2);
    if (option === "--strip-components") wanted.strip = Number(joined ?? args.shift());
    else if (option === "--directory") wanted.folder = joined ?? args.shift() ?? "";
    else if (option === "--file") wanted.file = joined ?? args.shift() ?? "";
    else if (option === "--gzip") wanted.gzip = true;
    else if (arg.startsWith("--")) return `it does not know ${option}`;
    else if (!arg.startsWith("-") || arg === "-") wanted.paths.push(arg);
    else {
      const letters = [...arg.slice(1)];
      for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
        const value = () => letters.splice(0).join("") || args.shift();
        if (letter === "c" || letter === "x" || letter === "t") wanted.mode = letter;
        else if (letter === "z") wanted.gzip = true;
        else if (letter === "v") wanted.verbose = true;
        else if (letter === "O") wanted.toStdout = true;
        else if (letter === "f") wanted.file = value() ?? "";
        else if (letter === "C") wanted.folder = value() ?? "";
        else if (!"pokm".includes(letter)) return `it does not know -${letter}`;
      }
    }
  }
  const { mode } = wanted;
  if (mode === undefined) return "say -c, -x or -t";
  return Number.isInteger(wanted.strip) ? { ...wanted, mode } : "--strip-components takes a number";
}
