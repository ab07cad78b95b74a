import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How the browser that looks at the page differs from the usual one. */
export interface Look {
  locale?: string;
  colorScheme?: "light" | "dark";
  width?: number;
  height?: number;
  touch?: boolean;
}

/** A browser with one window, and everything that went wrong in it or in those opened later. */
export interface Browser {
  page: Page;
  context: BrowserContext;
  /** Console errors, refused loads and uncaught exceptions: a policy violation is one of them. */
  troubles: string[];
  close(): Promise<void>;
}

/** Opens a browser that has never been anywhere. */
export async function openBrowser(look: Look = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "isopod-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    locale: look.locale ?? "en-US",
    colorScheme: look.colorScheme ?? "light",
    viewport: { width: look.width ?? 1100, height: look.height ?? 800 },
    hasTouch: look.touch ?? false,
    deviceScaleFactor: 2,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const troubles: string[] = [];
  context.on("console", (message) => {
    // A refused or failed request is a part of some stories; it is judged by what the page makes of it.
    const isRefusal = /^(Failed to load resource|WebSocket connection to)/.test(message.text());
    if (message.type() === "error" && !isRefusal) troubles.push(message.text());
  });
  context.on("weberror", (error) => troubles.push(String(error.error())));
  return {
    page,
    context,
    troubles,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
