import { texts } from "./language.ts";

const MODEL_LINES = "ANTHROPIC_API_KEY=…\nOPENAI_API_KEY=…\nISOPOD_MODEL=ollama/qwen3";
const TELEGRAM_LINES = "TELEGRAM_BOT_TOKEN=…\nTELEGRAM_WEBHOOK_SECRET=…";

/** What the card needs to know. */
export interface FirstStepsProps {
  /** `provider/model` that answers now. */
  model: string;
  /** Whether there is nothing else to see; otherwise the card is one line until it is opened. */
  open: boolean;
  onDismiss(): void;
  /** Puts a text where a message is written. */
  onSuggest(text: string): void;
}

/** What a new owner does first; shown until it is dismissed. */
export function FirstSteps({ model, open, onDismiss, onSuggest }: FirstStepsProps) {
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <details open={open}>
        <summary>
          <h2 id="first-steps">{texts.firstSteps}</h2>
        </summary>
        <ol>
          <li>
            <h3>{texts.modelTitle}</h3>
            <p>
              {texts.modelNow} <code>{model}</code>
              {texts.modelHow}
            </p>
            <pre>{MODEL_LINES}</pre>
          </li>
          <li>
            <h3>{texts.channelTitle}</h3>
            <p>{texts.channelHow}</p>
            <pre>{TELEGRAM_LINES}</pre>
          </li>
          <li>
            <h3>{texts.soulTitle}</h3>
            <p>
              {texts.soulHow}{" "}
              <button type="button" class="suggestion" onClick={() => onSuggest(texts.soulAsk)}>
                {texts.soulAsk}
              </button>
            </p>
          </li>
        </ol>
      </details>
      <button type="button" class="quiet" onClick={onDismiss}>
        {texts.dismiss}
      </button>
    </section>
  );
}
