interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (tab: T) => void;
}

/** Parts of one page, of which one is shown. */
export function Tabs<T extends string>({ label, tabs, value, onChange }: TabsProps<T>) {
  return (
    <nav className="tabs" aria-label={label}>
      {(Object.entries(tabs) as [T, string][]).map(([tab, text]) => (
        <button type="button" key={tab} aria-current={tab === value ? "page" : undefined} onClick={() => onChange(tab)}>
          {text}
        </button>
      ))}
    </nav>
  );
}
