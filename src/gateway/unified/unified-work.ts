import type { CallMemories } from "../../mapping/translate/call-memory.ts";
import type { Description } from "../../unified/describe.ts";
import type { UnifiedAdmission } from "./admission/unified-admission.ts";
import type { PreviousResponse } from "./targets/previous-response.ts";

/** A unified request whose body has been read. */
export interface UnifiedWork {
  readonly admission: UnifiedAdmission;
  /** As the client sent it, decompressed. */
  readonly body: Uint8Array;
  /** Whether `body` has the bytes that the client sent: neither decompressed nor with items in place of references. */
  readonly isAsSent?: boolean;
  readonly description: Description;
  /** State of calls in the body that the client dropped, as far as memory holds it. */
  readonly states: CallMemories;
  /** Parts of its headers that were left out, by their paths. */
  readonly dropped?: readonly string[];
  /** The response that it continues from. */
  readonly previous?: PreviousResponse | undefined;
}
