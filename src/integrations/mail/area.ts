import { join } from 'node:path';
import { readAppearance } from '../../access/appearance.ts';
import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { createMail, type Email } from '../../platform/mail/mail.ts';
import { onAutoMerge, onConflict, onEpic, onIssue, onMentions, onNote, onRequest, onReview } from './activity.ts';
import { withInstanceSettings } from './compose.ts';
import { onChangedAddress, onFurtherAddress, onNewAddress, onNewUser } from './confirmations.ts';
import { notifyOfScheduledDeletion, onGroupMarked, onProjectMarked } from './deletions.ts';
import { notifyOfDueIssues, notifyPageOfDueIssues } from './due-issues.ts';
import { onExpiringToken } from './expiring-tokens.ts';
import { onGistsEnded, onReassignmentAsked } from './imports.ts';
import { onInactiveProject } from './inactive-projects.ts';
import {
  notifyOfAccess,
  notifyOfEndingMemberships,
  notifyPageOfEndingMemberships,
  onAcceptedInvitation,
  onAccessRequest,
  onChangedMember,
  onDeniedAccess,
  onNewMember,
} from './members.ts';
import { onMirrorFailed } from './mirrors.ts';
import { notify } from './notifications.ts';
import { onDeactivation, onExcessiveDownloads, onImportEnded, onInvitation, onKey, onRevokedToken } from './people.ts';
import { notifyOfPipeline, onPipeline } from './pipelines.ts';
import {
  notifyOfMove,
  notifyOfMovedGroup,
  notifyOfRelease,
  onMovedGroup,
  onRelease,
  onRenamedProject,
  onTransferredProject,
} from './projects.ts';
import { secondFactorEmails } from './second-factor.ts';
import { onNewPassword, onPasswordReset, onSignIn } from './sign-in.ts';
import { onApproval, onRejection, onRepeatedSignUp, onSignUp } from './sign-up.ts';
import { serveUnsubscribing } from './unsubscribe.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.send': Email;
  }
}

function mailJobs(services: Services): void {
  const { config, queue } = services;
  const send = createMail({ smtpUrl: config.smtpUrl, from: config.mailFrom, outbox: join(config.data, 'mail') });
  const sendAsSet = async ({ payload }: { readonly payload: Email }) => {
    const settings = await services.settings.read();
    const appearance = await readAppearance(services.db.read);
    if (!settings.silent_mode_enabled) await send(withInstanceSettings(payload, settings, appearance));
  };
  queue.defineJob('mail.send', sendAsSet, { maxAttempts: 15, timeoutMs: 120_000, concurrency: 2 });
  queue.defineJob('mail.notify', (job) => notify(services, job), { maxAttempts: 5, timeoutMs: 60_000 });
  queue.defineJob('mail.release', (job) => notifyOfRelease(services, job), { maxAttempts: 5 });
  queue.defineJob('mail.project-moved', (job) => notifyOfMove(services, job), { maxAttempts: 5 });
  queue.defineJob('mail.group-moved', (job) => notifyOfMovedGroup(services, job), { maxAttempts: 5 });
  queue.defineJob('mail.issues-due', (job) => notifyPageOfDueIssues(services, job), { maxAttempts: 5 });
  queue.recurring('mail.issues-due', { hour: 0, minute: 50 }, () => notifyOfDueIssues(services));
  queue.defineJob('mail.deletion-scheduled', (job) => notifyOfScheduledDeletion(services, job), { maxAttempts: 5 });
  queue.defineJob('mail.access-changed', (job) => notifyOfAccess(services, job), { maxAttempts: 5 });
  queue.defineJob('mail.memberships-ending', (job) => notifyPageOfEndingMemberships(services, job), { maxAttempts: 5 });
  queue.recurring('mail.memberships-ending', { hour: 1, minute: 0 }, () => notifyOfEndingMemberships(services));
  queue.defineJob('mail.pipeline', (job) => notifyOfPipeline(services, job), { maxAttempts: 5, timeoutMs: 60_000 });
}

/**
 * Outgoing e-mail: accounts, confirmations, passwords, sign-ins, invitations, new keys, expiring tokens, and
 * notifications about the things a user participates in.
 */
export const mail: Area = {
  name: 'mail',
  jobs: mailJobs,
  pages: async (app, { services }) => {
    await serveUnsubscribing(app, services);
    return undefined;
  },
  on: {
    'user.created': onNewUser,
    'user.updated': async (services, trx, event) => {
      await onNewAddress(services, trx, event);
      await onChangedAddress(services, trx, event);
      await onNewPassword(services, trx, event);
    },
    'user.state_changed': async (services, trx, event) => {
      await onDeactivation(services, trx, event);
      await onApproval(services, trx, event);
    },
    'user.signed_up': onSignUp,
    'sign-up.repeated': onRepeatedSignUp,
    'user.rejected': onRejection,
    'password-reset.asked': onPasswordReset,
    'sign-in.succeeded': onSignIn,
    ...secondFactorEmails,
    'email.added': onFurtherAddress,
    'member.invited': onInvitation,
    'invitation.accepted': onAcceptedInvitation,
    'member.added': onNewMember,
    'member.updated': onChangedMember,
    'access.requested': onAccessRequest,
    'access.denied': onDeniedAccess,
    'key.added': onKey,
    'token.revoked': onRevokedToken,
    'token.expiring': onExpiringToken,
    'import.ended': onImportEnded,
    'gist-import.ended': onGistsEnded,
    'import.reassignment-asked': onReassignmentAsked,
    'mirror.failed': onMirrorFailed,
    'project.inactive': onInactiveProject,
    'download-limit.exceeded': onExcessiveDownloads,
    'issue.changed': onIssue,
    'merge-request.changed': onRequest,
    'merge-request.auto-merge-set': onAutoMerge,
    'merge-request.conflicted': onConflict,
    'epic.changed': onEpic,
    'note.changed': onNote,
    'mentions.added': onMentions,
    'merge-request.reviewed': onReview,
    'pipeline.changed': onPipeline,
    'release.changed': onRelease,
    'project.renamed': onRenamedProject,
    'project.updated': onProjectMarked,
    'group.updated': async (services, trx, event) => {
      await onMovedGroup(services, trx, event);
      await onGroupMarked(services, trx, event);
    },
    'group.transferred': onMovedGroup,
    'project.transferred': onTransferredProject,
  },
};
