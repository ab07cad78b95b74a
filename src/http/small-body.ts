import { bodyLimit } from "hono/body-limit";

const MAX_BYTES = 4096;

/** For routes that take no more than a few words: refuses a larger body with 413, before it is parsed. */
export const smallBody = bodyLimit({ maxSize: MAX_BYTES });
