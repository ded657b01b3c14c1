import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1_500;

interface CopyButtonProps {
  /** A function if building the text is slow. */
  readonly text: string | (() => string);
  readonly label?: string;
}

/** Copies text to the clipboard, and says so. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [said, say] = useState<"copied" | "failed">();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => say(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button
      type="button"
      className="quiet"
      onClick={({ currentTarget }) =>
        copy(typeof text === "string" ? text : text(), currentTarget).then(
          () => say("copied"),
          () => say("failed"),
        )
      }
    >
      <Icon name={said === "copied" ? "check" : "copy"} />
      <span aria-live="polite">{said === "copied" ? "Copied" : said === "failed" ? "Not copied" : label}</span>
    </button>
  );
}

/** Without HTTPS or localhost there is no clipboard API, only the old command. */
async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  // While a dialog is open, nothing outside of it can be selected.
  (button.closest("dialog") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  button.focus();
  if (!done) throw new Error("the browser did not copy");
}
