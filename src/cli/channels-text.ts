import type { ChannelAccounts, ChannelFindings } from "../client/wire.ts";
import { oneLine, tableLines } from "./terminal-text.ts";

const MARKS = { ok: "✓", warn: "!", fail: "✗" } as const;

/** The accounts of channels as a table; those that are not set up name what they lack. Pure. */
export function accountsText({ accounts }: ChannelAccounts): string {
  const rows = accounts.map(({ channel, account, ready, webhookUrl, variables }) => {
    const names = Object.values(variables);
    const lack = names.length === 0 ? `see /docs/${channel}` : names.join(", ");
    return [channel, account, ready ? webhookUrl : `not set up: ${lack}`];
  });
  return tableLines([["channel", "account", "its platform calls"], ...rows]).join("\n");
}

/** What was found or done at a platform, a line each, the fix below it. Pure. */
export function findingsText({ findings }: ChannelFindings): string {
  return findings
    .flatMap(({ status, message, fix }) => [
      `${MARKS[status]} ${oneLine(message)}`,
      ...(fix === undefined ? [] : [`  → ${oneLine(fix)}`]),
    ])
    .join("\n");
}
