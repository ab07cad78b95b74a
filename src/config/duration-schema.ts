import { z } from "zod";
import { isZone } from "../lib/zone.ts";

/** A span of time as people write it: `30m`, `2h`, `0m`. */
export const duration = z.string().regex(/^\d{1,6}(s|m|h|d)$/, "use a number and s, m, h or d, such as 30m");

/** A time of day: `08:00`. */
export const timeOfDay = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "use HH:MM, from 00:00 to 24:00");

/** An IANA time zone. */
export const zone = z.string().refine(isZone, "use an IANA time zone");
