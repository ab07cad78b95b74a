import api from "./api.md";
import architecture from "./architecture.md";
import benchmarks from "./benchmarks.md";
import budgets from "./budgets.md";
import channels from "./channels.md";
import commands from "./commands.md";
import configuration from "./configuration.md";
import configurationConnections from "./configuration-connections.md";
import configurationReference from "./configuration-reference.md";
import deploy from "./deploy.md";
import dingtalk from "./dingtalk.md";
import discord from "./discord.md";
import email from "./email.md";
import exec from "./exec.md";
import extend from "./extend.md";
import feishu from "./feishu.md";
import fromOpenclaw from "./from-openclaw.md";
import gettingStarted from "./getting-started.md";
import github from "./github.md";
import glossary from "./glossary.md";
import googlechat from "./googlechat.md";
import index from "./index.md";
import limits from "./limits.md";
import line from "./line.md";
import mcp from "./mcp.md";
import media from "./media.md";
import memory from "./memory.md";
import models from "./models.md";
import msteams from "./msteams.md";
import placement from "./placement.md";
import plugins from "./plugins.md";
import prompt from "./prompt.md";
import schedule from "./schedule.md";
import security from "./security.md";
import sessionsAndRuns from "./sessions-and-runs.md";
import skills from "./skills.md";
import slack from "./slack.md";
import sms from "./sms.md";
import telegram from "./telegram.md";
import troubleshooting from "./troubleshooting.md";
import web from "./web.md";
import webchat from "./webchat.md";
import webhook from "./webhook.md";
import wecom from "./wecom.md";
import whatsapp from "./whatsapp.md";
import workspace from "./workspace.md";
import chineseDingtalk from "./zh/dingtalk.md";
import chineseDiscord from "./zh/discord.md";
import chineseEmail from "./zh/email.md";
import chineseFeishu from "./zh/feishu.md";
import chineseGettingStarted from "./zh/getting-started.md";
import chineseGithub from "./zh/github.md";
import chineseGooglechat from "./zh/googlechat.md";
import chineseIndex from "./zh/index.md";
import chineseLine from "./zh/line.md";
import chineseMcp from "./zh/mcp.md";
import chineseMedia from "./zh/media.md";
import chineseMemory from "./zh/memory.md";
import chineseMsteams from "./zh/msteams.md";
import chineseSkills from "./zh/skills.md";
import chineseSlack from "./zh/slack.md";
import chineseSms from "./zh/sms.md";
import chineseTelegram from "./zh/telegram.md";
import chineseWeb from "./zh/web.md";
import chineseWebchat from "./zh/webchat.md";
import chineseWebhook from "./zh/webhook.md";
import chineseWecom from "./zh/wecom.md";
import chineseWhatsapp from "./zh/whatsapp.md";

/** A page of Isopod's documentation. */
export interface DocsPage {
  /** The end of its address, such as `configuration` or `zh/index`. */
  name: string;
  /** Its first heading. */
  title: string;
  /** The first sentence below the heading. */
  about: string;
  /** Markdown. */
  text: string;
}

/** All pages, in reading order. They travel inside the Worker; `zh/readme.md`, the Chinese README, does not. */
export const PAGES: readonly DocsPage[] = [
  page("index", index),
  page("getting-started", gettingStarted),
  page("deploy", deploy),
  page("placement", placement),
  page("configuration", configuration),
  page("configuration-reference", configurationReference),
  page("configuration-connections", configurationConnections),
  page("models", models),
  page("channels", channels),
  page("telegram", telegram),
  page("slack", slack),
  page("whatsapp", whatsapp),
  page("sms", sms),
  page("line", line),
  page("discord", discord),
  page("msteams", msteams),
  page("googlechat", googlechat),
  page("github", github),
  page("email", email),
  page("webchat", webchat),
  page("webhook", webhook),
  page("feishu", feishu),
  page("wecom", wecom),
  page("dingtalk", dingtalk),
  page("workspace", workspace),
  page("prompt", prompt),
  page("memory", memory),
  page("schedule", schedule),
  page("skills", skills),
  page("exec", exec),
  page("web", web),
  page("media", media),
  page("mcp", mcp),
  page("sessions-and-runs", sessionsAndRuns),
  page("commands", commands),
  page("security", security),
  page("budgets", budgets),
  page("api", api),
  page("plugins", plugins),
  page("troubleshooting", troubleshooting),
  page("limits", limits),
  page("from-openclaw", fromOpenclaw),
  page("architecture", architecture),
  page("extend", extend),
  page("benchmarks", benchmarks),
  page("glossary", glossary),
  page("zh/index", chineseIndex),
  page("zh/getting-started", chineseGettingStarted),
  page("zh/feishu", chineseFeishu),
  page("zh/wecom", chineseWecom),
  page("zh/dingtalk", chineseDingtalk),
  page("zh/media", chineseMedia),
  page("zh/memory", chineseMemory),
  page("zh/web", chineseWeb),
  page("zh/skills", chineseSkills),
  page("zh/telegram", chineseTelegram),
  page("zh/slack", chineseSlack),
  page("zh/whatsapp", chineseWhatsapp),
  page("zh/sms", chineseSms),
  page("zh/line", chineseLine),
  page("zh/discord", chineseDiscord),
  page("zh/msteams", chineseMsteams),
  page("zh/googlechat", chineseGooglechat),
  page("zh/github", chineseGithub),
  page("zh/mcp", chineseMcp),
  page("zh/email", chineseEmail),
  page("zh/webchat", chineseWebchat),
  page("zh/webhook", chineseWebhook),
];

/**
 * Finds a page by a name as people type it: in any case, with or without `.md`, a folder for its index. Undefined if there
 * is none.
 */
export function findPage(typed: string): DocsPage | undefined {
  const name = typed
    .toLowerCase()
    .replace(/^\/+|(?<!\/)\/+$/g, "")
    .replace(/\.md$/, "");
  const folder = name === "" ? "index" : `${name}/index`;
  return PAGES.find((one) => one.name === name) ?? PAGES.find((one) => one.name === folder);
}

function page(name: string, text: string): DocsPage {
  const [heading = "", first = ""] = text.split(/\n{2,}/);
  const about = /^[\s\S]*?(?:[.!?](?=\s|$)|[。！？]|$)/.exec(first)?.[0] ?? "";
  return { name, title: heading.replace(/^#\s+/, ""), about: about.replaceAll(/\s+/g, " "), text };
}
