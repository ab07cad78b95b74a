import { useEffect, useState } from "preact/hooks";
import { ApiError, requestJson, requestOk, type Server } from "../client/http.ts";
import { type Caller, isCaller } from "../client/wire.ts";
import { ChatView } from "./chat-view.tsx";
import { texts } from "./language.ts";
import { SignIn, signIn } from "./sign-in.tsx";

type Visitor =
  | { state: "unknown" }
  | { state: "out"; notice: string | undefined }
  | { state: "in"; me: Caller }
  | { state: "unreachable"; message: string };

/** What the page gets from the browser. */
export interface AppProps {
  server: Server;
  /** A token that came with the address. */
  token: string | undefined;
  /** The session to chat in; the agent's main session where absent. */
  sessionKey: string | undefined;
  store: Storage;
}

/** The page: the sign-in form, then the chat. */
export function App({ server, token, sessionKey, store }: AppProps) {
  const [visitor, setVisitor] = useState<Visitor>({ state: "unknown" });

  async function enter(withToken?: string) {
    const notice = withToken === undefined ? undefined : await signIn(server, withToken);
    setVisitor(notice === undefined ? await requestCaller(server) : { state: "out", notice });
  }
  async function leave() {
    await requestOk(server, { method: "POST", path: "/v1/logout" });
    if (visitor.state === "in" && visitor.me.signOutPath !== undefined) {
      location.assign(visitor.me.signOutPath);
      return;
    }
    setVisitor({ state: "out", notice: undefined });
  }
  useEffect(() => {
    void enter(token);
  }, [token]);
  const agentId = visitor.state === "in" ? visitor.me.agentId : undefined;
  useEffect(() => {
    if (agentId !== undefined) void tellTimeZone(server, agentId);
  }, [server, agentId]);

  switch (visitor.state) {
    case "unknown":
      return <main class="blank" aria-busy="true" />;
    case "out":
      return <SignIn server={server} notice={visitor.notice} onSignedIn={enter} />;
    case "in":
      return (
        <ChatView
          server={server}
          me={visitor.me}
          sessionKey={sessionKey ?? `agent:${visitor.me.agentId}:main`}
          store={store}
          onLeave={leave}
          onSignedOut={() => setVisitor({ state: "out", notice: texts.signedOut })}
        />
      );
    case "unreachable":
      return (
        <main class="blank">
          <p class="trouble" role="alert">
            {visitor.message}
          </p>
          <button type="button" class="primary" onClick={() => enter()}>
            {texts.tryAgain}
          </button>
        </main>
      );
  }
}

/** Tells the browser's time zone, which counts until the owner names one. What goes wrong changes nothing else. */
async function tellTimeZone(server: Server, agentId: string): Promise<void> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/time-zone`;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await requestOk(server, { method: "PUT", path, body: { timeZone } }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

async function requestCaller(server: Server): Promise<Visitor> {
  try {
    return { state: "in", me: await requestJson(server, { path: "/v1/me" }, isCaller) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return { state: "out", notice: undefined };
    return { state: "unreachable", message: error.status === 0 ? texts.unreachable : error.message };
  }
}
