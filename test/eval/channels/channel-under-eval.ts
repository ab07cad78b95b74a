import type { AnyChannel, ChannelContext, ReceiveResult, Target } from "../../../src/channels/channel.ts";
import type { JsonObject } from "../../../src/lib/json.ts";

/** A signature vector, in either form of the files; names of secrets are neutral. */
export interface Vector {
  scheme: string;
  variant?: string;
  name: string;
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: string;
  body_base64?: string;
  params?: Record<string, string>;
  config?: Record<string, unknown>;
  secret?: string;
  public_key?: string;
  message_hex?: string;
  signature_hex?: string;
  verify_at_unix?: number;
  documents?: string;
  valid: boolean | null;
  expect?: Record<string, unknown>;
  expect_status?: number;
  expect_body?: string;
  expect_response_contains?: string;
}

/** A payload as a platform sends it; `account` says who the bot is. */
export interface Payload {
  platform: string;
  name: string;
  transport: "webhook" | "form" | "form-payload" | "xml" | "gateway" | "email";
  account: Record<string, string | string[]>;
  headers?: Record<string, string>;
  raw?: unknown;
  raw_text?: string;
  raw_base64?: string;
}

/** An account with its secrets by the names of their variables. */
export interface EvalAccount {
  account: JsonObject;
  secrets: Record<string, string>;
}

/** What an evaluation has to know of a channel. */
export interface ChannelUnderEval {
  channel: AnyChannel;
  /** The schemes of vectors that are this channel's. */
  schemes: readonly string[];
  /** The platform's name in payloads and formats. */
  platform: string;
  /** The account that a vector is for. */
  forVector(vector: Vector): EvalAccount;
  /**
   * The request of a vector, where it is not the one that the vector's own fields make.
   * @param url where the route is
   */
  request?(vector: Vector, url: string): Request;
  /** The account that a payload is for. */
  forPayload(payload: Payload): EvalAccount;
  /** Signs, and if the platform does, encrypts a payload, as the platform would. */
  send(payload: Payload, url: string): Request | Promise<Request>;
  /** Takes a payload that comes by no webhook: a message of a gateway, or an email. */
  take?(payload: Payload, context: ChannelContext<unknown>): Promise<ReceiveResult>;
  /** The account for texts that are sent. */
  forSending(): EvalAccount;
  /** Where they are sent, as far as the platform's ids have a form of their own. */
  sendTo?: Partial<Target>;
  /** The platform's answer to a request of the channel besides sending; undefined for a refused connection. */
  answer?(request: Request): Response | undefined;
}
