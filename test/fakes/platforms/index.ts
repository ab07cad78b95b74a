import { emailService } from "./email.ts";
import type { FakePlatform } from "./fake-platform.ts";
import { lineServer } from "./line.ts";
import { slackPlatform } from "./slack.ts";
import { twilioServer } from "./sms.ts";
import { webhookService } from "./webhook.ts";
import { whatsappServer } from "./whatsapp.ts";

/** The platforms that have a server; Telegram has one of its own. */
export const FAKE_PLATFORMS: readonly FakePlatform[] = [
  slackPlatform,
  whatsappServer,
  twilioServer,
  lineServer,
  emailService,
  webhookService,
];
