import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText, useAction } from "./hooks.ts";
import { texts } from "./language.ts";

/** Most entries that are listed. */
const MAX_ENTRIES = 100;

/** What a button of an entry does. */
export interface EntryAct<Entry> {
  words: string;
  /** Whether an entry has the button; every one does where absent. */
  isFor?(entry: Entry): boolean;
  /** @returns the entry as it is then; nothing takes it off the list */
  run(entry: Entry): Promise<Entry | undefined> | Promise<void>;
}

/** The properties of a list. */
export interface EntryListProps<Entry> {
  title: string;
  about: string;
  nothing: string;
  load(): Promise<readonly Entry[]>;
  /** Names an entry; buttons are labelled with it. */
  keyOf(entry: Entry): string;
  acts?: readonly EntryAct<Entry>[];
  show(entry: Entry): ComponentChildren;
}

/** Entries with buttons, under a heading. */
export function EntryList<Entry>({ title, about, nothing, load, keyOf, acts = [], show }: EntryListProps<Entry>) {
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [lost, setLost] = useState<string>();
  const { busy, trouble, run } = useAction();
  useEffect(() => {
    load().then(setEntries, (error: unknown) => setLost(errorText(error)));
  }, []);
  const words = trouble ?? lost;
  const act = (entry: Entry, { run: work }: EntryAct<Entry>) =>
    run(async () => {
      const now = await work(entry);
      setEntries((shown = []) =>
        shown.flatMap((other) => (other !== entry ? [other] : now === undefined ? [] : [now as Entry])),
      );
    });
  return (
    <section>
      <h3>{title}</h3>
      <p class="hint" aria-busy={entries === undefined && lost === undefined}>
        {entries === undefined ? texts.loading : entries.length === 0 ? nothing : about}
      </p>
      {words !== undefined && (
        <p class="trouble" role="alert">
          {words}
        </p>
      )}
      <ul>
        {entries?.slice(0, MAX_ENTRIES).map((entry) => (
          <li key={keyOf(entry)}>
            {show(entry)}
            {acts
              .filter(({ isFor }) => isFor?.(entry) ?? true)
              .map((one) => (
                <button
                  type="button"
                  class="choice"
                  key={one.words}
                  disabled={busy}
                  aria-label={`${one.words} ${keyOf(entry)}`}
                  onClick={() => act(entry, one)}
                >
                  {one.words}
                </button>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
