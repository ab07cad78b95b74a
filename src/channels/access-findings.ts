import type { AccessPolicy, ChannelFinding } from "./channel.ts";

/** What is odd about who may write through an account. */
export function accessFindings(
  platform: string,
  { dmPolicy, allowFrom }: Pick<AccessPolicy, "dmPolicy" | "allowFrom">,
): ChannelFinding[] {
  if (dmPolicy === "allowlist" && allowFrom.length === 0) {
    const fix = "Add ids to allowFrom, or set dmPolicy to 'pairing'.";
    return [
      { status: "warn", message: "no one may write directly: dmPolicy is 'allowlist', and allowFrom is empty.", fix },
    ];
  }
  if (dmPolicy !== "open" && !allowFrom.includes("*")) return [];
  const fix = "Set dmPolicy to 'pairing' if that is not what you want.";
  return [{ status: "warn", message: `everyone on ${platform} may write to it, at your cost.`, fix }];
}
