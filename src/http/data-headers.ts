/** For data that anybody may have written: a browser is not to guess what it is, run it or keep it. */
export const DATA_HEADERS = {
  "Cache-Control": "private, no-store",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};
