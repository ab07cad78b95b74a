import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type McpServer, mcpServersIn } from "../config/mcp-schema.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { hostOf } from "../lib/url.ts";
import { ServerError, SIGN_IN_PATH } from "../mcp/failure.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import { loginIdentity, requireLogin } from "./auth.ts";
import type { AppEnv } from "./context.ts";
import { DOCS_POLICY, escapeHtml, htmlDocument } from "./docs-page.ts";
import { httpStatus } from "./errors.ts";

/** Where the browser of an owner comes back to from an authorization server. */
const CALLBACK_PATH = "/mcp/callback";
/** The parameter of the second of two requests; see `comeBack`. */
const AGAIN = "again";

/**
 * Browsers send the login's cookie (SameSite=Strict) only with requests that our own pages cause, and another site has
 * caused this one: a page of ours causes it again.
 */
const comeBack: MiddlewareHandler<AppEnv> = async (c, next) => {
  const url = new URL(c.req.url);
  if (url.searchParams.has(AGAIN)) return next();
  url.searchParams.set(AGAIN, "1");
  const target = escapeHtml(`${url.pathname}${url.search}`);
  const refresh = `<meta http-equiv="refresh" content="0; url=${target}">\n`;
  return page(c, "Signing in …", `<p><a href="${target}">Go on</a></p>`, 200, refresh);
};

/** Pages where an owner signs in at an MCP server by OAuth, for people with the scope `admin`. */
export const mcpSignInRoutes = new Hono<AppEnv>();

mcpSignInRoutes.get(`${SIGN_IN_PATH}/:server`, requireLogin, async (c) => {
  const server = oauthServers(c).find(({ name }) => name === c.req.param("server"));
  if (server === undefined) {
    throw new IsopodError(
      "not_found",
      "No such MCP server has a sign-in.",
      "Set `oauth` of one in mcp.servers, and see /mcp in a chat.",
    );
  }
  const { beginSignIn } = await import("../mcp/sign-in.ts");
  const redirectUri = `${new URL(c.req.url).origin}${CALLBACK_PATH}`;
  const { address, host } = await beginSignIn(server, { redirectUri, login: loginIdentity(c) }, c.get("services").mcp);
  const [name, at, there] = [server.name, hostOf(server.config.url), host].map(escapeHtml);
  return page(
    c,
    `Sign in to ${server.name}`,
    `<p>The MCP server <b>${name}</b> is at <b>${at}</b>. You sign in at <b>${there}</b>, which asks you what Isopod may
do there. All agents that have this server can do it then.</p>
<p><a href="${escapeHtml(address)}" rel="noreferrer">Go on at ${there}</a></p>
<p>Does that name surprise you? Then close this page. It serves for ten minutes.</p>`,
  );
});

mcpSignInRoutes.get(CALLBACK_PATH, comeBack, requireLogin, async (c) => {
  const { mcp } = c.get("services");
  const [{ endSignIn }, { listServer }] = await Promise.all([
    import("../mcp/sign-in.ts"),
    import("../mcp/list-server.ts"),
  ]);
  const back = new URL(c.req.url).searchParams;
  const server = await endSignIn(back, { login: loginIdentity(c), servers: oauthServers(c) }, mcp);
  const event = { kind: "mcp", agentId: "", by: c.get("caller").name, subject: `signed in to ${server.name}` } as const;
  await noteSecurityEvent(c.env.DB, event, mcp.now());
  const asked = await listServer(server, mcp);
  const words =
    asked.kind === "listed"
      ? `Tools that it offers: ${asked.listing.tools.length}. Your agents have them from their next message on.`
      : `It cannot be used yet. ${asked.failure.message}`;
  return page(c, `Signed in to ${server.name}`, `<p>${escapeHtml(words)}</p>\n<p>You can close this page.</p>`);
});

mcpSignInRoutes.onError((error, c) => {
  if (error instanceof ServerError) {
    const words = `<p>${escapeHtml(error.message)}</p>\n<p>To begin again, see /mcp in a chat.</p>`;
    return page(c, "Not signed in", words, 400);
  }
  if (error instanceof IsopodError && error.code === "unauthorized") {
    const self = escapeHtml(`${c.req.path}${new URL(c.req.url).search}`);
    const steps = `<p><a href="/" target="_blank">Log in to Isopod</a> with an access token of the scope admin, then
<a href="${self}">go on</a>.</p>`;
    return page(c, "Log in first", steps, 401);
  }
  if (error instanceof IsopodError) {
    const { code, message, hint = "" } = error;
    return page(c, "Not signed in", `<p>${escapeHtml(message)} ${escapeHtml(hint)}</p>`, httpStatus(code));
  }
  log("error", "http.failed", { path: c.req.path, error: messageOf(error) });
  return page(c, "Not signed in", "<p>Something went wrong here. The Worker's log says what.</p>", 500);
});

function oauthServers(c: Context<AppEnv>): McpServer[] {
  const { mcp } = c.get("services").config;
  return mcpServersIn(mcp).filter(({ config }) => config.enabled && config.oauth !== false);
}

/** A page that is neither cached nor framed, and whose address, which may hold codes, is sent to no other site. */
function page(c: Context, title: string, main: string, status: ContentfulStatusCode = 200, more = ""): Response {
  const body = `<main class="rich">\n<h1>${escapeHtml(title)}</h1>\n${main}\n</main>`;
  const html = htmlDocument({ title, language: "en", head: more, body });
  return c.html(html, status, {
    "Cache-Control": "no-store",
    "Content-Security-Policy": DOCS_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
}
