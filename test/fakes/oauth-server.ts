import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** How the authorization server of a place behaves. */
export interface OAuthPlace {
  /** The methods of PKCE that it names; none at all if null. */
  pkce?: string[] | null;
  /** The issuer that its metadata name, in place of its own. */
  issuer?: string;
  /** Has no registration. */
  isClosed?: boolean;
  /** The owner says no. */
  denies?: boolean;
  /** Has a page with a link that says yes, as real ones do: the browser comes back from another site then. */
  hasPage?: boolean;
  /** The `iss` of its answers, in place of its own. */
  answersAs?: string;
  /** How long access tokens serve. */
  lifeSeconds?: number;
  /** Gives no refresh tokens. */
  hasNoRefresh?: boolean;
  /** Where requests for tokens are redirected to. */
  tokensAt?: string;
  /** Where the server says that its metadata are, and its authorization server. */
  metadataAt?: string;
  authorizationServer?: string;
  /** The `resource` that the server says it is. */
  resource?: string;
  /** What a request for tokens is answered with, besides a status of 400. */
  refuses?: string;
  /** A client that need not register. */
  client?: { id: string; secret: string };
  /** The scope of tokens without which the server answers 403. */
  needs?: string;
}

/** What an authorization server has done. */
export interface OAuthLog {
  registered: any[];
  authorized: Record<string, string>[];
  /** The requests for tokens, with the header that proves the client. */
  tokens: Record<string, string>[];
  revoked: string[];
  /** The tokens that it has given, the newest last. */
  given: { access: string; refresh: string }[];
}

interface Code {
  client: string;
  challenge: string;
  redirectUri: string;
  scope: string;
}

/**
 * The authorization server of one place of the fake MCP servers: its issuer is `<place>/as`. Codes and refresh tokens
 * serve once; a refresh token that is used twice ends all tokens, as RFC 9700 wants it.
 */
export class OAuthServer {
  readonly log: OAuthLog = { registered: [], authorized: [], tokens: [], revoked: [], given: [] };
  behaviour: OAuthPlace = {};
  readonly #origin: string;
  readonly #place: string;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, string>();
  readonly #refresh = new Map<string, string>();
  readonly #clients = new Map<string, string | undefined>();

  constructor(origin: string, place: string) {
    this.#origin = origin;
    this.#place = place;
  }

  get issuer(): string {
    return `${this.#origin}/${this.#place}/as`;
  }

