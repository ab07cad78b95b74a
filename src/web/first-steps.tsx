import { texts } from "./language.ts";

const MODEL_LINES = "ANTHROPIC_API_KEY=…\nOPENAI_API_KEY=…\nISOPOD_MODEL=ollama/qwen3";
const TELEGRAM_LINES = "TELEGRAM_BOT_TOKEN=…\nTELEGRAM_WEBHOOK_SECRET=…";

/** The properties of the card. */
export interface FirstStepsProps {
  /** `provider/model` that answers now. */
  model: string;
  /** Whether the card is open at first: it is while the chat is empty. */
  open: boolean;
  onDismiss(): void;
  /** Puts a text into the composer. */
  onSuggest(text: string): void;
}

/** First steps for a new owner; shown until dismissed. */
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
