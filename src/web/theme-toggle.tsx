import { useSyncExternalStore } from "react";
import { Icon, type IconName } from "./parts/icon.tsx";
import { applyTheme, storedTheme, THEME_CHANGED, type Theme } from "./theme.ts";

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: "light", label: "Light", icon: "sun" },
  { theme: "dark", label: "Dark", icon: "moon" },
  { theme: "system", label: "As the system", icon: "screen" },
];

function onChange(changed: () => void): () => void {
  window.addEventListener(THEME_CHANGED, changed);
  return () => window.removeEventListener(THEME_CHANGED, changed);
}

export function ThemeToggle() {
  const chosen = useSyncExternalStore(onChange, storedTheme);
  return (
    <fieldset className="theme">
      <legend className="unseen">Theme</legend>
      {THEMES.map(({ theme, label, icon }) => (
        <label key={theme} title={label}>
          <input
            type="radio"
            name="theme"
            className="unseen"
            checked={chosen === theme}
            onChange={() => applyTheme(theme)}
          />
          <Icon name={icon} />
          <span className="unseen">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
