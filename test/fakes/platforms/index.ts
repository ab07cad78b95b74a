import { fakeDingtalk } from "./dingtalk.ts";
import type { FakePlatform } from "./fake-platform.ts";
import { fakeFeishu } from "./feishu.ts";
import { slackPlatform } from "./slack.ts";
import { fakeWecom } from "./wecom.ts";

/** The platforms that have a server; Telegram has one of its own. */
export const FAKE_PLATFORMS: readonly FakePlatform[] = [slackPlatform, fakeDingtalk, fakeFeishu, fakeWecom];
