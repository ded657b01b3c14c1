import { useState } from "react";
import { Icon, type IconName } from "./parts/icon.tsx";
import { applyTheme, storedTheme, type Theme } from "./theme.ts";

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: "light", label: "Light", icon: "sun" },
  { theme: "dark", label: "Dark", icon: "moon" },
  { theme: "system", label: "As the system", icon: "screen" },
];

export function ThemeToggle() {
  const [chosen, choose] = useState(storedTheme);
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
            onChange={() => {
              applyTheme(theme);
              choose(theme);
            }}
          />
          <Icon name={icon} />
          <span className="unseen">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
