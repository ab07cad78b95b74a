import { useRef, useState } from "preact/hooks";
import { ApiError, requestOk, type Server } from "../client/http.ts";
import { useFocus } from "./hooks.ts";
import { Mark } from "./icons.tsx";
import { texts } from "./language.ts";

/** The properties of the sign-in form. */
export interface SignInProps {
  server: Server;
  /** Why the form is shown again, such as an expired login. */
  notice: string | undefined;
  onSignedIn(): void;
}

/** The form for the access token. */
export function SignIn({ server, notice, onSignedIn }: SignInProps) {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(notice);
  const field = useRef<HTMLInputElement>(null);
  useFocus(field);

  async function onSubmit(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    const refused = await signIn(server, token.trim());
    setBusy(false);
    if (refused === undefined) onSignedIn();
    else setError(refused);
  }
  return (
    <main class="sign-in">
      <form onSubmit={onSubmit}>
        <Mark />
        <h1>{texts.signInTitle}</h1>
        <p>{texts.signInLead}</p>
        <label for="token">{texts.token}</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          ref={field}
          required
          value={token}
          aria-describedby="token-where"
          aria-invalid={error !== undefined}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-where" class="hint">
          {texts.tokenWhere}
        </p>
        {error !== undefined && (
          <p class="trouble" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary" disabled={busy || token.trim() === ""}>
          {texts.signIn}
        </button>
      </form>
    </main>
  );
}

/** Exchanges the token for the cookie. Resolves with an error message where that failed. */
export async function signIn(server: Server, token: string): Promise<string | undefined> {
  try {
    await requestOk(server, { method: "POST", path: "/v1/login", body: { token } });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return texts.wrongToken;
    return error.status === 0 ? texts.unreachable : error.message;
  }
}
