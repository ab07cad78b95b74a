import type { PackageFile } from "./archive.ts";
import { refused, shown } from "./refuse.ts";

const SKILL_FILE = "SKILL.md";
const MAX_LISTED = 10;

/** The files of the one skill that is meant, by paths from its folder on, and what was left out. */
export interface PackageRoot {
  files: PackageFile[];
  notes: string[];
}

/**
 * Finds the skill in an archive: at its top, or in the one folder that all of it is in. Where there are others, as in a
 * repository, `folder` names the one, with or without the top folder.
 * @throws IsopodError which lists what was found
 */
export function findSkill(files: readonly PackageFile[], folder: string | undefined): PackageRoot {
  const places = files.filter(({ path }) => path.split("/").at(-1) === SKILL_FILE).map(({ path }) => folderOf(path));
  const top = topFolderOf(files);
  const wanted = folder === undefined ? ["", top] : foldersMeant(folder, top);
  const root = wanted.find((one) => places.includes(one));
  if (root === undefined) throw nothingAt(files, places, folder);
  const chosen = files.filter(({ path }) => path.startsWith(root));
  const others = files.length - chosen.length;
  return {
    files: chosen.map(({ path, bytes }) => ({ path: path.slice(root.length), bytes })),
    notes: others === 0 ? [] : [`${others} files outside of ${shown(root)} were left out.`],
  };
}

/** "" or ends with `/`. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function topFolderOf([first, ...rest]: readonly PackageFile[]): string {
  const top = first?.path.slice(0, first.path.indexOf("/") + 1) ?? "";
  return rest.every(({ path }) => path.startsWith(top)) ? top : "";
}

function foldersMeant(folder: string, top: string): string[] {
  const plain = folder.normalize("NFC").replace(/^(?:\.?\/)+|\/+$/g, "");
  const inside = plain === "" ? "" : `${plain}/`;
  return [inside, `${top}${inside}`];
}

function nothingAt(files: readonly PackageFile[], places: readonly string[], folder: string | undefined) {
  const where = folder === undefined ? "at the top of the archive" : `in ${shown(folder)}`;
  if (places.length > 0) {
    const listed = places.slice(0, MAX_LISTED).map((place) => shown(place === "" ? "." : place.slice(0, -1)));
    const more = places.length > MAX_LISTED ? ` and ${places.length - MAX_LISTED} more` : "";
    const message = `There is no ${SKILL_FILE} ${where}. The archive has skills in ${listed.join(", ")}${more}.`;
    return refused("which_skill", message, "Name the one that you mean as `path`.");
  }
  const spelt = files.find(({ path }) => path.toLowerCase().endsWith(SKILL_FILE.toLowerCase()));
  const message = `There is no ${SKILL_FILE} in the archive${spelt === undefined ? "" : `, but ${shown(spelt.path)}`}.`;
  return refused("no_skill", message, `A skill is a folder with a file of exactly that name.`);
}
