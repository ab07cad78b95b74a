const en = {
  open: "Open the chat",
  close: "Close the chat",
  title: "Chat",
  conversation: "Conversation",
  you: "You",
  message: "Write a message",
  send: "Send",
  writing: "An answer is on its way",
  sending: "Sending …",
  failed: "Not sent.",
  tooMuch: "Not sent: that was too much at once. Wait a minute.",
  tooLong: "Not sent: it is too long.",
  again: "Try again",
  unreachable: "The chat cannot be reached. Trying again …",
  unread: (count: number) => `${count} new`,
};

export type Words = typeof en;

const zh: Words = {
  open: "打开聊天",
  close: "关闭聊天",
  title: "聊天",
  conversation: "对话",
  you: "你",
  message: "输入消息",
  send: "发送",
  writing: "正在回复",
  sending: "正在发送……",
  failed: "没有发送成功。",
  tooMuch: "没有发送：消息太多了，请等一分钟再试。",
  tooLong: "没有发送：消息太长了。",
  again: "重试",
  unreachable: "暂时连不上，正在重试……",
  unread: (count) => `${count} 条新消息`,
};

/** The words of a language tag, such as `zh-CN`; English for all that are not there. */
export function wordsFor(language: string): Words {
  return /^zh\b/i.test(language) ? zh : en;
}
