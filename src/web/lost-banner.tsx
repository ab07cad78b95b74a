import { useEffect, useState } from "preact/hooks";
import { ApiError, requestJson, requestOk, runPath, type Server, sessionPath } from "../client/http.ts";
import { isLostDeliveries, type LostDeliveries } from "../client/wire.ts";
import { useAction } from "./hooks.ts";
import { texts } from "./language.ts";

type Lost = LostDeliveries["deliveries"];

/** The properties of the banner. */
export interface LostBannerProps {
  server: Server;
  sessionKey: string;
  /** The run at work; the banner looks again when it has ended. */
  runId: string | undefined;
}

/** Messages to chats that did not arrive, or may not have, with a button that sends them again. */
export function LostBanner({ server, sessionKey, runId }: LostBannerProps) {
  const [lost, setLost] = useState<Lost>([]);
  const { busy, trouble, run } = useAction();
  useEffect(() => {
    const asking = new AbortController();
    if (runId === undefined) void look(server, sessionKey, asking.signal).then((found) => found && setLost(found));
    return () => asking.abort();
  }, [server, sessionKey, runId]);
  const [first] = lost;
  if (first === undefined) return null;
  async function sendAgain() {
    for (const delivery of lost) {
      const path = `${runPath(delivery.runId)}/deliveries/${encodeURIComponent(delivery.deliveryId)}/resend`;
      await requestOk(server, { method: "POST", path });
    }
    setLost([]);
  }
  return (
    <div class="banner lost" role="status">
      <p>
        {lost.length} {first.status === "failed" ? texts.notArrived : texts.perhapsNotArrived} ({first.channel}
        {first.reason !== undefined && `: ${first.reason}`}) “{first.text}”
      </p>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      <button type="button" class="choice" disabled={busy} onClick={() => run(sendAgain)}>
        {texts.sendAgain}
      </button>
      <button type="button" class="quiet" onClick={() => setLost([])}>
        {texts.close}
      </button>
    </div>
  );
}

/** Undefined where the server does not answer: the page says so elsewhere. */
async function look(server: Server, sessionKey: string, signal: AbortSignal): Promise<Lost | undefined> {
  try {
    const request = { path: sessionPath(sessionKey, "deliveries"), signal };
    return (await requestJson(server, request, isLostDeliveries)).deliveries;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
