import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundPage, PageAnswer } from "./task.ts";

const FILES = join(import.meta.dirname, "../../fixtures/tool-tasks");
/** An address on the public internet, for every name. */
const PUBLIC_ADDRESS = "93.184.215.14";
const MODEL_PATH = /\/(?:chat\/completions|responses|messages)$/;

/** The web as a Worker sees it: search services, pages and names. Only what is on loopback, and models, are real. */
export class Web {
  #pages: Readonly<Record<string, PageAnswer>> = {};
  #found: readonly FoundPage[] = [];

  /** Sets what is there from now on. */
  show(pages: Readonly<Record<string, PageAnswer>>, found: readonly FoundPage[]): void {
    this.#pages = pages;
    this.#found = found;
  }

  /** Answers any request of the Worker to the outside. */
  async answer(request: Request): Promise<Response> {
    const { hostname, pathname, searchParams } = new URL(request.url);
    if (hostname === "127.0.0.1" || MODEL_PATH.test(pathname)) return passedOn(request);
    if (hostname === "cloudflare-dns.com") {
      const Answer = searchParams.get("type") === "A" ? [{ type: 1, data: PUBLIC_ADDRESS }] : [];
      return Response.json({ Status: 0, Answer }, { headers: { "content-type": "application/dns-json" } });
    }
    if (hostname === "api.search.brave.com") return Response.json(this.#braveAnswer());
    if (hostname === "api.tavily.com") return Response.json(this.#tavilyAnswer());
    return this.#page(request.url);
  }

  #page(url: string): Response {
    const page = this.#pages[url];
    if (page === undefined) return new Response("There is nothing here.", { status: 404 });
    if (typeof page === "string") return htmlPage(page);
    if ("error" in page) return new Response("", { status: page.error });
    if ("to" in page) return new Response(null, { status: 301, headers: { location: page.to } });
    return new Response(readFileSync(join(FILES, page.file)), { headers: { "content-type": page.type } });
  }

  /** @see https://api-dashboard.search.brave.com/app/documentation/web-search/responses */
  #braveAnswer(): object {
    const results = this.#found.map(({ title, url, snippet }) => ({
      type: "search_result",
      title,
      url,
      description: snippet,
    }));
    return { type: "search", web: { type: "search", results, family_friendly: true } };
  }

  /** @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
  #tavilyAnswer(): object {
    const results = this.#found.map(({ title, url, snippet }) => ({ title, url, content: snippet, score: 0.8 }));
    return { query: "", answer: null, images: [], results, response_time: 0.1 };
  }
}

function htmlPage(text: string): Response {
  const html = `<!doctype html><html><head><title>Page</title></head><body><article><p>${text}</p></article></body></html>`;
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
}

async function passedOn(request: Request): Promise<Response> {
  const body = request.body === null ? undefined : await request.arrayBuffer();
  const { method, url, signal } = request;
  const headers = [...request.headers].filter(
    ([name]) => !/^(?:host|connection|content-length|mf-.*|cf-.*)$/i.test(name),
  );
  const answer = await fetch(url, { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) });
  const passed = new Headers(answer.headers);
  // The body is here as it was before it was compressed.
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) passed.delete(name);
  const isEmpty = [101, 204, 205, 304].includes(answer.status);
  return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: passed });
}
