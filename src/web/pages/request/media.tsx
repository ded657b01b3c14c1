import { createContext, type ReactNode, useContext, useState } from "react";
import { SafeLink } from "../../parts/safe-link.tsx";
import { bodyAddress, bodyOf, type RequestRecord } from "./record.ts";

const REFERENCE = /^weir-asset:([0-9a-f]{64})$/;
/** Short images that are stored in the record itself. */
const INLINE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;

/** The addresses of a request's files behind a shared link. */
export const AssetsAt = createContext<string | undefined>(undefined);

type MediaKind = "image" | "audio" | "file";

interface MediaProps {
  readonly requestId: string;
  /** A reference to a stored asset, a `data:` address, or an external address. */
  readonly source: string;
  readonly kind: MediaKind;
  readonly name?: string | undefined;
}

/** An image, sound or file of a conversation. Only recorded contents are shown: nothing is fetched from other servers. */
export function Media({ requestId, source, kind, name }: MediaProps) {
  const at = useContext(AssetsAt);
  const [, id] = REFERENCE.exec(source) ?? [];
  if (id !== undefined) {
    return (
      <Recorded
        address={`${at ?? `/v1/request/${encodeURIComponent(requestId)}`}/assets/${id}`}
        kind={kind}
        name={name}
      />
    );
  }
  const label = name ?? kind;
  if (kind === "image" && INLINE.test(source))
    return <img className="media" src={source} alt={name ?? "in this message"} />;
  if (source.startsWith("data:")) return <span className="badge">{label}, inline: see the raw body</span>;
  return (
    <span className="media-link">
      {label}: <SafeLink href={source}>{source}</SafeLink>
    </span>
  );
}

/** A body that is itself an image or sound; undefined for any other body. */
export function bodyMedia(record: RequestRecord, part: "request" | "response"): ReactNode | undefined {
  const { _type, content_type: type } = (bodyOf(record, part) ?? {}) as {
    readonly _type?: unknown;
    readonly content_type?: unknown;
  };
  if (_type !== "binary" || typeof type !== "string") return undefined;
  const kind = /^audio\//i.test(type) ? "audio" : /^image\/(?!svg)/i.test(type) ? "image" : undefined;
  return kind && <Recorded address={bodyAddress(record.request_id, part)} kind={kind} name={`${part}, ${type}`} />;
}

interface RecordedProps {
  /** Of this API. */
  readonly address: string;
  readonly kind: MediaKind;
  readonly name: string | undefined;
}

function Recorded({ address, kind, name }: RecordedProps) {
  const [isUnknown, setUnknown] = useState(false);
  const label = name ?? kind;
  if (kind === "file" || isUnknown) {
    return (
      <a className="media-link" href={address} download={name ?? true}>
        {label}
        {isUnknown ? ", which this browser cannot show" : ""}
      </a>
    );
  }
  const shared = { className: "media", src: address, onError: () => setUnknown(true) };
  if (kind === "image") return <img {...shared} alt={name ?? "in this message"} loading="lazy" />;
  return <audio {...shared} controls preload="metadata" aria-label={label} />;
}
