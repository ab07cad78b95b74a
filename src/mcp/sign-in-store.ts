import { and, eq, gt, lte, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { mcpSignInAttempts, mcpSignIns } from "../db/schema.ts";
import { digestOf } from "../lib/digest.ts";
import type { DataKey } from "../security/data-key.ts";

/** The part of an authorization server's metadata that a sign-in goes on with: what it says later changes nothing. */
export type AuthorizationServer = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  response_types_supported: string[];
  token_endpoint_auth_methods_supported?: string[];
  revocation_endpoint?: string;
  authorization_response_iss_parameter_supported?: boolean;
};

/** What Isopod is to an authorization server. Instants are seconds since the epoch. */
export interface OAuthClient {
  client_id: string;
  client_secret?: string;
  /** When the secret ends; absent or 0 for never. */
  client_secret_expires_at?: number;
  token_endpoint_auth_method?: string;
  /** The scope that it was registered for, "" for none; absent for a client that the configuration names. */
  registeredScope?: string;
}

/** Whom a client asks for tokens, and for what. */
export interface Grantor {
  authorizationServer: AuthorizationServer;
  client: OAuthClient;
  /** Where the browser comes back to; a registered client is bound to it. */
  redirectUri: string;
  /** The `resource` that the tokens are for. */
  resource: string;
}

/** A sign-in that counts: its tokens, and what renews them. */
export interface SignIn extends Grantor {
  accessToken: string;
  refreshToken?: string;
  /** Until when the access token may be used, in milliseconds since the epoch; absent if that is not known. */
  expiresAt?: number;
}

/** What is stored of a sign-in. */
export interface StoredSignIn {
  version: number;
  /** Absent if it is no longer valid. */
  signIn?: SignIn;
  /** Why it is not valid. */
  lost?: string;
}

/** A sign-in that an owner has begun. */
export interface Attempt extends Grantor {
  codeVerifier: string;
}

/** What the store needs. */
export interface SignInStoreDeps {
  database: D1Database;
  dataKey: DataKey;
}

/** A server's name and address: what is stored for another address does not count. */
export interface ServerPlace {
  name: string;
  url: string;
}

const UNREADABLE = "what is stored of it cannot be decrypted with ISOPOD_DATA_KEY";

/** The sign-in at a server; undefined if nobody has signed in there. @throws the error of D1 */
export async function readSignIn(
  { name, url }: ServerPlace,
  { database, dataKey }: SignInStoreDeps,
): Promise<StoredSignIn | undefined> {
  const row = await drizzle(database).select().from(mcpSignIns).where(eq(mcpSignIns.server, name)).get();
  if (row === undefined || row.url !== url) return undefined;
  const { version, sealed, lost } = row;
  if (sealed === null) return lost === null ? undefined : { version, lost };
  const text = await dataKey.open(sealed, purpose(name, url));
  return text === undefined ? { version, lost: UNREADABLE } : { version, signIn: JSON.parse(text) };
}

/** Stores a new sign-in in place of an older one. */
export async function saveSignIn(
  { name, url }: ServerPlace,
  signIn: SignIn,
  { database, dataKey }: SignInStoreDeps,
): Promise<void> {
  const sealed = await dataKey.seal(JSON.stringify(signIn), purpose(name, url));
  const row = { url, sealed, lost: null, renewingUntil: 0 };
  await drizzle(database)
    .insert(mcpSignIns)
    .values({ server: name, ...row, version: 1 })
    .onConflictDoUpdate({ target: mcpSignIns.server, set: { ...row, version: sql`${mcpSignIns.version} + 1` } });
}

/**
 * Deletes what is stored of a sign-in, and of one that was begun. Idempotent. The version stays, and goes on: what is
 * based on the deleted tokens never fits a later sign-in.
 */
export async function deleteSignIn(server: string, database: D1Database): Promise<void> {
  const db = drizzle(database);
  await db.batch([
    db
      .update(mcpSignIns)
      .set({ sealed: null, lost: null, version: sql`${mcpSignIns.version} + 1`, renewingUntil: 0 })
      .where(eq(mcpSignIns.server, server)),
    db.delete(mcpSignInAttempts).where(eq(mcpSignInAttempts.server, server)),
  ]);
}

