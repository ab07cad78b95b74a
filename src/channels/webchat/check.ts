import { DATA_KEY_HINT } from "../../security/data-key.ts";
import type { ChannelFinding } from "../channel.ts";
import type { WebchatContext } from "./account.ts";

/** Checks who may see the chat box and write into it. */
export async function checkAccount({ account, accountId, dataKey }: WebchatContext): Promise<ChannelFinding[]> {
  const { allowedOrigins, dmPolicy } = account;
  if (allowedOrigins.length === 0) {
    const fix = `Set channels.webchat.accounts.${accountId}.allowedOrigins to the origins of your pages.`;
    return [{ status: "warn", message: "it is off: no page may have the chat box.", fix }];
  }
  if (dmPolicy === "disabled") {
    return [{ status: "warn", message: "it is off: nobody may write.", fix: "Set dmPolicy to 'open'." }];
  }
  if (dataKey === undefined) {
    return [{ status: "fail", message: "visitors cannot be told apart without a data key.", fix: DATA_KEY_HINT }];
  }
  const findings: ChannelFinding[] = [{ status: "ok", message: `it is on pages of ${allowedOrigins.join(", ")}.` }];
  const plain = allowedOrigins.filter((origin) => origin.startsWith("http:") && !isLocal(origin));
  if (plain.length > 0) {
    const message = `anybody on the way can read along on ${plain.join(", ")}.`;
    findings.push({ status: "warn", message, fix: "Use https." });
  }
  return findings;
}

function isLocal(origin: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(origin).hostname);
}
