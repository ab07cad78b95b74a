import { fakeDingtalk } from "./dingtalk.ts";
import { discordPlatform } from "./discord.ts";
import { emailService } from "./email.ts";
import type { FakePlatform } from "./fake-platform.ts";
import { fakeFeishu } from "./feishu.ts";
import { githubServer } from "./github.ts";
import { googlechatServer } from "./googlechat.ts";
import { lineServer } from "./line.ts";
import { msteamsServer } from "./msteams.ts";
import { slackPlatform } from "./slack.ts";
import { twilioServer } from "./sms.ts";
import { webhookService } from "./webhook.ts";
import { fakeWecom } from "./wecom.ts";
import { whatsappServer } from "./whatsapp.ts";

/** The platforms that have a server; Telegram has one of its own. */
export const FAKE_PLATFORMS: readonly FakePlatform[] = [
  slackPlatform,
  whatsappServer,
  twilioServer,
  lineServer,
  discordPlatform,
  msteamsServer,
  googlechatServer,
  githubServer,
  emailService,
  webhookService,
  fakeDingtalk,
  fakeFeishu,
  fakeWecom,
];
