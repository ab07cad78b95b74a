/** What a person sees when Isopod has started: where it is, how to get in, and what to try. */
export function welcome(url: string, token: string, model: string): string {
  return `
Isopod is ready.

  Address       ${url}
  Access token  ${token}
  Web chat      ${url}/#token=${token}
  Model         ${model}
                ${modelAdvice(model)}

  Ask it something:
  ${curlLine(url, token)}

  npm run chat talks to it in the terminal. Ctrl-C ends it.
`;
}

function modelAdvice(model: string): string {
  const how = "put ANTHROPIC_API_KEY, OPENAI_API_KEY or ISOPOD_MODEL=ollama/<name> into .dev.vars and start again.";
  return model.startsWith("offline/")
    ? `(built in, answers by rules.) For a real one ${how}`
    : `For another one ${how}`;
}

/** One line for a shell: it sends a message and shows the run's events as they happen, until it ends. */
export function curlLine(url: string, token: string): string {
  const auth = `-H 'Authorization: Bearer ${token}'`;
  const send = `curl -s ${auth} -H 'Content-Type: application/json' -d '{"message":"Hello"}' ${url}/v1/agent`;
  return `curl -sN ${auth} ${url}/v1/runs/$(${send} | sed 's/.*"runId":"\\([^"]*\\)".*/\\1/')/events`;
}
