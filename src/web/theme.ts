import "./first-session.ts"; // first, so that the session is requested early, and then the rows
import "./first-rows.ts";

/** Runs before the first paint, so that a chosen theme does not flash the other one. */
const STORED = "weir.theme";

export type Theme = "system" | "light" | "dark";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** The window's event for a changed theme. */
export const THEME_CHANGED = "weir.theme-changed";

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(STORED, theme);
    document.documentElement.dataset["theme"] = theme;
  }
  window.dispatchEvent(new Event(THEME_CHANGED));
}

applyTheme(storedTheme());
