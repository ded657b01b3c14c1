import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { Time } from "../../parts/values.tsx";
import { RoleField } from "./roles.tsx";

interface Invited {
  readonly email: string;
  readonly link: string;
  readonly expires_at: string;
}

/** Invites a user. The link is shown here, only once. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const work = useSave<Invited>({ method: "POST", path: "/v1/invitations" });
  if (work.data !== undefined) {
    const { email, link, expires_at } = work.data;
    return (
      <ShownOnce title="This is the invitation" secret={link} copy="Copy link" onClose={onClose}>
        Send this link to {email}: it is shown here and never again. It works once, until <Time of={expires_at} />.
      </ShownOnce>
    );
  }
  return (
    <DialogForm
      title="Invite a member"
      action="Create link"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate({ email: text("email"), role: text("role") })}
    >
      {(errorAt) => (
        <>
          <Field label="E-mail" error={errorAt("email")}>
            {(ids) => <input {...ids} name="email" type="email" required maxLength={320} />}
          </Field>
          <RoleField now="viewer" errorAt={errorAt} />
        </>
      )}
    </DialogForm>
  );
}
