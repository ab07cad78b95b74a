import { sanitizeForPrompt } from "../../security/sanitize.ts";

const MAX_DETAIL_CHARS = 200;

/** What an error code of Twilio's means and what to do, with Twilio's own words if it gives any. */
export function codeInWords(code: number, message: string): string {
  const said = sanitizeForPrompt(message).slice(0, MAX_DETAIL_CHARS);
  const known = MEANINGS.get(code) ?? "Twilio could not deliver it";
  const details = [...(Number.isFinite(code) ? [String(code)] : []), ...(said === "" ? [] : [said])];
  return details.length === 0 ? `${known}.` : `${known}. (${details.join(": ")})`;
}

/** @see https://www.twilio.com/docs/api/errors */
const MEANINGS = new Map([
  [20003, "Twilio does not know the account: compare the Account SID and the auth token with its console"],
  [20404, "Twilio does not know the account or the messaging service: compare their SIDs with its console"],
  [21211, "That is not a phone number"],
  [21408, "The account may not write to that country: allow it under Messaging, Settings, Geo permissions"],
  [21606, "The account does not own that sender, or it cannot send SMS: check the account's `from`"],
  [21659, "The account does not own that sender, or it cannot send SMS: check the account's `from`"],
  [21608, "A trial account writes only to numbers that are verified: verify this one in Twilio's console"],
  [21610, "This person has answered STOP, and gets nothing until they send START"],
  [21612, "That sender cannot reach this number: use a sender of the receiver's country"],
  [21614, "That number cannot receive SMS"],
  [21703, "The messaging service has no sender: add a number to it"],
  [30002, "Twilio has suspended the account: see its console"],
  [30003, "The phone could not be reached: it is off, or has no network"],
  [30004, "The receiver has blocked the message"],
  [30005, "The number is not known or not in use"],
  [30006, "The number is a landline, or its carrier takes no SMS"],
  [30007, "The carrier took the message for spam: see the sender's registration in Twilio's console"],
  [30032, "The toll-free number is not verified: verify it in Twilio's console"],
  [30034, "The number is not registered for writing to the US (A2P 10DLC): register it in Twilio's console"],
]);
