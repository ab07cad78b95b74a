import { shownStars } from "../shown-stars.ts";

/** What people see of a text in Slack's mrkdwn. */
export function shownMrkdwn(text: string): string {
  const bare = text
    .replace(/<(?:https?|mailto):[^<>|]*\|([^<>]*)>/g, "$1")
    .replace(/<((?:https?|mailto):[^<>|]*)>/g, "$1");
  if (/[<>]/.test(bare.replace(/^> /gm, ""))) throw new Error(`not escaped: ${bare}`);
  return shownStars(bare).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
