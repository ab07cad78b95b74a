import { ApiError, requestJson, type Server } from "../client/http.ts";
import { type Caller, isCaller } from "../client/wire.ts";
import { Problem } from "./problem.ts";
import { readVariables } from "./variables.ts";

/**
 * The address of Isopod and its access token, from the command line, the variables file and the environment.
 * @param url from the command line
 * @param token from the command line
 * @throws Problem where there is no token, or the address is not a URL
 */
export async function findServer(variablesFile: string, url: string | undefined, token?: string): Promise<Server> {
  const variables = { ...(await readVariables(variablesFile)), ...process.env };
  const known = token ?? variables.ISOPOD_TOKEN;
  if (!known) throw new Problem("There is no access token yet. Start Isopod first: npm start");
  const address = url ?? variables.ISOPOD_URL ?? `http://127.0.0.1:${variables.PORT ?? 8787}`;
  if (!URL.canParse(address)) throw new Problem(`'${address}' is not a URL. Example: http://127.0.0.1:8787`);
  return { url: address.replace(/\/+$/, ""), token: known };
}

/** The caller and its agent. @throws Problem where the server does not answer, or refuses the token */
export function requestCaller(server: Server): Promise<Caller> {
  return explainFailures(server, () => requestJson(server, { path: "/v1/me" }, isCaller));
}

/** Sends a request. @throws Problem if the server does not answer or refuses the token, and errors of `question` */
export async function explainFailures<T>(server: Server, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 0) {
      throw new Problem(
        `Nothing answers at ${server.url}.\nStart Isopod with npm start, or give its address with --url.`,
      );
    }
    if (error.status === 401) {
      throw new Problem(
        `${server.url} does not accept the access token.\nIt must be the ISOPOD_TOKEN that Isopod runs with.`,
      );
    }
    throw error;
  }
}
