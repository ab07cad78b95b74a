import type { Command } from "just-bash/browser";
import { messageOf } from "../lib/errors.ts";
import { ended } from "./archive-files.ts";

/** `realpath`: paths with their links and dots resolved; `-m` also those that do not exist. */
export const realpath: Command = {
  name: "realpath",
  async execute(args, { fs, cwd }) {
    const [isLax, paths] = [args.includes("-m"), args.filter((arg) => !/^-[meqs]$/.test(arg))];
    if (paths.length === 0) return ended("", ["usage: realpath [-m] PATH…"], 1);
    const found: string[] = [];
    const problems: string[] = [];
    for (const path of paths) {
      const whole = fs.resolvePath(cwd, path);
      try {
        found.push(isLax && !(await fs.exists(whole)) ? whole : await fs.realpath(whole));
      } catch {
        problems.push(`realpath: ${path}: No such file or directory`);
      }
    }
    return ended(found.map((path) => `${path}\n`).join(""), problems, problems.length > 0 ? 1 : 0);
  },
};

const PLACES = /X{3,}/;

/** `mktemp`: a new file, or with `-d` a new folder. Its name is free, and not secret: nobody else is here. */
export const mktemp: Command = {
  name: "mktemp",
  async execute(args, { fs, cwd }) {
    const isFolder = args.includes("-d") || args.includes("--directory");
    const at = args.indexOf("-p");
    const template = args.find((arg, index) => !arg.startsWith("-") && (at < 0 || index !== at + 1));
    const isShort = template === undefined || args.includes("-t") || at >= 0;
    const base = isShort ? `${at < 0 ? "/tmp" : args[at + 1]}/${template ?? "tmp.XXXXXXXXXX"}` : template;
    const places = PLACES.exec(base)?.[0];
    if (places === undefined) return ended("", [`mktemp: too few X's in template '${base}'`], 1);
    try {
      for (let count = 0; ; count++) {
        const name = base.replace(PLACES, count.toString(36).padStart(places.length, "0"));
        const path = fs.resolvePath(cwd, name);
        if (await fs.exists(path)) continue;
        if (isFolder) await fs.mkdir(path);
        else await fs.writeFile(path, "");
        return ended(`${name}\n`);
      }
    } catch (thrown) {
      return ended("", [`mktemp: ${messageOf(thrown)}`], 1);
    }
  },
};
