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
  const text = await readIfThere(path);
  const known = parseEnv(text).ISOPOD_TOKEN;
  if (known) return known;
  const token = `iso_${randomBytes(24).toString("base64url")}`;
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await writeFile(path, `${before}ISOPOD_TOKEN=${token}\n`, { mode: OWNER_ONLY });
  await chmod(path, OWNER_ONLY);
  return token;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
