/** The host of an address, with its port if that is not the usual one; the text itself if it is no address. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host.toLowerCase();
  } catch {
    return url;
  }
}
