import { Agent } from "node:http";
import { exchange, instant } from "./exchange.ts";

/** Who is measured. */
export type ContenderName = "isopod" | "floor" | "durableFloor";

/** When the things happened that a caller sees, in milliseconds since the epoch with fractions. */
export interface Seen {
  sentAt: number;
  firstTokenAt: number;
  endAt: number;
}

/** One way to have a turn: the same message, the same model, the same kind of connection. */
export interface Contender {
  name: ContenderName;
  /** Has one turn in a session and reads its answer to the end. */
  turn(session: string): Promise<Seen>;
}

const MESSAGE = "How are you today?";
const MAX_CONNECTIONS = 64;
/** Of what came before, as an event may come in two pieces; and what an error quotes. */
const KEPT_CHARS = 500;

/** The name under which the model server keeps the requests of a session of a contender. */
export function scenarioOf(name: ContenderName, session: string): string {
  return `${name}-${session}`;
}

/**
 * A caller of Isopod: one POST whose answer is the run's events to the last of them. Isopod sends neither the answer's
 * head before the message is stored nor its end before the reply is.
 */
export function isopodContender(url: string, token: string): Contender {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  return {
    name: "isopod",
    async turn(session) {
      const body = {
        message: MESSAGE,
        sessionKey: `agent:main:hook:${session}`,
        model: `bench/${scenarioOf("isopod", session)}`,
      };
      let seen = "";
      let firstTokenAt: number | undefined;
      let endAt: number | undefined;
      const sentAt = instant();
      await exchange(agent, `${url}/v1/agent`, { headers, body }, (text) => {
        seen = seen.slice(-KEPT_CHARS) + text;
        if (firstTokenAt === undefined && seen.includes('"type":"assistant"')) firstTokenAt = instant();
        if (endAt === undefined && seen.includes('"phase":"end"')) endAt = instant();
      });
      if (firstTokenAt === undefined || endAt === undefined) throw new Error(`Isopod's run did not end well:\n${seen}`);
      return { sentAt, firstTokenAt, endAt };
    },
  };
}

/**
 * A caller of a floor: one POST whose answer is the model's stream. The durable one ends its answer when its last row is
 * on disk, so both ends mean the same: the turn is over and kept.
 */
export function floorContender(name: "floor" | "durableFloor", url: string): Contender {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const path = name === "floor" ? "proxy" : "durable";
  return {
    name,
    async turn(session) {
      const scenario = scenarioOf(name, session);
      const body = { model: scenario, stream: true, messages: [{ role: "user", content: MESSAGE }] };
      let firstTokenAt: number | undefined;
      const sentAt = instant();
      await exchange(agent, `${url}/${path}?session=${scenario}`, { body }, () => {
        firstTokenAt ??= instant();
      });
      const endAt = instant();
      if (firstTokenAt === undefined) throw new Error(`The ${path} floor answered nothing.`);
      return { sentAt, firstTokenAt, endAt };
    },
  };
}
