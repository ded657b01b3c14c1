import type { ShownMember } from "../../../store/people/members.ts";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { RoleField } from "./roles.tsx";

interface RoleDialogProps {
  readonly member: ShownMember;
  readonly onClose: () => void;
}

/** Changes a member's role, effective with their next request. */
export function RoleDialog({ member, onClose }: RoleDialogProps) {
  const path = `/v1/members/${member.user_id}`;
  const work = useSave({ method: "PATCH", path, onSaved: onClose });
  return (
    <DialogForm
      title={`Role of ${member.email}`}
      action="Save"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate({ role: text("role") })}
    >
      {(errorAt) => <RoleField now={member.role} errorAt={errorAt} />}
    </DialogForm>
  );
}
