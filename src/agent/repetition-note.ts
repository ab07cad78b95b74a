/** What a model is told below a result that it has been given so often. */
export function noteOn(times: number, stopAfter: number): string {
  const end = times < stopAfter ? `after ${stopAfter} times the run is stopped` : "the run is stopped now";
  return (
    `\n\n[System] You have made this call ${times} times and it gave the same result each time. Asking once more ` +
    `changes nothing: do something else, or say what is in the way. Otherwise ${end}.`
  );
}

const NOTE = /\n\n\[System\] You have made this call \d+ times and it gave the same result each time\.[^\n]*$/;

/** A result as it was before it was noted on. */
export function withoutNote(text: string): string {
  return text.replace(NOTE, "");
}
