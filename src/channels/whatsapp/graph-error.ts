import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { WhatsAppAccount } from "./account.ts";

/** An error of the Graph API: of a request, or of a message that it had accepted. */
export const graphError = z.object({
  code: z.int(),
  title: z.string().optional(),
  message: z.string().optional(),
  error_data: z.object({ details: z.string().optional() }).optional(),
});

export type GraphError = z.output<typeof graphError>;

const MAX_DETAIL_CHARS = 200;

/** Whether a message was refused because its receiver has not written for 24 hours. 470 is the older API's code. */
export function isWindowClosed({ code }: GraphError): boolean {
  return code === 131047 || code === 470;
}

/** What an error means and what to do, before Meta's own words. */
export function inWords(error: GraphError, account: WhatsAppAccount): string {
  return `${meaning(error.code, account) ?? "WhatsApp refused the message"}. (${error.code}: ${detailsOf(error)})`;
}

/** Meta's own words, the most exact ones. */
export function detailsOf({ title, message, error_data: data }: GraphError): string {
  return sanitizeForPrompt(data?.details ?? message ?? title ?? "no reason given").slice(0, MAX_DETAIL_CHARS);
}

/** @see https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
function meaning(code: number, { accessToken }: WhatsAppAccount): string | undefined {
  switch (code) {
    case 470:
    case 131047:
      return "This person has not written for 24 hours, and WhatsApp then takes only templates: set templates.reopen of the account, or wait until they write";
    case 131026:
      return "It cannot be delivered: the number is not on WhatsApp, has blocked this one, or its app is too old";
    case 130472:
      return "Meta keeps this person in an experiment in which such messages are not delivered: wait until they write";
    case 131049:
    case 131050:
      return "This person gets no more marketing messages, by Meta's limit or their own wish: wait until they write";
    case 131051:
      return "WhatsApp does not know this type of message";
    case 131048:
    case 368:
    case 131031:
    case 130497:
      return "Meta has restricted this number or its account: see its quality and status in WhatsApp Manager";
    case 131052:
    case 131053:
      return "WhatsApp could not take the file: check its type and size";
    case 131030:
      return "A test number writes only to the numbers on its list: add this one in API Setup";
    case 131042:
      return "The account cannot be billed: check the payment method in WhatsApp Manager";
    case 131045:
    case 133010:
      return "The number is not registered for the Cloud API: register it in WhatsApp Manager";
    case 132000:
    case 132001:
    case 132007:
    case 132012:
    case 132015:
    case 132016:
      return "The template cannot be used: compare templates.reopen with its name, language, variables and status in WhatsApp Manager";
    case 0:
    case 190:
      return `The access token has expired or was revoked: set ${accessToken.id} to a new one of a system user`;
    case 3:
    case 10:
    case 200:
    case 131005:
      return `The access token may not do this: give its system user whatsapp_business_messaging, and set ${accessToken.id} anew`;
    case 33:
      return "The business's number is no longer there: check phoneNumberId";
    default:
      return undefined;
  }
}
