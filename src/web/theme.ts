import "./first-session.ts"; // asked by the first script that runs

/** Runs before anything is painted, so that a chosen theme does not flash the other one first. */
const STORED = "weir.theme";

export type Theme = "system" | "light" | "dark";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** The event that says so at the window. */
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
