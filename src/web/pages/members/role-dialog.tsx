import { useQueryClient } from "@tanstack/react-query";
import type { ShownMember } from "../../../store/people/members.ts";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { sessionQuery } from "../../session.ts";
import { MEMBERS, RoleField } from "./roles.tsx";

interface RoleDialogProps {
  readonly member: ShownMember;
  readonly onClose: () => void;
}

/** Changes a member's role, effective with their next request. */
export function RoleDialog({ member, onClose }: RoleDialogProps) {
  const client = useQueryClient();
  const onSaved = () => {
    onClose();
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the changed role may be the user's own
  };
  const path = `/v1/members/${member.user_id}`;
  const work = useSave({ method: "PATCH", path, list: MEMBERS, onSaved });
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
