import type { McpServer } from "../config/mcp-schema.ts";
import { isLoopback } from "../lib/url.ts";
import { broken, ServerError } from "./failure.ts";
import type { McpDeps } from "./mcp-deps.ts";
import { OAuthRefusal, type OAuthTools } from "./oauth-requests.ts";
import type { Grantor, OAuthClient } from "./sign-in-store.ts";

/** What an authorization server says of itself. */
export type Metadata = NonNullable<Awaited<ReturnType<OAuthTools["sdk"]["discoverAuthorizationServerMetadata"]>>>;

/** How a client proves itself, the best way first. */
const CLIENT_METHODS = ["client_secret_basic", "client_secret_post", "none"];
/** How long a client has to serve yet, to be used again. */
const SERVES_MS = 10 * 60_000;

/** What a client must fit. */
export interface WantedClient {
  metadata: Metadata;
  redirectUri: string;
  scope: string | undefined;
  now: number;
}

/** The client of a grantor, if it was registered for what is wanted and can be used again. */
export function reusable({
  metadata,
  redirectUri,
  scope = "",
  now,
}: WantedClient): (known: Grantor | undefined) => OAuthClient[] {
  return (known) => {
    if (known?.authorizationServer.issuer !== metadata.issuer || known.redirectUri !== redirectUri) return [];
    const { client_secret_expires_at: end = 0, registeredScope } = known.client;
    if (registeredScope === undefined || !covers(registeredScope, scope)) return [];
    return end === 0 || end * 1000 > now + SERVES_MS ? [known.client] : [];
  };
}

function covers(registered: string, wanted: string): boolean {
  const scopes = registered.split(" ");
  return wanted === "" || wanted.split(" ").every((one) => scopes.includes(one));
}

/** Registers a client (RFC 7591). @throws ServerError, or the SDK's errors */
export async function register(
  { metadata, redirectUri, scope }: WantedClient,
  { sdk, fetch }: OAuthTools,
): Promise<OAuthClient> {
  if (metadata.registration_endpoint === undefined)
    throw broken("Its authorization server registers no clients: name one in oauth.clientId.");
  const { token_endpoint_auth_methods_supported: supported = CLIENT_METHODS } = metadata;
  const method = CLIENT_METHODS.find((one) => supported.includes(one));
  const registered = await sdk.registerClient(metadata.issuer, {
    ...{ metadata, fetchFn: fetch, ...(scope !== undefined && { scope }) },
    clientMetadata: {
      client_name: "Isopod",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: isLoopback(redirectUri) ? "native" : "web",
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    },
  });
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered;
  return {
    client_id,
    registeredScope: scope ?? "",
    ...(client_secret !== undefined && { client_secret }),
    ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  };
}

/** The client of the configuration, with its secret. @throws ServerError if the secret is not set */
export function configuredClient(
  { name, config }: McpServer,
  { secret }: Pick<McpDeps, "secret">,
): OAuthClient | undefined {
  if (typeof config.oauth !== "object" || config.oauth.clientId === undefined) return undefined;
  const { clientId, clientSecret } = config.oauth;
  if (clientSecret === undefined) return { client_id: clientId };
  const value = secret(clientSecret.id);
  if (value !== undefined) return { client_id: clientId, client_secret: value };
  const message = `The secret ${clientSecret.id} of mcp.servers.${name}.oauth.clientSecret is not set.`;
  throw new ServerError({ kind: "misconfigured", message });
}

/** A client as it is stored: the configuration's secret stays in the environment. */
export function storable(client: OAuthClient, { config }: McpServer): OAuthClient {
  const isConfigured = typeof config.oauth === "object" && config.oauth.clientId !== undefined;
  return isConfigured ? { client_id: client.client_id } : client;
}

/** A stored client with its secret. @throws ServerError if the configuration names another one now */
export function withSecret(client: OAuthClient, server: McpServer, deps: Pick<McpDeps, "secret">): OAuthClient {
  const configured = configuredClient(server, deps);
  if (configured === undefined) return client;
  if (configured.client_id !== client.client_id) throw new OAuthRefusal("invalid_client");
  return configured;
}
