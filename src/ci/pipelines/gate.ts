import type { Gates } from '../../access/gates.ts';
import { Role } from '../../access/roles.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { Forbidden } from '../../platform/http/errors.ts';

/** When pipelines are not public, reading them requires the Reporter role. */
function refusal(subject: ProjectSubject): Forbidden | undefined {
  const { level, admin, auditor } = subject.standing;
  const publicPipelines = settingsOf(subject.project).public_jobs !== false;
  return publicPipelines || admin || auditor || level >= Role.reporter ? undefined : new Forbidden();
}

export function mayReadPipelines(subject: ProjectSubject): boolean {
  return subject.can('read_pipeline') && refusal(subject) === undefined;
}

/** Gate for reading pipelines and jobs. */
export function readingGate(gates: Gates) {
  return gates.project('read_pipeline', { refusal });
}

/** Like `readingGate`, but requires authentication. */
export function signedInReadingGate(gates: Gates) {
  return gates.project('read_pipeline', { signedIn: true, refusal });
}
