import type { Services } from '../../access/services.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { issuesDueOn } from './store.ts';

interface DuePage {
  /** Date such as `2031-02-01`. */
  readonly day: string;
  /** ID of the last issue processed. */
  readonly after: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Notifies the participants of open issues that are due on a day. */
    'mail.issues-due': DuePage;
  }
}

const dayMs = 86_400_000;
const atOnce = 100;

/** Enqueues the notifications for issues due tomorrow. */
export async function notifyOfDueIssues({ db, queue }: Services, now = Date.now()): Promise<void> {
  const day = new Date(now + dayMs).toISOString().slice(0, 10);
  await db.write((trx) => queue.enqueue(trx, 'mail.issues-due', { day, after: 0 }, { dedupeKey: day }));
}

/** Processes one page of due issues and enqueues the next in the same transaction, so that each is notified once. */
export async function notifyPageOfDueIssues({ db, queue }: Services, job: Job<DuePage>): Promise<void> {
  const { day, after } = job.payload;
  const found = await issuesDueOn(db.read, day, after, atOnce);
  await db.write(async (trx) => {
    for (const { id, author_id } of found) {
      const activity = { type: 'Issue', id, actorId: author_id, verb: 'due', key: `due-${day}` } as const;
      await queue.enqueue(trx, 'mail.notify', activity);
    }
    const last = found.at(-1);
    if (last && found.length === atOnce) await queue.enqueue(trx, 'mail.issues-due', { day, after: last.id });
    await job.finish(trx);
  });
}
