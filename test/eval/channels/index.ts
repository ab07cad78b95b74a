import type { ChannelUnderEval } from "./channel-under-eval.ts";
import { dingtalkUnderEval } from "./dingtalk.ts";
import { discordUnderEval } from "./discord.ts";
import { emailUnderEval } from "./email.ts";
import { feishuUnderEval } from "./feishu.ts";
import { githubUnderEval } from "./github.ts";
import { googlechatUnderEval } from "./googlechat.ts";
import { lineUnderEval } from "./line.ts";
import { msteamsUnderEval } from "./msteams.ts";
import { slackUnderEval } from "./slack.ts";
import { smsUnderEval } from "./sms.ts";
import { telegramUnderEval } from "./telegram.ts";
import { webhookUnderEval } from "./webhook.ts";
import { wecomUnderEval } from "./wecom.ts";
import { whatsappUnderEval } from "./whatsapp.ts";

/** The channels that evaluations run; a platform that is missing here counts as failed. */
export const CHANNELS_UNDER_EVAL: readonly ChannelUnderEval[] = [
  telegramUnderEval,
  slackUnderEval,
  whatsappUnderEval,
  smsUnderEval,
  lineUnderEval,
  discordUnderEval,
  msteamsUnderEval,
  googlechatUnderEval,
  githubUnderEval,
  emailUnderEval,
  webhookUnderEval,
  feishuUnderEval,
  wecomUnderEval,
  dingtalkUnderEval,
];
