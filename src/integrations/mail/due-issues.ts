import type { Services } from '../../access/services.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { issuesDueOn } from './store.ts';

interface DuePage {
  /** As `2031-02-01`. */
  readonly day: string;
  /** The last issue that was seen to. */
  readonly after: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Open issues are due on a day: those who take part in them hear of it. */
    'mail.issues-due': DuePage;
  }
}

const dayMs = 86_400_000;
const atOnce = 100;

/** Begins with the issues that are due tomorrow. */
export async function tellOfDueIssues({ db, queue }: Services, now = Date.now()): Promise<void> {
  const day = new Date(now + dayMs).toISOString().slice(0, 10);
  await db.write((trx) => queue.enqueue(trx, 'mail.issues-due', { day, after: 0 }, { dedupeKey: day }));
}

/** Sees to some of them, and hands the rest on: each is told of once, whatever is interrupted. */
export async function tellOfSomeDue({ db, queue }: Services, job: Job<DuePage>): Promise<void> {
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
