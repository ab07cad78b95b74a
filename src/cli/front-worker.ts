/**
 * The Worker that `npm start` puts in front of Isopod: workerd's port serves this Worker alone, so Miniflare's tools
 * for developers stay behind it. It is bundled for workerd, and is not part of a deployment.
 */

/** Paths below these belong to Cloudflare's network or to wrangler, never to the Worker. */
const RESERVED = /^\/+(?:cdn-cgi|__cf_local)(?:\/|$)/i;
/** Where wrangler fires a cron trigger: the name today, and the one that Cloudflare's documentation has used before. */
const SCHEDULED = ["/cdn-cgi/local/scheduled", "/cdn-cgi/handler/scheduled"];
/** Where wrangler hands an email over, by the same two names. */
const EMAIL = ["/cdn-cgi/local/email", "/cdn-cgi/handler/email"];
/** Largest email, as on Cloudflare. */
const MAX_EMAIL_BYTES = 25 * 1024 * 1024;

interface FrontBindings {
  ISOPOD: {
    fetch(request: Request): Promise<Response>;
    scheduled(event: { scheduledTime: Date; cron: string }): Promise<{ outcome: string }>;
    email(message: object): Promise<void>;
  };
}

export default {
  async fetch(request: Request, env: FrontBindings): Promise<Response> {
    const url = new URL(request.url);
    if (SCHEDULED.includes(url.pathname)) return fireCron(request, url, env);
    if (EMAIL.includes(url.pathname) && request.method === "POST") return handOverEmail(request, url, env);
    if (RESERVED.test(plainPath(url.pathname))) return new Response("Not found\n", { status: 404 });
    const scheme = forwardedScheme(request);
    if (scheme === undefined) return env.ISOPOD.fetch(request);
    url.protocol = scheme;
    return env.ISOPOD.fetch(new Request(url, request));
  },
};

/** Fires a cron trigger as if it were `time` (milliseconds since the epoch), for callers with the admin scope. */
async function fireCron(request: Request, url: URL, env: FrontBindings): Promise<Response> {
  const refusal = await refuseStranger(request, url, env);
  if (refusal !== undefined) return refusal;
  const time = Number(url.searchParams.get("time") ?? Date.now());
  if (!Number.isSafeInteger(time) || time < 0) return new Response("time is no instant\n", { status: 400 });
  const cron = url.searchParams.get("cron") ?? "";
  const { outcome } = await env.ISOPOD.scheduled({ scheduledTime: new Date(time), cron });
  return new Response(`${outcome}\n`, { status: outcome === "ok" ? 200 : 500 });
}

/** Hands over an email as Email Routing does, from `from` to `to`, for callers with the admin scope. */
async function handOverEmail(request: Request, url: URL, env: FrontBindings): Promise<Response> {
  const refusal = await refuseStranger(request, url, env);
  if (refusal !== undefined) return refusal;
  const { searchParams } = url;
  const [from, to] = [searchParams.get("from"), searchParams.get("to")];
  const raw = new Uint8Array(await request.arrayBuffer());
  if (from === null || to === null || raw.length === 0 || raw.length > MAX_EMAIL_BYTES) {
    return new Response("Name from and to in the query, and send the email as the body, up to 25 MiB\n", {
      status: 400,
    });
  }
  let reason: string | undefined;
  try {
    await env.ISOPOD.email({
      ...{ from, to, raw: new Response(raw).body, rawSize: raw.length, headers: new Headers() },
      setReject(why: string) {
        reason = why;
      },
    });
  } catch {
    return new Response("The email was not taken: the server would send it again. The log says why\n", { status: 503 });
  }
  if (reason === undefined) return new Response("The email was taken\n");
  return new Response(`The email was refused: ${reason}\n`, { status: 400 });
}

/** Has the Worker itself check the bearer token; a cookie does not count, as another site could have it sent. */
async function refuseStranger(request: Request, url: URL, env: FrontBindings): Promise<Response | undefined> {
  const authorization = request.headers.get("Authorization") ?? "";
  const me = await env.ISOPOD.fetch(new Request(new URL("/v1/me", url.origin), { headers: { authorization } }));
  if (!me.ok) return me;
  const { scopes } = (await me.json()) as { scopes: string[] };
  return scopes.includes("admin") ? undefined : new Response("This needs the scope admin\n", { status: 403 });
}

/** A tunnel or reverse proxy that ends TLS says so here, and origins are compared with what the browser asked for. */
function forwardedScheme(request: Request): "http:" | "https:" | undefined {
  const scheme = request.headers.get("X-Forwarded-Proto")?.split(",")[0]?.trim().toLowerCase();
  return scheme === "http" || scheme === "https" ? `${scheme}:` : undefined;
}

/** A path in its most lenient reading: decoded until nothing changes, without dot segments and backslashes. */
function plainPath(pathname: string): string {
  let path = pathname;
  for (let decoded = decode(path); decoded !== path; decoded = decode(path)) path = decoded;
  const slashed = path.replace(/[\t\n\r]/g, "").replaceAll("\\", "/");
  return new URL(slashed.replace(/\/{2,}/g, "/"), "http://localhost").pathname;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
