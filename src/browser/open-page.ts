import { acquireBrowser, type BrowserBinding } from "./browser-binding.ts";
import { BrowserPage } from "./browser-page.ts";
import { IsolatedBrowser } from "./isolated-browser.ts";

/** An empty page in a browser of its own. */
export interface OpenPage {
  page: BrowserPage;
  /** Ends the browser. Never rejects. */
  close(): Promise<void>;
}

/** Acquires a browser, isolates it and checks that. @throws BrowserError if none is available or isolated */
export async function openPage(binding: BrowserBinding, keepAliveMs: number): Promise<OpenPage> {
  const browser = await IsolatedBrowser.open(await acquireBrowser(binding, keepAliveMs));
  return { page: new BrowserPage(browser), close: () => browser.close() };
}
