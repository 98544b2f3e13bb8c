import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { mailAddressRoutes } from './addresses/routes.ts';
import { replyAddress } from './addresses/service.ts';
import { pollMailbox } from './receiving/mailbox.ts';
import { processMessage } from './receiving/process.ts';
import { forgetOldMessages } from './receiving/retention.ts';

function incomingMailJobs(services: Services): void {
  const { config, queue } = services;
  const { imapUrl, imapPoll } = config;
  queue.defineJob('incoming-mail.process', (job) => processMessage(services, job), { maxAttempts: 10, concurrency: 2 });
  queue.recurring('incoming-mail.forget', { minute: 17, hour: 3 }, () => forgetOldMessages(services));
  if (imapUrl === undefined) return;
  queue.recurring('incoming-mail.read', { everyMs: imapPoll }, (job) => pollMailbox(services, imapUrl, job), {
    maxAttempts: 1,
  });
}

/** Incoming e-mail: replies to notifications become notes, and messages to a project address become issues. */
export const incomingMail: Area = {
  name: 'incoming-mail',
  routes: mailAddressRoutes,
  jobs: incomingMailJobs,
  contributes: { 'mail.reply-addresses': replyAddress },
};
