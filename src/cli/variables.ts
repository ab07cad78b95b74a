import { randomBytes } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";

/** The file that wrangler reads the Worker's variables and secrets from. */
export const VARIABLES_FILE = ".dev.vars";

const OWNER_ONLY = 0o600;

/** The variables of a file in dotenv's format; none where there is no file. */
export async function readVariables(path: string): Promise<NodeJS.Dict<string>> {
  return parseEnv(await readIfThere(path));
}

/**
 * The access token of a file of variables. Where it has none, one is made and added; everything else in the file
 * stays, and from then on only its owner can read it.
 */
export async function ensureToken(path: string): Promise<string> {
  return ensureVariable(path, "ISOPOD_TOKEN", () => `iso_${randomBytes(24).toString("base64url")}`);
}

/** Makes the key under which tokens are stored, where a file of variables has none, and adds it as `ensureToken` does. */
export async function ensureDataKey(path: string): Promise<void> {
  await ensureVariable(path, "ISOPOD_DATA_KEY", () => randomBytes(32).toString("base64"));
}

/**
 * Makes the secret of Telegram's webhook where a file of variables has a bot's token and no such secret: on this machine
 * nobody but `npm start` has to know it.
 */
export async function ensureWebhookSecret(path: string): Promise<void> {
  const { TELEGRAM_BOT_TOKEN } = await readVariables(path);
  if (TELEGRAM_BOT_TOKEN) await ensureVariable(path, "TELEGRAM_WEBHOOK_SECRET", () => randomBytes(24).toString("hex"));
}

async function ensureVariable(path: string, name: string, make: () => string): Promise<string> {
  const text = await readIfThere(path);
  const known = parseEnv(text)[name];
  if (known) return known;
  const value = make();
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await writeFile(path, `${before}${name}=${value}\n`, { mode: OWNER_ONLY });
  await chmod(path, OWNER_ONLY);
  return value;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
