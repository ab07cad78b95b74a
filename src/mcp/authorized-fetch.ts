import type { McpServer } from "../config/mcp-schema.ts";
import { sleep } from "../lib/sleep.ts";
import type { StreamingFetch } from "../security/streaming-fetch.ts";
import { ServerError, serverWords } from "./failure.ts";
import type { McpDeps } from "./mcp-deps.ts";
import { OAuthRefusal } from "./oauth-requests.ts";
import { placeOf, renewSignIn, type SignInDeps, signedOut, signInStore } from "./sign-in.ts";
import { claimRenewal, readSignIn, releaseRenewal, type SignIn, saveLost, saveRenewed } from "./sign-in-store.ts";

/** What requests with a token need. */
export type AuthorizedFetchDeps = SignInDeps & Pick<McpDeps, "noteSignInLost">;

/** A token is renewed so long before it ends. */
const MARGIN_MS = 60_000;
/** How long one caller has for itself to renew tokens: longer than its request takes. */
const RENEWAL_MS = 30_000;
/** How often, and how long, other callers look whether the tokens are renewed. */
const LOOK_EVERY_MS = 200;
const LOOK_MS = 15_000;

const REFUSES = "It refuses the tokens of its own authorization server.";

/** Refusals of a refresh token after which only another sign-in helps. */
const FINAL = new Set(["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "invalid_target"]);

/**
 * The guarded `fetch` with the token of the owner's sign-in, for requests to the server's own origin. A token that has
 * ended or is refused is renewed first, by one caller at a time.
 * @throws ServerError `signed_out` if the owner has to sign in, and what the guarded `fetch` throws
 */
export function authorizedFetch(fetch: StreamingFetch, server: McpServer, deps: AuthorizedFetchDeps): StreamingFetch {
  const { origin } = new URL(server.config.url);
  let known: SignIn | undefined;
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return fetch(url, init);
    const send = (token: string) => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    };
    if (known === undefined || hasEnded(known, deps.now())) known = await usableSignIn(server, undefined, deps);
    const first = await send(known.accessToken);
    if (first.status !== 401) return withinScope(first, server);
    await first.body?.cancel();
    known = await usableSignIn(server, known.accessToken, deps);
    const second = await send(known.accessToken);
    if (second.status !== 401) return withinScope(second, server);
    await second.body?.cancel();
    throw signedOut(REFUSES);
  };
}

function hasEnded({ expiresAt }: SignIn, now: number): boolean {
  return expiresAt !== undefined && expiresAt - MARGIN_MS <= now;
}

/**
 * A sign-in whose access token may be used.
 * @param refused an access token that the server has refused
 * @throws ServerError
 */
async function usableSignIn(
  server: McpServer,
  refused: string | undefined,
  deps: AuthorizedFetchDeps,
): Promise<SignIn> {
  const store = signInStore(deps);
  const { database, now } = deps;
  const { name } = server;
  for (let lookedMs = 0; lookedMs <= LOOK_MS; lookedMs += LOOK_EVERY_MS) {
    const stored = await readSignIn(placeOf(server), store);
    if (stored === undefined) throw signedOut("Its owner has not signed in.");
    const { version, signIn, lost } = stored;
    if (signIn === undefined) throw signedOut(`The sign-in is no longer valid: ${lost}.`);
    if (signIn.accessToken !== refused && !hasEnded(signIn, now())) return signIn;
    if (signIn.refreshToken === undefined) {
      // One 401 does not mean that the token is invalid: a server may be wrong for a while.
      if (!hasEnded(signIn, now())) throw signedOut(REFUSES);
      throw await lose(server, version, "its token has ended, and cannot be renewed", deps);
    }
    const claim = { now: now(), until: now() + RENEWAL_MS };
    if (await claimRenewal(name, version, claim, database)) return renew(server, version, signIn, deps);
    await sleep(LOOK_EVERY_MS);
  }
  throw new ServerError({ kind: "slow", message: "Its token is being renewed, which takes long." });
}

/** Renews the tokens of a version that this caller has claimed. @throws ServerError */
async function renew(
  server: McpServer,
  version: number,
  signIn: SignIn & { refreshToken?: string },
  deps: AuthorizedFetchDeps,
): Promise<SignIn> {
  try {
    const renewed = await renewSignIn(signIn, signIn.refreshToken ?? "", server, deps);
    await saveRenewed(placeOf(server), version, renewed, signInStore(deps));
    return renewed;
  } catch (error) {
    if (error instanceof OAuthRefusal && FINAL.has(error.code))
      throw await lose(server, version, `its authorization server says ${error.code}`, deps);
    await releaseRenewal(server.name, version, deps.database);
    throw error;
  }
}

/** Deletes tokens that are no longer valid. @returns the failure with the reason */
async function lose(
  { name }: McpServer,
  version: number,
  why: string,
  { database, noteSignInLost }: AuthorizedFetchDeps,
): Promise<ServerError> {
  await saveLost(name, version, why, database);
  await noteSignInLost(name, why);
  return signedOut(`The sign-in is no longer valid: ${why}.`);
}

/** @throws ServerError if the server wants rights that the owner was not asked for */
async function withinScope(response: Response, { name }: McpServer): Promise<Response> {
  const wants = response.headers.get("WWW-Authenticate") ?? "";
  if (response.status !== 403 || !/\berror="?insufficient_scope\b/.test(wants)) return response;
  await response.body?.cancel();
  const [, scope = "more"] = /\bscope="([^"]*)"/.exec(wants) ?? [];
  const message = `It wants other scopes than the sign-in has (${serverWords(scope)}): name them in mcp.servers.${name}.oauth.scopes.`;
  throw signedOut(message);
}
