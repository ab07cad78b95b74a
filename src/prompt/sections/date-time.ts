import { hasTool, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** The user's time zone and nothing that moves: a clock here would change the cached prefix with every turn. */
export const dateTime: Section<StableInput> = {
  name: "date-time",
  modes: ["full", "minimal"],
  render(input) {
    if (input.timezone === undefined) return undefined;
    return lines(
      "## Current Date & Time",
      `Time zone: ${input.timezone}`,
      hasTool(input, "session_status") && "For the current date or time, run `session_status`.",
    );
  },
};
