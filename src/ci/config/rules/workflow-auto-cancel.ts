import type { Entry } from '../entry.ts';
import type { AutoCancel } from '../plan.ts';

export function readAutoCancel(entry: Entry | null): Partial<AutoCancel> {
  if (entry === null) return {};
  entry.allow(['on_new_commit', 'on_job_failure']);
  const onNewCommit = entry.oneOf('on_new_commit', ['conservative', 'interruptible', 'none'] as const);
  const onJobFailure = entry.oneOf('on_job_failure', ['none', 'all'] as const);
  return { ...(onNewCommit === null ? {} : { onNewCommit }), ...(onJobFailure === null ? {} : { onJobFailure }) };
}
