import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Channel } from "./shapes.ts";

interface ChannelsEditorProps {
  readonly channels: readonly Channel[];
  readonly onChange: (channels: readonly Channel[]) => void;
  readonly errorAt: (path: string) => string | undefined;
}

/** Who is told. */
export function ChannelsEditor({ channels, onChange, errorAt }: ChannelsEditorProps) {
  const put = (at: number, channel: Channel) =>
    onChange(channels.map((each, index) => (index === at ? channel : each)));
  return (
    <fieldset className="choices">
      <legend>Who is told</legend>
      <div className="stack">
        {channels.map((channel, at) => (
          <div className="channel" key={at}>
            <Field label="By">
              {(ids) => (
                <select
                  {...ids}
                  value={channel.type}
                  onChange={(event) =>
                    put(at, event.target.value === "email" ? { type: "email", to: "" } : { type: "webhook", url: "" })
                  }
                >
                  <option value="webhook">Webhook</option>
                  <option value="email">E-mail</option>
                </select>
              )}
            </Field>
            {channel.type === "email" ? (
              <Field label="Address" error={errorAt(`channels.${at}.to`) ?? errorAt(`channels.${at}.type`)}>
                {(ids) => (
                  <input
                    {...ids}
                    type="email"
                    required
                    value={channel.to}
                    onChange={(event) => put(at, { type: "email", to: event.target.value })}
                  />
                )}
              </Field>
            ) : (
              <Field label="Address" error={errorAt(`channels.${at}.url`)}>
                {(ids) => (
                  <input
                    {...ids}
                    type="url"
                    required
                    placeholder="https://"
                    value={channel.url}
                    onChange={(event) => put(at, { type: "webhook", url: event.target.value })}
                  />
                )}
              </Field>
            )}
            <button
              type="button"
              className="quiet"
              aria-label={`Remove channel ${at + 1}`}
              onClick={() => onChange(channels.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
        <div>
          <button type="button" className="small" onClick={() => onChange([...channels, { type: "webhook", url: "" }])}>
            <Icon name="plus" size={12} /> Channel
          </button>
        </div>
      </div>
    </fieldset>
  );
}
