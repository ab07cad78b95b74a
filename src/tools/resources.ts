import { headingsOf } from "../docs/headings.ts";
import { nearestOf } from "../lib/nearest.ts";
import { isPath } from "../workspace/paths.ts";

/** What can be read besides the workspace, such as the documentation. Nothing in it can be written. */
export interface Resource {
  /** The text at a path; "" is its root. Undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Everything that there is, in reading order. */
  list(): Promise<readonly ResourceEntry[]>;
}

export interface ResourceEntry {
  path: string;
  /** What it is, in a few words. */
  about: string;
}

/** Resources by the scheme of their addresses: `docs` has what is at `docs://…`. */
export type Resources = Readonly<Record<string, Resource>>;

/** Where a text is that is no file of the workspace: `docs://models#keys`. */
export interface Address {
  scheme: string;
  path: string;
  /** The heading to begin at, as links name it. */
  heading: string | undefined;
}

/** The address that a model typed; undefined where that is a path of the workspace. */
export function addressIn(typed: string): Address | undefined {
  const [, scheme, path, heading] = /^\s*([a-z][a-z\d+.-]*):\/\/([^#]*)(?:#(.*))?$/is.exec(typed) ?? [];
  if (scheme === undefined || path === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), path: path.trim().replace(/^\/+|(?<!\/)\/+$/g, ""), heading: heading?.trim() };
}

/**
 * The text at an address, and the line to begin at.
 * @throws Error where nothing is there, with what is near
 */
export async function readAddress(resources: Resources, address: Address): Promise<{ text: string; line: number }> {
  const resource = resourceAt(resources, address);
  const text = await resource.read(address.path);
  if (text === undefined) throw await nothingAt(resource, address);
  if (address.heading === undefined || address.heading === "") return { text, line: 1 };
  const headings = headingsOf(text);
  const heading = headings.find(({ slug }) => slug === address.heading?.toLowerCase());
  if (heading !== undefined) return { text, line: heading.line };
  const slugs = headings.map(({ slug }) => `#${slug}`).join(", ");
  throw new Error(`${shown(address)} has no heading #${address.heading}. It has: ${slugs}.`);
}

/**
 * What is at an address and below it, one line each.
 * @throws Error where nothing is there, with what is near
 */
export async function listAddress(resources: Resources, address: Address): Promise<string> {
  const { entries } = await entriesBelow(resources, address);
  return entries.map(({ path, about }) => `${address.scheme}://${path}  ${about}`).join("\n");
}

/**
 * Every text at an address and below it, under its own address.
 * @throws Error where nothing is there, with what is near
 */
export async function textsAt(resources: Resources, address: Address): Promise<{ path: string; text: string }[]> {
  const { entries, resource } = await entriesBelow(resources, address);
  const texts = await Promise.all(entries.map(({ path }) => resource.read(path)));
  return entries.flatMap(({ path }, i) => {
    const text = texts[i];
    return text === undefined ? [] : [{ path: `${address.scheme}://${path}`, text }];
  });
}

async function entriesBelow(resources: Resources, address: Address) {
  const resource = resourceAt(resources, address);
  const wanted = address.path.replace(/\.md$/i, "");
  const entries = (await resource.list()).filter(({ path }) => wanted === "" || `${path}/`.startsWith(`${wanted}/`));
  if (entries.length === 0) throw await nothingAt(resource, address);
  return { entries, resource };
}

function resourceAt(resources: Resources, { scheme, path }: Address): Resource {
  const resource = Object.hasOwn(resources, scheme) ? resources[scheme] : undefined;
  if (resource === undefined) {
    const known = Object.keys(resources).map((name) => `${name}://`);
    throw new Error(`Nothing can be read at ${scheme}://. There is ${["the workspace", ...known].join(", ")}.`);
  }
  if (path === "" || isPath(path)) return resource;
  throw new Error(`That is no address in ${scheme}://. Use ls on ${scheme}:// to see what there is.`);
}

async function nothingAt(resource: Resource, address: Address): Promise<Error> {
  const names = (await resource.list()).map(({ path }) => path);
  const near = nearestOf(address.path.replace(/\.md$/i, ""), names).map((path) => `${address.scheme}://${path}`);
  const meant = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`;
  return new Error(
    `There is nothing at ${shown(address)}.${meant} Use ls on ${address.scheme}:// to see what there is.`,
  );
}

function shown({ scheme, path }: Address): string {
  return `${scheme}://${path}`;
}
