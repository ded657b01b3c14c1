import { Dialog } from "./dialog.tsx";

interface KeyHelpProps {
  readonly keys: readonly (readonly [keys: string, meaning: string])[];
  readonly onClose: () => void;
}

/** A list of keyboard shortcuts. */
export function KeyHelp({ keys, onClose }: KeyHelpProps) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="key-help">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
