import { emailService } from "./email.ts";
import type { FakePlatform } from "./fake-platform.ts";
import { webhookService } from "./webhook.ts";

/** The platforms that have a server; Telegram has one of its own. */
export const FAKE_PLATFORMS: readonly FakePlatform[] = [emailService, webhookService];
