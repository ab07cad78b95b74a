import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { type DocsPage, findPage, PAGES } from "../docs/pages.ts";
import { shortDigest } from "../lib/digest.ts";
import { nearestNames } from "../lib/nearest.ts";
import { passesIfNoneMatch } from "./conditions.ts";
import type { AppEnv } from "./context.ts";
import { DOCS_POLICY, renderMissing, renderPage } from "./docs-page.ts";
import { onInvalid } from "./errors.ts";

type Format = "text/html" | "text/markdown";

/** A rendered page, with the etag of its bytes. */
interface Rendered {
  body: string;
  etag: string;
}

/** How long a client may cache a page, in seconds. */
const FRESH_SECONDS = 300;

const NAME = "name{.+}";

const responses = {
  200: {
    description: "The page, as HTML, or as Markdown where `Accept` prefers that or its address ends with `.md`",
    content: { "text/html": { schema: z.string() }, "text/markdown": { schema: z.string() } },
  },
  304: { description: "The client has this version (`If-None-Match`)" },
};

const indexRoute = createRoute({
  method: "get",
  path: "/docs",
  summary: "Isopod's documentation",
  security: [],
  responses,
});

const pageRoute = createRoute({
  method: "get",
  path: "/docs/{name}",
  summary: "A page of Isopod's documentation",
  security: [],
  request: { params: z.object({ name: z.string().openapi({ example: "getting-started.md" }) }) },
  responses: {
    ...responses,
    404: { description: "There is no such page; the body lists all pages", content: responses[200].content },
  },
});

/** `/docs`: public, with any configuration. */
export const docsRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

docsRoutes.openapi(indexRoute, (c) => answer(c, ""));
docsRoutes.get("/docs/", (c) => c.redirect("/docs", 308));
docsRoutes.openAPIRegistry.registerPath(pageRoute);
// One route for pages and the list: Hono uses a slower router for routes that overlap.
docsRoutes.get(`/docs/:${NAME}`, async (c) => {
  const name = c.req.param("name");
  return name === "llms.txt" ? c.text(pageListText(new URL(c.req.url).origin), 200, HEADERS) : answer(c, name);
});

const HEADERS = {
  "Cache-Control": `public, max-age=${FRESH_SECONDS}`,
  "Content-Security-Policy": DOCS_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  Vary: "Accept",
};

const rendered = new Map<string, Promise<Rendered>>();

async function answer(c: Context<AppEnv>, name: string): Promise<Response> {
  const format = responseFormat(c, name);
  const page = findPage(name);
  if (page === undefined) return notFoundPage(c, name, format);
  const { body, etag } = await renderCached(page, format);
  const headers = { ...HEADERS, ETag: `"${etag}"` };
  if (!passesIfNoneMatch(c.req.header("If-None-Match"), etag)) return c.body(null, 304, headers);
  return c.body(body, 200, { ...headers, "Content-Type": `${format}; charset=utf-8` });
}

function notFoundPage(c: Context<AppEnv>, name: string, format: Format): Response {
  const near = nearestNames(
    name.replace(/\.md$/, ""),
    PAGES.map((page) => page.name),
  );
  const body = format === "text/html" ? renderMissing(name, near) : `There is no such page.\n\n${pageListText("")}`;
  return c.body(body, 404, {
    ...HEADERS,
    "Cache-Control": "no-store",
    "Content-Type": `${format}; charset=utf-8`,
  });
}

function responseFormat(c: Context<AppEnv>, name: string): Format {
  if (name.endsWith(".md")) return "text/markdown";
  const supports: Format[] = ["text/html", "text/markdown"];
  return accepts(c, { header: "Accept", supports, default: "text/html" }) === "text/markdown"
    ? "text/markdown"
    : "text/html";
}

function renderCached(page: DocsPage, format: Format): Promise<Rendered> {
  const key = `${format} ${page.name}`;
  const known = rendered.get(key) ?? render(page, format);
  rendered.set(key, known);
  return known;
}

async function render(page: DocsPage, format: Format): Promise<Rendered> {
  const body = format === "text/html" ? renderPage(page) : page.text;
  return { body, etag: await shortDigest(body) };
}

/** All pages with their summaries, for programs (llmstxt.org). */
function pageListText(origin: string): string {
  const lines = PAGES.map(({ name, title, about }) => `- [${title}](${origin}/docs/${name}.md): ${about}`);
  return `# Isopod\n\n> A personal AI agent as serverless functions on Cloudflare Workers.\n\n## Docs\n\n${lines.join("\n")}\n`;
}
