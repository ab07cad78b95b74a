import type { ChannelFinding } from "../channel.ts";
import type { EmailContext } from "./account.ts";

/** Checks what an account can send and who may write to it. Email Routing itself cannot be asked. */
export async function checkAccount(context: EmailContext): Promise<ChannelFinding[]> {
  const { account, sendEmail } = context;
  if (sendEmail === undefined) {
    const fix = "Add [[send_email]] with name EMAIL to wrangler.toml, and deploy.";
    return [{ status: "fail", message: "it cannot answer: there is no binding that sends email.", fix }];
  }
  const { addresses, unverified, dmPolicy, allowFrom } = account;
  const findings: ChannelFinding[] = [
    {
      status: "ok",
      message:
        addresses.length === 0
          ? "it takes all mail that Email Routing hands over; without addresses it cannot write first."
          : `its mailboxes are ${addresses.join(", ")}.`,
    },
  ];
  if (dmPolicy === "open" || allowFrom.includes("*")) {
    const message = "everyone may write to it, at your cost.";
    findings.push({ status: "warn", message, fix: "Set dmPolicy to 'pairing' if that is not what you want." });
  }
  if (unverified === "stranger" && dmPolicy === "open") {
    const message = "it answers mail that nothing proves: answers may go to people who have not written.";
    findings.push({ status: "warn", message, fix: "Set unverified to 'refuse'." });
  }
  return findings;
}
