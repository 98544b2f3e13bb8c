import type { Gates } from '../../access/gates.ts';
import { Role } from '../../access/roles.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { Forbidden } from '../../platform/http/errors.ts';

/** Where pipelines are not public, only Reporters and above read them. */
function refusal(subject: ProjectSubject): Forbidden | undefined {
  const { level, admin, auditor } = subject.standing;
  const open = settingsOf(subject.project).public_jobs !== false;
  return open || admin || auditor || level >= Role.reporter ? undefined : new Forbidden();
}

export function mayReadPipelines(subject: ProjectSubject): boolean {
  return subject.can('read_pipeline') && refusal(subject) === undefined;
}

/** Whoever may read pipelines and their jobs. */
export function readingGate(gates: Gates) {
  return gates.project('read_pipeline', { refusal });
}

/** As `readingGate`, for what nobody sees without a sign-in. */
export function signedInReadingGate(gates: Gates) {
  return gates.project('read_pipeline', { signedIn: true, refusal });
}
