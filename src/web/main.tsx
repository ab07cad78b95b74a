import { render } from "preact";
import { App } from "./app.tsx";
import { lang } from "./language.ts";

/** Removes the token from the address, so that it stays in no history, bookmark or shared link. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (token !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

function show(): void {
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no root.");
  const sessionKey = new URLSearchParams(location.search).get("session") ?? undefined;
  render(<App server={server} token={takeToken()} sessionKey={sessionKey} store={localStorage} />, root);
}

const server = { url: "" };
document.documentElement.lang = lang;
show();
// A sign-in link that is opened in a tab that already shows the page changes only the fragment.
window.addEventListener("hashchange", show);
