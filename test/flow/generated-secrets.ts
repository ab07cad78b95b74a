import { generateKeyPairSync } from "node:crypto";

/** Secrets of the Worker under test that are private keys, made for each run of the tests. */
export function generatedSecrets(): Record<string, string> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" });
  return {
    GOOGLE_CHAT_SERVICE_ACCOUNT: JSON.stringify({ client_email: "app@flow.iam.gserviceaccount.com", private_key }),
    GITHUB_APP_PRIVATE_KEY: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  };
}
