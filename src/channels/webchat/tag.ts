import type { ChannelManifest } from "../channel.ts";
import type { WebchatContext } from "./account.ts";

/** The script tag that puts the chat box into a page. */
export function scriptTag({ accountId }: WebchatContext, webhookUrl: string): ChannelManifest {
  const account = accountId === "default" ? "" : ` data-account="${accountId}"`;
  return {
    use: "Paste it into the pages that have the chat box, at the end of their <body>.",
    mediaType: "text/html",
    text: `<script src="${new URL(webhookUrl).origin}/widget.js"${account} async></script>`,
  };
}
