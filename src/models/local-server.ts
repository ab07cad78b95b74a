const LOCAL = /^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|host\.docker)/;

/** Whether a base URL is that of a server of one's own, which often wants no key. */
export function isLocalServer(baseUrl: string): boolean {
  return LOCAL.test(baseUrl);
}
