import type { CoreConfig } from "../config/schema.ts";
import { digestOf } from "../lib/digest.ts";
import { hmac, toHex } from "../security/hmac.ts";

const SHOWN_HEX = 12;

type CommandsConfig = CoreConfig["commands"];

/** The hashes by configuration and key: the same in each turn. */
const hashed = new WeakMap<CommandsConfig, { key: string | undefined; shown: Promise<string[]> }>();

/**
 * The owners as the prompt may show them. Hashed: HMAC-SHA256 with the configured secret, else SHA-256; the first 12
 * hex digits.
 */
export function ownersForPrompt(
  commands: CommandsConfig,
  secret: (name: string) => string | undefined,
): Promise<string[]> {
  const { ownerAllowFrom, ownerDisplay, ownerDisplaySecret } = commands;
  if (ownerDisplay === "raw") return Promise.resolve([...ownerAllowFrom]);
  const key = ownerDisplaySecret && secret(ownerDisplaySecret.id);
  const known = hashed.get(commands);
  if (known !== undefined && known.key === key) return known.shown;
  const shown = Promise.all(ownerAllowFrom.map((owner) => shortHash(owner, key)));
  hashed.set(commands, { key, shown });
  return shown;
}

/**
 * The id of a message's author as models may see it: an owner's in the configured form, as `ownersForPrompt` gives it;
 * anybody else's as `<channel>:<id>`.
 * @param owner the owner's entry in `ownerAllowFrom`, or `<channel>:<id>` of a paired one; undefined for other people
 */
export async function authorForPrompt(
  id: string,
  owner: string | undefined,
  commands: CommandsConfig,
  secret: (name: string) => string | undefined,
): Promise<string> {
  const { ownerDisplay, ownerDisplaySecret } = commands;
  if (owner === undefined || ownerDisplay === "raw") return id;
  return shortHash(owner, ownerDisplaySecret && secret(ownerDisplaySecret.id));
}

async function shortHash(text: string, key: string | undefined): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const digest = key === undefined ? await digestOf("SHA-256", bytes) : toHex(await hmac("SHA-256", key, bytes));
  return digest.slice(0, SHOWN_HEX);
}
