import type { OAuthTokens } from "@modelcontextprotocol/client";
import type { McpServer } from "../config/mcp-schema.ts";
import { toBase64Url } from "../lib/base64.ts";
import { hostOf, isHttpsOrLoopback } from "../lib/url.ts";
import { DATA_KEY_HINT } from "../security/data-key.ts";
import { broken, ServerError } from "./failure.ts";
import type { McpDeps } from "./mcp-deps.ts";
import { configuredClient, type Metadata, register, reusable, storable, withSecret } from "./oauth-client.ts";
import { OAuthRefusal, type OAuthTools, plainCode, stepOfOAuth } from "./oauth-requests.ts";
import {
  deleteSignIn,
  type Grantor,
  readAttempt,
  readSignIn,
  type ServerPlace,
  type SignIn,
  type SignInStoreDeps,
  saveAttempt,
  saveSignIn,
  takeAttempt,
} from "./sign-in-store.ts";

/** What signing in needs. */
export type SignInDeps = Pick<McpDeps, "fetch" | "secret" | "database" | "dataKey" | "now">;

/** How long a sign-in that was begun can be ended. */
const ATTEMPT_MS = 10 * 60_000;
const STATE_BYTES = 32;
/** What a header can have of an access token, and how much. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** Where the browser of an owner goes to sign in. */
export interface SignInPage {
  /** The authorization server's page, for this one sign-in. */
  address: string;
  host: string;
}

/**
 * Begins a sign-in: finds the authorization server of a server, registers a client there if it has to, and keeps what the
 * end needs. One that was begun before at the same server cannot be ended any more.
 * @param redirectUri where the browser comes back to
 * @param login what tells the owner's login from all others
 * @throws ServerError
 */
export async function beginSignIn(
  server: McpServer,
  { redirectUri, login }: { redirectUri: string; login: string },
  deps: SignInDeps,
): Promise<SignInPage> {
  const store = signInStore(deps);
  const place = placeOf(server);
  return stepOfOAuth(deps.fetch, async (tools) => {
    const { metadata, resource, scope } = await discover(server, tools);
    const known = [await readAttempt(place, store, deps.now()), (await readSignIn(place, store))?.signIn];
    const asked = { metadata, redirectUri, scope, now: deps.now() };
    const client =
      configuredClient(server, deps) ?? known.flatMap(reusable(asked))[0] ?? (await register(asked, tools));
    const state = toBase64Url(crypto.getRandomValues(new Uint8Array(STATE_BYTES)));
    const { authorizationUrl, codeVerifier } = await tools.sdk.startAuthorization(metadata.issuer, {
      ...{ metadata, clientInformation: client, redirectUrl: redirectUri, state, resource },
      ...(scope !== undefined && { scope }),
    });
    const attempt = {
      ...{ codeVerifier, redirectUri, resource },
      client: storable(client, server),
      ...pinned(metadata),
    };
    await saveAttempt(place, { attempt, state, login, expiresAt: deps.now() + ATTEMPT_MS }, store);
    return { address: authorizationUrl.href, host: authorizationUrl.host };
  });
}

/**
 * Ends a sign-in with what the browser has brought back, and stores the tokens. It can be ended once.
 * @param back the query of the address to which the browser came back
 * @returns the server
 * @throws ServerError
 */