  /** Whether a request has a token that serves; else it is answered. */
  lets(authorization: string | undefined, response: ServerResponse): boolean {
    const { metadataAt = `${this.#origin}/.well-known/oauth-protected-resource/${this.#place}`, needs } =
      this.behaviour;
    const scope = this.#access.get(authorization?.replace("Bearer ", "") ?? "");
    if (scope === undefined)
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadataAt}"` }).end();
    else if (needs !== undefined && !scope.split(" ").includes(needs))
      response.writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${needs}"` }).end();
    else return true;
    return false;
  }

  resourceMetadata(): object {
    const { authorizationServer = this.issuer, resource = `${this.#origin}/${this.#place}` } = this.behaviour;
    return { resource, authorization_servers: [authorizationServer], scopes_supported: ["count"] };
  }

  metadata(): object {
    const { pkce = ["S256"], issuer = this.issuer, isClosed, answersAs } = this.behaviour;
    return {
      issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      revocation_endpoint: `${this.issuer}/revoke`,
      ...(!isClosed && { registration_endpoint: `${this.issuer}/register` }),
      response_types_supported: ["code"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
      scopes_supported: ["count", "offline_access"],
      ...(pkce !== null && { code_challenge_methods_supported: pkce }),
      ...(answersAs !== undefined && { authorization_response_iss_parameter_supported: true }),
    };
  }

  /** Ends all access tokens, and with `all` everything. */
  end(all: boolean): void {
    this.#access.clear();
    if (all) this.#refresh.clear();
  }

  handle(path: string, request: IncomingMessage, body: string, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? "/", this.#origin);
    if (path === "register") this.#register(JSON.parse(body), response);
    else if (path === "authorize") this.#authorize(Object.fromEntries(searchParams), response);
    else if (path === "token") this.#token(Object.fromEntries(new URLSearchParams(body)), request, response);
    else if (path === "revoke") {
      this.log.revoked.push(new URLSearchParams(body).get("token") ?? "");
      this.end(true);
      response.end();
    } else response.writeHead(404).end();
  }

  #register(asked: any, response: ServerResponse): void {
    this.log.registered.push(asked);
    const [client_id, client_secret] = [`client-${randomUUID()}`, `secret-${randomUUID()}`];
    this.#clients.set(client_id, client_secret);
    json(response, 201, { ...asked, client_id, client_secret, client_secret_expires_at: 0 });
  }

  #authorize(asked: Record<string, string>, response: ServerResponse): void {
    this.log.authorized.push(asked);
    const { state = "", redirect_uri = "", code_challenge = "", client_id = "", scope = "" } = asked;
    const back = new URL(redirect_uri);
    back.searchParams.set("state", state);
    if (this.behaviour.answersAs !== undefined) back.searchParams.set("iss", this.behaviour.answersAs);
    if (this.behaviour.denies) back.searchParams.set("error", "access_denied");
    else {
      const code = `code-${randomUUID()}`;
      this.#codes.set(code, { client: client_id, challenge: code_challenge, redirectUri: redirect_uri, scope });
      back.searchParams.set("code", code);
    }
    if (!this.behaviour.hasPage) response.writeHead(302, { location: back.href }).end();
    else
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<a href="${back.href.replaceAll("&", "&amp;")}">Allow</a>`);
  }

  #token(asked: Record<string, string>, request: IncomingMessage, response: ServerResponse): void {
    const { authorization = "" } = request.headers;
    this.log.tokens.push({ ...asked, authorization });
    const { tokensAt, refuses, client } = this.behaviour;
    if (tokensAt !== undefined) response.writeHead(307, { location: tokensAt }).end();
    else if (refuses !== undefined) json(response, 400, { error: refuses });
    else {
      const [id = "", secret] = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":");
      const isKnown =
        client !== undefined && client.id === id
          ? client.secret === secret
          : this.#clients.has(id) && this.#clients.get(id) === secret;
      const scope = isKnown ? this.#redeemed(asked, id) : undefined;
      if (!isKnown) json(response, 401, { error: "invalid_client" });
      else if (scope === undefined) json(response, 400, { error: "invalid_grant" });
      else json(response, 200, this.#give(scope));
    }
  }

  /** The scope of a code or refresh token that serves; it serves once. */
  #redeemed(asked: Record<string, string>, client: string): string | undefined {
    if (asked.grant_type === "refresh_token") {
      const scope = this.#refresh.get(asked.refresh_token ?? "");
      this.#refresh.delete(asked.refresh_token ?? "");
      if (scope === undefined) this.end(true);
      return scope;
    }
    const code = this.#codes.get(asked.code ?? "");
    this.#codes.delete(asked.code ?? "");
    const challenge = createHash("sha256")
      .update(asked.code_verifier ?? "")
      .digest("base64url");
    const isRight = code?.challenge === challenge && code.client === client && code.redirectUri === asked.redirect_uri;
    return isRight ? code.scope : undefined;
  }

  #give(scope: string): object {
    const given = { access: `access-${randomUUID()}`, refresh: `refresh-${randomUUID()}` };
    this.log.given.push(given);
    this.#access.set(given.access, scope);
    this.#refresh.set(given.refresh, scope);
    const { lifeSeconds = 3600, hasNoRefresh } = this.behaviour;
    return {
      access_token: given.access,
      ...(!hasNoRefresh && { refresh_token: given.refresh }),
      ...{ token_type: "Bearer", expires_in: lifeSeconds, scope },
    };
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
