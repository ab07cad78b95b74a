import type { MiddlewareHandler } from "hono";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";

const MAX_SHOWN_CHARS = 120;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Refuses a path whose escapes are no UTF-8, or that has control characters or line separators in it: nothing here has such a name, and a
 * router would take it for another.
 */
export const requirePlainPath: MiddlewareHandler = async (c, next) => {
  const { pathname } = new URL(c.req.url);
  const fault = faultOf(pathname);
  if (fault === undefined) return next();
  const hint = "Percent-encode every part of it as UTF-8, and `%` itself as `%25`.";
  throw new IsopodError("invalid_request", `The path ${head(pathname, MAX_SHOWN_CHARS)} ${fault}`, hint);
};

function faultOf(pathname: string): string | undefined {
  try {
    return UNPRINTABLE.test(decodeURIComponent(pathname)) ? "has a control character or line separator" : undefined;
  } catch (error) {
    if (error instanceof URIError) return "is not percent-encoded UTF-8";
    throw error;
  }
}
