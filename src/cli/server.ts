import { ApiError, requestJson, type Server } from "../client/http.ts";
import { type Caller, isCaller } from "../client/wire.ts";
import { Problem } from "./problem.ts";
import { readVariables } from "./variables.ts";

/**
 * Where Isopod answers, with the token for it.
 * @param url where that is said on the command line
 * @param token where that is said there, too
 * @throws Problem where there is no token, or the address is none
 */
export async function findServer(variablesFile: string, url: string | undefined, token?: string): Promise<Server> {
  const variables = { ...(await readVariables(variablesFile)), ...process.env };
  const known = token ?? variables.ISOPOD_TOKEN;
  if (!known) throw new Problem("There is no access token yet. Start Isopod first: npm start");
  const address = url ?? variables.ISOPOD_URL ?? `http://127.0.0.1:${variables.PORT ?? 8787}`;
  if (!URL.canParse(address)) throw new Problem(`'${address}' is no address. It looks like http://127.0.0.1:8787`);
  return { url: address.replace(/\/+$/, ""), token: known };
}

/** Who answers there. @throws Problem where nobody does, or not to us */
export function meet(server: Server): Promise<Caller> {
  return answered(server, () => requestJson(server, { path: "/v1/me" }, isCaller));
}

/** Asks a server something. @throws Problem where nobody answers, or not to us; else what `question` throws */
export async function answered<T>(server: Server, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 0) {
      throw new Problem(
        `Nothing answers at ${server.url}.\nStart Isopod with npm start, or name its address with --url.`,
      );
    }
    if (error.status === 401) {
      throw new Problem(
        `${server.url} does not accept the access token.\nIt has to be the ISOPOD_TOKEN that Isopod runs with.`,
      );
    }
    throw error;
  }
}
