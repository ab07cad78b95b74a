import { env, SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { findPage, PAGES } from "../../src/docs/pages.ts";

const ORIGIN = "https://isopod.test";

function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  return SELF.fetch(`${ORIGIN}${path}`, { headers, method, redirect: "manual" });
}

describe("the documentation", () => {
  test("documentation needs no token and its pages are self-contained and without scripts", async () => {
    const response = await get("/docs/getting-started");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'; style-src 'self'");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const html = await response.text();
    expect(html).toContain("<title>Getting started · Isopod</title>");
    expect(html).toContain('<h2 id="say-something">Say something</h2>');
    expect(html).toContain('<a href="/docs/getting-started" aria-current="page">');
    expect(html).not.toMatch(/<script|<style| style=|\son\w+=/i);
  });

  test("every documentation page is served in its own language", async () => {
    for (const { name, title } of PAGES) {
      const response = await get(`/docs/${name}`);
      const html = await response.text();
      expect([name, response.status, html.includes(`${title.replace("'", "&#39;")} · Isopod`)]).toEqual([
        name,
        200,
        true,
      ]);
      expect(html).toContain(name.startsWith("zh/") ? '<html lang="zh-Hans">' : '<html lang="en">');
    }
  });

  test("/docs is the index, and /docs/zh the Chinese one", async () => {
    expect(await (await get("/docs")).text()).toContain(findPage("index")!.title.replace("'", "&#39;"));
    expect(await (await get("/docs/zh")).text()).toContain("快速开始");
    const slash = await get("/docs/");
    expect([slash.status, slash.headers.get("Location")]).toEqual([308, "/docs"]);
  });

  test("a documentation page is Markdown where Accept or the address asks for it", async () => {
    const text = findPage("getting-started")!.text;
    for (const response of [
      await get("/docs/getting-started.md"),
      await get("/docs/getting-started", { Accept: "text/markdown, text/html;q=0.5" }),
    ]) {
      expect(response.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
      expect(response.headers.get("Vary")).toBe("Accept");
      expect(await response.text()).toBe(text);
    }
    const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
    for (const headers of [browser, { Accept: "*/*" }, {}]) {
      expect((await get("/docs/getting-started", headers)).headers.get("Content-Type")).toContain("text/html");
    }
  });

  test("all links between documentation pages exist", async () => {
    const html = await (await get("/docs")).text();
    expect(html).toContain('<a href="/docs/getting-started">Getting started</a>');
    expect(html).toContain('<a href="/docs/zh">中文</a>');
    expect(await (await get("/docs/zh")).text()).toContain('<a href="/docs/zh/getting-started">快速开始</a>');
    expect(html).not.toMatch(/href="[^"]*\.md"/);
  });

  test("a documentation page answers 304 for its etag, and HTML and Markdown have different etags", async () => {
    const html = await get("/docs/plugins");
    const markdown = await get("/docs/plugins.md");
    const etag = html.headers.get("ETag")!;
    expect(etag).toMatch(/^"[a-z0-9]{26}"$/);
    expect(markdown.headers.get("ETag")).not.toBe(etag);
    expect(html.headers.get("Cache-Control")).toMatch(/^public, max-age=\d+$/);
    const again = await get("/docs/plugins", { "If-None-Match": `W/${etag}` });
    expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", etag]);
    expect((await get("/docs/plugins", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test("documentation answers HEAD with the headers alone, and 405 for other methods", async () => {
    const head = await get("/docs/plugins", {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("ETag")).toBe((await get("/docs/plugins")).headers.get("ETag"));
    expect((await get("/docs/plugins", {}, "POST")).status).toBe(405);
  });

  test("an unknown documentation page is 404 with the list of pages, and its name is escaped", async () => {
    const missing = await get("/docs/pluginz");
    const html = await missing.text();
    expect([missing.status, missing.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
    expect(html).toContain('Near it: <a href="/docs/plugins">plugins</a>');
    for (const { title } of PAGES) expect(html).toContain(`${title.replace("'", "&#39;")}</a></li>`);
    const markup = await (await get(`/docs/${encodeURIComponent("<img src=x onerror=alert(1)>")}`)).text();
    expect(markup).toContain("&#60;img src=x");
    expect(markup).not.toContain("<img");
    const markdown = await get("/docs/nothing.md");
    expect([markdown.status, await markdown.text()]).toEqual([404, expect.stringContaining("/docs/plugins.md")]);
  });

  test("/docs/llms.txt lists the pages for programs", async () => {
    const list = await get("/docs/llms.txt");
    expect(list.headers.get("Content-Type")).toContain("text/plain");
    const text = await list.text();
    expect(text).toMatch(/^# Isopod\n\n> /);
    for (const { name } of PAGES) expect(text).toContain(`](${ORIGIN}/docs/${name}.md): `);
    expect((await get("/docs/index.md")).status).toBe(200);
  });

  test("documentation is served with an invalid configuration too", async () => {
    const { createApp } = await import("../../src/http/app.ts");
    const broken = { ...env, ISOPOD_CONFIG: "{ nope: 1 }" };
    expect((await createApp().request("/docs/getting-started", {}, broken)).status).toBe(200);
  });
});
