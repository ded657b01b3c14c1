import { SafeLink } from "../../parts/safe-link.tsx";

const REFERENCE = /^weir-asset:([0-9a-f]{64})$/;
/** Pictures that stand in the record itself, being short. */
const INLINE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;

interface MediaProps {
  readonly requestId: string;
  /** A reference to a stored asset, a `data:` address, or an address somewhere else. */
  readonly source: string;
  readonly kind: "image" | "audio" | "file";
  readonly name?: string | undefined;
}

/** A picture, sound or file of a conversation. Only what was recorded is shown: nothing is fetched from elsewhere. */
export function Media({ requestId, source, kind, name }: MediaProps) {
  const [, id] = REFERENCE.exec(source) ?? [];
  const label = name ?? kind;
  if (id === undefined) {
    if (kind === "image" && INLINE.test(source))
      return <img className="media" src={source} alt={name ?? "in this message"} />;
    if (source.startsWith("data:")) return <span className="badge">{label}, inline: see the raw body</span>;
    return (
      <span className="media-link">
        {label}: <SafeLink href={source}>{source}</SafeLink>
      </span>
    );
  }
  const address = `/v1/request/${encodeURIComponent(requestId)}/assets/${id}`;
  if (kind === "image") return <img className="media" src={address} alt={name ?? "in this message"} loading="lazy" />;
  if (kind === "audio") {
    // biome-ignore lint/a11y/useMediaCaption: there are no captions of what somebody recorded
    return <audio className="media" controls preload="none" src={address} aria-label={label} />;
  }
  return (
    <a className="media-link" href={address} download={name ?? id}>
      {label}
    </a>
  );
}