/** Lets one caller of all renew the tokens of a version. @returns whether it is this one */
export async function claimRenewal(
  server: string,
  version: number,
  { now, until }: { now: number; until: number },
  database: D1Database,
): Promise<boolean> {
  const { meta } = await drizzle(database)
    .update(mcpSignIns)
    .set({ renewingUntil: until })
    .where(and(ofVersion(server, version), lte(mcpSignIns.renewingUntil, now)));
  return meta.changes > 0;
}

/** Ends a claim whose caller has got no new tokens. */
export async function releaseRenewal(server: string, version: number, database: D1Database): Promise<void> {
  await drizzle(database).update(mcpSignIns).set({ renewingUntil: 0 }).where(ofVersion(server, version));
}

/** Stores renewed tokens, unless those that they come from have been replaced since. */
export async function saveRenewed(
  { name, url }: ServerPlace,
  version: number,
  signIn: SignIn,
  { database, dataKey }: SignInStoreDeps,
): Promise<void> {
  const sealed = await dataKey.seal(JSON.stringify(signIn), purpose(name, url));
  await drizzle(database)
    .update(mcpSignIns)
    .set({ sealed, version: version + 1, renewingUntil: 0 })
    .where(ofVersion(name, version));
}

/** Deletes tokens that are no longer valid, unless they have been replaced since. */
export async function saveLost(server: string, version: number, lost: string, database: D1Database): Promise<void> {
  await drizzle(database)
    .update(mcpSignIns)
    .set({ sealed: null, lost, version: version + 1, renewingUntil: 0 })
    .where(ofVersion(server, version));
}

/** Stores a sign-in that was begun, in place of one that was begun before at the same server. */
export async function saveAttempt(
  { name, url }: ServerPlace,
  { attempt, state, login, expiresAt }: { attempt: Attempt; state: string; login: string; expiresAt: number },
  { database, dataKey }: SignInStoreDeps,
): Promise<void> {
  const sealed = await dataKey.seal(JSON.stringify(attempt), purpose(name, url));
  const row = { url, sealed, expiresAt, state: await secretDigest(state), login: await secretDigest(login) };
  await drizzle(database)
    .insert(mcpSignInAttempts)
    .values({ server: name, ...row })
    .onConflictDoUpdate({ target: mcpSignInAttempts.server, set: row });
}

/** A sign-in that was begun, as it is taken out. */
export interface TakenAttempt extends ServerPlace {
  attempt: Attempt;
  /** Whether the login that has begun it is this one. */
  isSameLogin: boolean;
  expiresAt: number;
}

/** Takes out the attempt with a `state`: each can be ended once. Undefined if there is none. */
export async function takeAttempt(
  state: string,
  login: string,
  { database, dataKey }: SignInStoreDeps,
): Promise<TakenAttempt | undefined> {
  const row = await drizzle(database)
    .delete(mcpSignInAttempts)
    .where(eq(mcpSignInAttempts.state, await secretDigest(state)))
    .returning()
    .get();
  const text = row && (await dataKey.open(row.sealed, purpose(row.server, row.url)));
  if (row === undefined || text === undefined) return undefined;
  const isSameLogin = row.login === (await secretDigest(login));
  return { name: row.server, url: row.url, attempt: JSON.parse(text), isSameLogin, expiresAt: row.expiresAt };
}

/** The attempt that waits at a server; undefined if there is none that can be ended yet. */
export async function readAttempt(
  { name, url }: ServerPlace,
  { database, dataKey }: SignInStoreDeps,
  now: number,
): Promise<Attempt | undefined> {
  const row = await drizzle(database)
    .select()
    .from(mcpSignInAttempts)
    .where(and(eq(mcpSignInAttempts.server, name), gt(mcpSignInAttempts.expiresAt, now)))
    .get();
  const text = row?.url === url ? await dataKey.open(row.sealed, purpose(name, url)) : undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

function ofVersion(server: string, version: number) {
  return and(eq(mcpSignIns.server, server), eq(mcpSignIns.version, version));
}

/** What is encrypted for one server and address can be decrypted for no other. */
function purpose(server: string, url: string): string {
  return `sign-in of the MCP server ${server} at ${url}`;
}

function secretDigest(secret: string): Promise<string> {
  return digestOf("SHA-256", new TextEncoder().encode(secret));
}
