/** The host of an address, with its port if that is not the usual one; the text itself if it is no address. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host.toLowerCase();
  } catch {
    return url;
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether an address is on this machine. */
export function isLoopback(url: string): boolean {
  return LOOPBACK.has(URL.parse(url)?.hostname ?? "");
}

/** Whether what is sent to an address cannot be read on the way. */
export function isHttpsOrLoopback(url: string): boolean {
  const protocol = URL.parse(url)?.protocol;
  return protocol === "https:" || (protocol === "http:" && isLoopback(url));
}
