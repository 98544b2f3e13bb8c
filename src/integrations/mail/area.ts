import { join } from 'node:path';
import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { createMail, type Letter } from '../../platform/mail/mail.ts';
import { notify, onIssue, onNote, onRequest } from './notifications.ts';
import { onExcessiveDownloads, onImportEnded, onInvitation, onKey, tellOfExpiringTokens } from './people.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.send': Letter;
  }
}

function mailJobs(services: Services): void {
  const { config, queue } = services;
  const send = createMail({ smtpUrl: config.smtpUrl, from: config.mailFrom, outbox: join(config.data, 'mail') });
  queue.defineJob('mail.send', ({ payload }) => send(payload), { maxAttempts: 15, timeoutMs: 120_000, concurrency: 2 });
  queue.defineJob('mail.notify', (job) => notify(services, job), { maxAttempts: 5, timeoutMs: 60_000 });
  queue.recurring('mail.expiring-tokens', { everyMs: 86_400_000 }, ({ signal }) =>
    tellOfExpiringTokens(services, signal),
  );
}

/** Letters to people: invitations, new keys, tokens that expire, and what happens to what they take part in. */
export const mail: Area = {
  name: 'mail',
  jobs: mailJobs,
  on: {
    'member.invited': onInvitation,
    'key.added': onKey,
    'import.ended': onImportEnded,
    'download-limit.exceeded': onExcessiveDownloads,
    'issue.changed': onIssue,
    'merge-request.changed': onRequest,
    'note.changed': onNote,
  },
};
