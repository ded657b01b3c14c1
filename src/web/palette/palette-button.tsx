import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Icon } from "../parts/icon.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opens the palette; so does Ctrl-K, or Cmd-K on a Mac, even within a field. */
export function PaletteButton() {
  const [isOpen, setOpen] = useState(false);
  const typed = useEarlyKeys(isOpen, () => setOpen(false));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === "k" && (isMac ? event.metaKey : event.ctrlKey) && !event.shiftKey;
      if (!isShortcut || event.altKey) return;
      event.preventDefault(); // the browser's own search
      // An open dialog keeps its input.
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
          <Palette typed={typed} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Buffers what is typed before the palette is loaded, so that no letter is lost. */
function useEarlyKeys(isOpen: boolean, onEscape: () => void) {
  const typed = useRef("");
  useEffect(() => {
    if (!isOpen) return;
    typed.current = "";
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") onEscape();
      else if (event.key === "Backspace") typed.current = typed.current.slice(0, -1);
      else if (event.key.length === 1) typed.current += event.key;
      else return;
      // Keeps the key from the page's shortcuts and from the focused field.
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [isOpen]);
  return typed;
}
