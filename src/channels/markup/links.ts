/** Whether platforms with links make one of this address: a web address whose host has a dot. */
export function canLink(href: string): boolean {
  if (!URL.canParse(href)) return false;
  const { protocol, hostname } = new URL(href);
  return (protocol === "https:" || protocol === "http:") && (hostname.includes(".") || hostname.startsWith("["));
}

/** Web addresses in a text, without punctuation and signs behind them; round brackets belong to them in pairs. */
const BARE_URL =
  /(https?:\/\/(?:[a-zA-Z\d\-/#@$&+=%]|[.:;,!?'_~]+(?=[a-zA-Z\d\-/#@$&+=%(])|\([\w\-~/#@$&+=%.:;,!?']*\))+)/;

/** Maps the text between bare web addresses, and the addresses, which platforms make links of. */
export function mapAroundUrls(
  text: string,
  onText: (text: string, isFirst: boolean) => string,
  onUrl: (url: string) => string = (url) => url,
): string {
  if (!text.includes("://")) return onText(text, true);
  const pieces = text.split(BARE_URL);
  return pieces.map((piece, index) => (index % 2 === 1 ? onUrl(piece) : onText(piece, index === 0))).join("");
}