export async function endSignIn(
  back: URLSearchParams,
  { login, servers }: { login: string; servers: readonly McpServer[] },
  deps: SignInDeps,
): Promise<McpServer> {
  const store = signInStore(deps);
  const taken = await takeAttempt(back.get("state") ?? "", login, store);
  if (taken === undefined) throw signedOut("No such sign-in waits: it has ended, or another has begun since.");
  if (!taken.isSameLogin) throw signedOut("Another login has begun this sign-in.");
  if (taken.expiresAt <= deps.now()) throw signedOut("This sign-in took too long.");
  const server = servers.find(({ name, config }) => name === taken.name && config.url === taken.url);
  if (server === undefined || server.config.oauth === false)
    throw signedOut("The server of this sign-in is not configured any more.");
  const { codeVerifier, ...grantor } = taken.attempt;
  const signIn = await stepOfOAuth(deps.fetch, async ({ sdk, fetch }) => {
    const { authorizationServer } = grantor;
    const iss = back.get("iss") ?? undefined;
    sdk.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: authorizationServer.issuer,
      issParameterSupported: authorizationServer.authorization_response_iss_parameter_supported === true,
    });
    const error = back.get("error");
    if (error !== null) throw new OAuthRefusal(plainCode(error));
    const tokens = await sdk.exchangeAuthorization(authorizationServer.issuer, {
      ...{ metadata: authorizationServer, codeVerifier, fetchFn: fetch },
      clientInformation: withSecret(grantor.client, server, deps),
      authorizationCode: back.get("code") ?? "",
      ...{ redirectUri: grantor.redirectUri, resource: grantor.resource, ...(iss !== undefined && { iss }) },
    });
    return signInOf(grantor, tokens, deps.now());
  });
  await saveSignIn(placeOf(server), signIn, store);
  return server;
}

/**
 * Asks for new tokens in exchange for the refresh token.
 * @throws ServerError; OAuthRefusal where the sign-in is no longer valid
 */
export function renewSignIn(
  signIn: SignIn,
  refreshToken: string,
  server: McpServer,
  deps: SignInDeps,
): Promise<SignIn> {
  return stepOfOAuth(deps.fetch, async ({ sdk, fetch }) => {
    const { authorizationServer, client, resource } = signIn;
    const tokens = await sdk.refreshAuthorization(authorizationServer.issuer, {
      ...{ metadata: authorizationServer, refreshToken, resource, fetchFn: fetch },
      clientInformation: withSecret(client, server, deps),
    });
    return signInOf(signIn, tokens, deps.now());
  });
}

/**
 * Forgets a sign-in, and has its authorization server revoke the tokens where it can.
 * @returns whether the authorization server revoked them; undefined if there was no sign-in
 * @throws the error of D1
 */
export async function signOut(server: McpServer, deps: SignInDeps): Promise<boolean | undefined> {
  const { dataKey, database } = deps;
  const stored = dataKey && (await readSignIn(placeOf(server), { database, dataKey }));
  await deleteSignIn(server.name, database);
  if (stored?.signIn === undefined) return undefined;
  return revoke(stored.signIn, server, deps);
}

/** Revokes both tokens: not every authorization server ends one with the other. Never rejects. */
async function revoke(signIn: SignIn, server: McpServer, deps: SignInDeps): Promise<boolean> {
  const { revocation_endpoint: endpoint, token_endpoint_auth_methods_supported: methods = [] } =
    signIn.authorizationServer;
  if (endpoint === undefined || !isHttpsOrLoopback(endpoint)) return false;
  const { accessToken, refreshToken } = signIn;
  try {
    return await stepOfOAuth(deps.fetch, async ({ sdk, fetch }) => {
      const client = withSecret(signIn.client, server, deps);
      const { client_id: id, client_secret: password = "" } = client;
      const headers = new Headers({ "Content-Type": "application/x-www-form-urlencoded" });
      const body = new URLSearchParams();
      const method = sdk.selectClientAuthMethod(client, methods);
      if (method === "client_secret_basic") headers.set("Authorization", `Basic ${btoa(`${id}:${password}`)}`);
      else body.set("client_id", id);
      if (method === "client_secret_post") body.set("client_secret", password);
      let isRevoked = true;
      for (const token of [refreshToken, accessToken].filter((one) => one !== undefined)) {
        body.set("token", token);
        const { ok } = await fetch(endpoint, { method: "POST", headers, body });
        isRevoked &&= ok;
      }
      return isRevoked;
    });
  } catch {
    // The reply says that they were not revoked.
    return false;
  }
}

/** The failure of a server whose owner has to sign in. */
export function signedOut(why: string): ServerError {
  return new ServerError({ kind: "signed_out", message: why });
}

