import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { CHANNELS } from "./alert-text.ts";
import type { Channel } from "./shapes.ts";

interface ChannelsEditorProps {
  readonly channels: readonly Channel[];
  readonly onChange: (channels: readonly Channel[]) => void;
  readonly errorAt: (path: string) => string | undefined;
}

/** Who is notified. */
export function ChannelsEditor({ channels, onChange, errorAt }: ChannelsEditorProps) {
  const put = (at: number, channel: Channel) =>
    onChange(channels.map((each, index) => (index === at ? channel : each)));
  return (
    <fieldset className="choices">
      <legend>Recipients</legend>
      <div className="stack">
        {channels.length === 0 ? <p className="muted">Without a recipient the alert only shows in this list.</p> : null}
        {channels.map((channel, at) => (
          <div className="channel" key={at}>
            <ChannelFields
              channel={channel}
              onChange={(next) => put(at, next)}
              errorAt={(member) => errorAt(`channels.${at}.${member}`)}
            />
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

interface ChannelFieldsProps {
  readonly channel: Channel;
  readonly onChange: (channel: Channel) => void;
  readonly errorAt: (member: string) => string | undefined;
}

function ChannelFields({ channel, onChange, errorAt }: ChannelFieldsProps) {
  const { target, targetLabel, placeholder } = CHANNELS[channel.type];
  // The dashboard does not get the secret of a stored channel: if left empty, it stays unchanged.
  const isKept = channel.address !== undefined && channel[target] === undefined;
  return (
    <>
      <Field label="By">
        {(ids) => (
          <select
            {...ids}
            value={channel.type}
            onChange={({ target: { value } }) => {
              const type = value as Channel["type"];
              onChange({ type, [CHANNELS[type].target]: "" });
            }}
          >
            {Object.entries(CHANNELS).map(([type, { label }]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={targetLabel} error={errorAt(target) ?? errorAt("type")}>
        {(ids) => (
          <input
            {...ids}
            type={INPUTS[target]}
            required={!isKept}
            autoComplete="off"
            placeholder={isKept ? `${channel.address} (kept)` : placeholder}
            value={channel[target] ?? ""}
            onChange={(event) => onChange(changed(channel, target, event.target.value))}
          />
        )}
      </Field>
    </>
  );
}

const INPUTS = { url: "url", to: "email", routing_key: "text", api_key: "text" } as const;

/** If its input is emptied again, a stored channel keeps its secret. */
function changed(channel: Channel, target: "url" | "to" | "routing_key" | "api_key", value: string): Channel {
  if (value !== "" || channel.address === undefined) return { ...channel, [target]: value };
  const { [target]: _, ...kept } = channel;
  return kept;
}
