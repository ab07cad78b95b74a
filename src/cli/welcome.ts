/** What a person sees when Isopod has started: where it is, how to get in, and what to try. */
export function welcome(url: string, token: string, model: string): string {
  return `
Isopod is ready.

  Address       ${url}
  Access token  ${token}
  Web chat      ${url}/#token=${token}
  Docs          ${url}/docs
  Model         ${model}
                ${modelAdvice(model)}

  Ask it something:
  ${curlLine(url, token)}

  npm run chat talks to it in the terminal. Ctrl-C ends it.
`;
}

function modelAdvice(model: string): string {
  if (model === "custom/") return "(which model? Set ISOPOD_MODEL to its name at OPENAI_BASE_URL, and start again.)";
  const how = "put ANTHROPIC_API_KEY, OPENAI_API_KEY or ISOPOD_MODEL=ollama/<name> into .dev.vars and start again.";
  return model.startsWith("offline/")
    ? `(built in, answers by rules.) For a real one ${how}`
    : `For another one ${how}`;
}

/** One line for a shell: it sends a message and shows what comes of it as it happens, to the end of the run. */
export function curlLine(url: string, token: string): string {
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -H 'Accept: text/event-stream'`;
  return `curl -sN ${headers} -d '{"message":"Hello"}' ${url}/v1/agent`;
}
