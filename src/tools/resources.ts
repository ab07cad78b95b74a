import { headingsOf } from "../docs/headings.ts";
import { nearestNames } from "../lib/nearest.ts";
import { isPath } from "../workspace/paths.ts";

/**
 * Something readable besides the workspace, such as the documentation; it cannot be written. Both methods throw an
 * Error for the model if access is refused or the store does not answer.
 */
export interface Resource {
  /** The text of a page or the bytes of a file at a path; "" is the root. Undefined if there is none. */
  read(path: string): Promise<string | Uint8Array | undefined>;
  /** The entries at a path and below it, in reading order; it may also return others. */
  list(path: string): Promise<readonly ResourceEntry[]>;
}

export interface ResourceEntry {
  path: string;
  /** A short description. */
  about: string;
  /** Of a file, in bytes. */
  size?: number;
}

/** The most lines of a listing. */
const MAX_LISTED = 500;

/** Resources by the scheme of their addresses: `docs` for `docs://…`. */
export type Resources = Readonly<Record<string, Resource>>;

/** The address of a text outside the workspace: `docs://models#providers`. */
export interface Address {
  scheme: string;
  path: string;
  /** The heading to begin at, as a link's slug. */
  heading: string | undefined;
}

/** The shell's path of `skills://`. */
const IN_SHELL = /^\s*\/skills(?=\/|\s*$)\/?/;

/** The address that a model typed; undefined for a workspace path. `/skills/…` is `skills://…`. */
export function addressIn(typed: string): Address | undefined {
  const named = typed.replace(IN_SHELL, "skills://");
  const [, scheme, path, heading] = /^\s*([a-z][a-z\d+.-]*):\/\/([^#]*)(?:#(.*))?$/is.exec(named) ?? [];
  if (scheme === undefined || path === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), path: path.trim().replace(/^\/+|(?<!\/)\/+$/g, ""), heading: heading?.trim() };
}

/**
 * The content at an address, and the line to begin at.
 * @throws Error if nothing is there, with similar addresses
 */
export async function readAddress(
  resources: Resources,
  address: Address,
): Promise<{ content: string | Uint8Array; line: number }> {
  const resource = resourceAt(resources, address);
  const content = await resource.read(address.path);
  if (content === undefined) throw await nothingAt(resource, address);
  const { heading: wanted } = address;
  if (wanted === undefined || wanted === "" || typeof content !== "string") return { content, line: 1 };
  const headings = headingsOf(content);
  const heading = headings.find(({ slug }) => slug === wanted.toLowerCase());
  if (heading !== undefined) return { content, line: heading.line };
  const slugs = headings.map(({ slug }) => `#${slug}`).join(", ");
  throw new Error(`${addressText(address)} has no heading #${wanted}. It has: ${slugs}.`);
}

/**
 * The entries at an address and below it, one per line.
 * @throws Error if nothing is there, with similar addresses
 */
export async function listAddress(resources: Resources, address: Address): Promise<string> {
  const { entries } = await entriesBelow(resources, address);
  const lines = entries.slice(0, MAX_LISTED).map(({ path, about }) => `${address.scheme}://${path}  ${about}`);
  if (entries.length > MAX_LISTED) lines.push(`[The first ${MAX_LISTED} of ${entries.length} entries.]`);
  return lines.join("\n");
}

/** Content at an address, not read yet. */
export interface Opening {
  path: string;
  /** In bytes; 0 if unknown. */
  size: number;
  open(): Promise<string | Uint8Array | undefined>;
}

/**
 * Everything at an address and below it, each with its own address. Nothing is read yet.
 * @throws Error if nothing is there, with similar addresses
 */
export async function openingsAt(resources: Resources, address: Address): Promise<Opening[]> {
  const { entries, resource } = await entriesBelow(resources, address);
  return entries.map(({ path, size = 0 }) => ({
    path: `${address.scheme}://${path}`,
    size,
    open: () => resource.read(path),
  }));
}

async function entriesBelow(resources: Resources, address: Address) {
  const resource = resourceAt(resources, address);
  const wanted = [address.path, address.path.replace(/\.md$/i, "")];
  const isBelow = ({ path }: ResourceEntry) => wanted.some((folder) => `${path}/`.startsWith(`${folder}/`));
  const all = await resource.list(address.path);
  const entries = address.path === "" ? all : all.filter(isBelow);
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
  const names = (await resource.list("")).map(({ path }) => path);
  const near = nearestNames(address.path.replace(/\.md$/i, ""), names).map((path) => `${address.scheme}://${path}`);
  const meant = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`;
  return new Error(
    `There is nothing at ${addressText(address)}.${meant} Use ls on ${address.scheme}:// to see what there is.`,
  );
}

/** An address as text. */
export function addressText({ scheme, path }: Pick<Address, "scheme" | "path">): string {
  return `${scheme}://${path}`;
}
