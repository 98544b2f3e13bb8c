import { createHash } from 'node:crypto';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject } from '../../../access/subjects.ts';
import type { Project, User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DiffLimits } from '../../../platform/git/diff/limits.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import type { Email } from '../../../platform/mail/mail.ts';
import { allowsMail, composeEmail, messageId } from '../../mail/public.ts';
import type { HookPayload } from '../chats/message.ts';
import { isWanted } from '../chats/posting.ts';
import { type Settings, settingsOf } from '../integrations/settings.ts';
import type { WebhookRow } from '../tables.ts';
import { type EmailKind, emailKinds } from './kinds.ts';
import { filterByRateLimit } from './limit.ts';
import { pipelineText } from './pipeline.ts';
import { isCreation, isRemoval, type Pushed, type PushedFiles, pushText, shortened, type Text } from './push.ts';
import { recipientsOf } from './recipients.ts';

/** Larger diffs are left out of the e-mail and only linked. */
const limits: DiffLimits = { patchBytes: 32 * 1024, files: 50, lines: 2000 };
const longestPatch = 64 * 1024;
/** Maximum size of the patches in all e-mails of one push, because they are stored in the queue. */
const maxBytes = 4 * 1024 * 1024;

/** Returns the files and the patch of a push; nothing if a branch was created or removed. */
async function filesOf(
  services: Services,
  projectId: number,
  pushed: Pushed,
  settings: Settings,
): Promise<PushedFiles> {
  if (isCreation(pushed) || isRemoval(pushed)) return { names: [] };
  const { git } = services;
  const repo = git.repository(projectId);
  const { before = '', after = '' } = pushed;
  const known = await git.objects(repo).commits([before, after]);
  if (known.some((commit) => commit === null)) return { names: [] };
  const { entries, overflow } = await git.diff(repo, { from: before, to: after }, { expanded: true, limits });
  const names = entries.map(({ newPath }) => decodePath(newPath));
  if (overflow) names.push('and more');
  if (settings.disable_diffs) return { names };
  const patch = entries
    .map((entry) => {
      const head = `diff --git a/${decodePath(entry.oldPath)} b/${decodePath(entry.newPath)}`;
      return `${head}\n${entry.tooLarge ? 'too large to show\n' : patchText(entry, true)}`;
    })
    .join('');
  return { names, patch };
}

/** Returns the author as sender if their verified address is in this server's domain. */
export function authorOf(user: User | undefined, externalUrl: string): Email['from'] | undefined {
  const host = new URL(externalUrl).hostname;
  const domain = user?.email.split('@').at(-1)?.toLowerCase() ?? '';
  const isOurs = domain.includes('.') && (host === domain || host.endsWith(`.${domain}`));
  if (user?.kind !== 'human' || user.confirmed_at === null || !isOurs) return undefined;
  return { name: user.name, address: user.email };
}

async function textOf(
  services: Services,
  name: EmailKind,
  settings: Settings,
  project: Project,
  pushed: HookPayload,
  longest: number,
): Promise<Text | undefined> {
  if (name === 'pipelines-email') return pipelineText(pushed);
  const { names, patch } = await filesOf(services, project.id, pushed as Pushed, settings);
  const shown = patch === undefined ? {} : { patch: shortened(patch, longest) };
  return pushText(pushed as Pushed, { names, ...shown });
}

/** Returns the e-mails of an integration for an event. */
export async function emailsOf(
  services: Services,
  hook: Pick<WebhookRow, 'id' | 'settings'>,
  name: EmailKind,
  { payload, eventUuid }: { readonly payload: unknown; readonly eventUuid: string },
): Promise<Email[]> {
  const pushed = payload as HookPayload & {
    readonly project: { readonly id: number };
    readonly user_id?: number | null;
  };
  const settings: Settings = { ...emailKinds[name].defaults, ...settingsOf(hook) };
  if (!isWanted(settings, pushed)) return [];
  const { read } = services.db;
  const found = await lookUpProject(read, `${pushed.project.id}`);
  if (!found || !(await allowsMail(read, found.project))) return [];
  const recipients = recipientsOf(settings.recipients ?? '');
  const longest = Math.min(longestPatch, Math.floor(maxBytes / Math.max(1, recipients.length)));
  const text = await textOf(services, name, settings, found.project, pushed, longest);
  if (!text) return [];
  const user = settings.send_from_committer_email && pushed.user_id ? await findUser(read, pushed.user_id) : undefined;
  const from = authorOf(user, services.externalUrl);
  return (await filterByRateLimit(services, found.project, recipients)).map((to) => {
    const person = createHash('sha256').update(to.toLowerCase()).digest('hex').slice(0, 16);
    return composeEmail({
      ...text,
      to,
      ...(from === undefined ? {} : { from, replyTo: from.address }),
      reason: `You get this because the maintainers of ${pushed.project.path_with_namespace} have configured this address.`,
      id: messageId(services.externalUrl, name, hook.id, eventUuid, person),
    });
  });
}

export async function enqueueEmails({ queue }: Services, trx: Writer, messages: readonly Email[]): Promise<void> {
  for (const message of messages) await queue.enqueue(trx, 'mail.send', message);
}
