import { useEffect, useRef, useState } from "preact/hooks";
import { Mark, MenuIcon } from "./icons.tsx";
import { texts } from "./language.ts";

/** The properties of the header. */
export interface PageHeaderProps {
  /** `provider/model` of the next run. */
  model: string;
  onPrompt(): void;
  onSkills(): void;
  onMemory(): void;
  onSchedule(): void;
  onPermissions(): void;
  onSignOut(): void;
}

/** The top line of the page. On narrow screens its buttons are in a menu. */
export function PageHeader(props: PageHeaderProps) {
  const { model, onPrompt, onSkills, onMemory, onSchedule, onPermissions, onSignOut } = props;
  const { open, menu, toggle, choose, onKeyDown, onFocusOut } = useMenu();
  return (
    <header class="top">
      <Mark />
      <h1>Isopod</h1>
      <p class="model">{model}</p>
      <nav class={open ? "menu open" : "menu"} ref={menu} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
        <button
          type="button"
          class="menu-button"
          aria-expanded={open}
          aria-controls="menu-items"
          title={texts.menu}
          onClick={toggle}
        >
          <MenuIcon />
          <span class="unseen">{texts.menu}</span>
        </button>
        <div id="menu-items" class="menu-items">
          <button type="button" class="quiet" onClick={() => choose(onPrompt)} title={texts.promptNext}>
            {texts.prompt}
          </button>
          <button type="button" class="quiet" onClick={() => choose(onSkills)}>
            {texts.skills}
          </button>
          <button type="button" class="quiet" onClick={() => choose(onMemory)}>
            {texts.memory}
          </button>
          <button type="button" class="quiet" onClick={() => choose(onSchedule)}>
            {texts.schedule}
          </button>
          <button type="button" class="quiet" onClick={() => choose(onPermissions)}>
            {texts.permissions}
          </button>
          <button type="button" class="quiet" onClick={() => choose(onSignOut)}>
            {texts.signOut}
          </button>
        </div>
      </nav>
    </header>
  );
}

/** Whether the menu is open. It closes on a choice, on Escape, and when the focus or a press goes elsewhere. */
function useMenu() {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLElement>(null);
  const isOutside = (target: EventTarget | null) => !(target instanceof Node && menu.current?.contains(target));
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: PointerEvent) => {
      if (isOutside(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [open]);
  return {
    open,
    menu,
    toggle: () => setOpen(!open),
    choose(action: () => void) {
      setOpen(false);
      action();
    },
    onKeyDown(event: KeyboardEvent) {
      if (!open || event.key !== "Escape") return;
      setOpen(false);
      menu.current?.querySelector("button")?.focus();
    },
    onFocusOut({ relatedTarget }: FocusEvent) {
      if (relatedTarget !== null && isOutside(relatedTarget)) setOpen(false);
    },
  };
}
