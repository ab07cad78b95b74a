/** The logo: a pill bug with seven plates, half rolled up. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M4 22a12 12 0 0 1 24 0" />
      <path d="M4 22h24" />
      <path d="M7.5 22c0-4.500.8-7.200 2-8.900M11 22c0-5.800.6-9.200 1.600-11.200M16 22V10M21 22c0-5.800-.6-9.200-1.600-11.200M24.500 22c0-4.500-.8-7.200-2-8.900" />
      <path d="M8 22v2.500M12 22v2.500M16 22v2.500M20 22v2.500M24 22v2.500M27.300 18.200l2.700-2.200" />
    </svg>
  );
}

/** An arrow upwards. */
export function SendIcon() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d="M10 16V4.500M5 9.300l5-5 5 5" />
    </svg>
  );
}

/** A filled square. */
export function StopIcon() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <rect class="filled" x="5.500" y="5.500" width="9" height="9" rx="1.500" />
    </svg>
  );
}

/** An arrow downwards. */
export function DownIcon() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d="M10 4v11.500M5 10.700l5 5 5-5" />
    </svg>
  );
}

/** Three lines: a menu. */
export function MenuIcon() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d="M3.500 5.500h13M3.500 10h13M3.500 14.500h13" />
    </svg>
  );
}

/** The activity indicator: seven plates that rise one after another. */
export function Working() {
  return (
    <span class="working" aria-hidden="true">
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
    </span>
  );
}