/** The store of sign-ins. @throws ServerError where there is no data key */
export function signInStore({ database, dataKey }: Pick<McpDeps, "database" | "dataKey">): SignInStoreDeps {
  if (dataKey !== undefined) return { database, dataKey };
  const message = `Its tokens would have to be stored encrypted, and there is no key for that. ${DATA_KEY_HINT}`;
  throw new ServerError({ kind: "misconfigured", message });
}

/** A server's name and address. */
export function placeOf({ name, config }: McpServer): ServerPlace {
  return { name, url: config.url };
}

/** What a server's owner has to be asked for, and by whom. @throws ServerError */
async function discover(
  { config }: McpServer,
  { sdk, fetch }: OAuthTools,
): Promise<{ metadata: Metadata; resource: string; scope: string | undefined }> {
  const { resourceMetadataUrl, scope: wanted } = sdk.extractWWWAuthenticateParams(await challenge(config.url, fetch));
  const found = await sdk.discoverOAuthServerInfo(config.url, {
    fetchFn: fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  });
  const { authorizationServerMetadata: metadata, resourceMetadata: described } = found;
  if (metadata === undefined) throw broken("It names no authorization server that answers.");
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw broken("Its authorization server does not protect codes with PKCE (S256).");
  if (!isHttpsOrLoopback(metadata.authorization_endpoint))
    throw broken("The page of its authorization server is not on https.");
  const requestedResource = sdk.resourceUrlFromServerUrl(config.url);
  if (described && !sdk.checkResourceAllowed({ requestedResource, configuredResource: described.resource }))
    throw broken("It asks for tokens of another server.");
  const configured = typeof config.oauth === "object" ? config.oauth.scopes?.join(" ") : undefined;
  const scope = configured ?? withOffline(wanted ?? described?.scopes_supported?.join(" "), metadata);
  return { metadata, resource: described?.resource ?? requestedResource.href, scope };
}

/** The answer to a request without a token, which says where to look for the authorization server. */
function challenge(url: string, fetch: OAuthTools["fetch"]): Promise<Response> {
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  return fetch(url, { method: "POST", headers, body });
}

/** Scopes with the one for refresh tokens, where the authorization server has it. */
function withOffline(scope: string | undefined, { scopes_supported: supported }: Metadata): string | undefined {
  const offline = "offline_access";
  if (scope === undefined || !supported?.includes(offline) || scope.split(" ").includes(offline)) return scope;
  return `${scope} ${offline}`;
}

function pinned(metadata: Metadata): Pick<Grantor, "authorizationServer"> {
  const { issuer, authorization_endpoint, token_endpoint, response_types_supported } = metadata;
  const { token_endpoint_auth_methods_supported: methods } = metadata;
  const { authorization_response_iss_parameter_supported: saysIssuer, ...others } = metadata;
  const endpoint = "revocation_endpoint" in others ? others.revocation_endpoint : undefined;
  return {
    authorizationServer: {
      ...{ issuer, authorization_endpoint, token_endpoint, response_types_supported },
      ...(methods !== undefined && { token_endpoint_auth_methods_supported: methods }),
      ...(saysIssuer === true && { authorization_response_iss_parameter_supported: true }),
      ...(typeof endpoint === "string" && { revocation_endpoint: endpoint }),
    },
  };
}

/** @throws ServerError if the tokens cannot be used */
function signInOf(grantor: Grantor, tokens: OAuthTokens, now: number): SignIn {
  const { access_token: accessToken, refresh_token: refreshToken, token_type, expires_in } = tokens;
  if (token_type.toLowerCase() !== "bearer" || !TOKEN.test(accessToken))
    throw broken(
      `Its authorization server gives tokens that cannot be used (${hostOf(grantor.authorizationServer.issuer)}).`,
    );
  const { authorizationServer, client, redirectUri, resource } = grantor;
  return {
    ...{ authorizationServer, client, redirectUri, resource, accessToken },
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }),
  };
}
