import type { Gates } from '../../access/gates.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';

/** Gate for notes on commits: requires read access to the repository. */
export function commentGate(gates: Gates) {
  return gates.project('create_note', {
    signedIn: true,
    refusal: (subject) => {
      if (subject.project.repository_access === 0) return new NotFound('Repository');
      return subject.can('read_code') ? undefined : new Forbidden();
    },
  });
}
