import { lazy, Suspense, useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opens the palette; so does Ctrl-K, or Cmd-K on a Mac, also from within a field. */
export function PaletteButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isAsked = event.key.toLowerCase() === "k" && (isMac ? event.metaKey : event.ctrlKey) && !event.shiftKey;
      if (!isAsked || event.altKey) return;
      event.preventDefault(); // the browser's own search
      // Another window keeps what is typed into it.
      if (document.querySelector("dialog[open]") === null) setOpen(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span className="unseen">Go to</span>
        <kbd>{isMac ? "⌘ K" : "Ctrl K"}</kbd>
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
