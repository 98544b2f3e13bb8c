import { randomUUID } from 'node:crypto';
import type { SignedInActor } from '../../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { deliverNow } from '../deliveries/deliver.ts';
import { countSent } from '../deliveries/service.ts';
import { emailsOf, enqueueEmails } from '../emails/compose.ts';
import { type EmailKind, isEmailKind } from '../emails/kinds.ts';
import { type EventSwitch, eventKinds } from '../events.ts';
import { basic } from '../external-services/kinds.ts';
import { openSecrets } from '../hooks/secrets.ts';
import { requireAllowed } from '../integrations/allowed.ts';
import { effectiveIntegration, requireKind } from '../integrations/service.ts';
import { settingsOf } from '../integrations/settings.ts';
import { JiraError, jiraClient } from '../jira/client.ts';
import { locateProject } from '../payloads/parts.ts';
import { senderOf } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';
import { sample } from './service.ts';
import { projectInside } from './store.ts';

/** Returns the integration without its filters. */
function unfiltered(hook: WebhookRow): WebhookRow {
  const { labels_to_be_notified: _, ...settings } = settingsOf(hook);
  const wide = { ...settings, branches_to_be_notified: 'all', notify_only_broken_pipelines: false } as const;
  return { ...hook, settings: JSON.stringify(wide) };
}

/** Builds the payload from the latest object in the project, or in a project of the group. */
async function samplePayload(services: Services, caller: SignedInActor, place: ProjectOrGroup, name: EventSwitch) {
  const { read } = services.db;
  const projectId = isProject(place) ? place.project.id : await projectInside(read, place.group.id);
  const located = projectId === undefined ? undefined : await locateProject(read, projectId);
  if (!located) throw new Unprocessable('Ensure the group has a project with commits.');
  return sample(services, caller, located, name);
}

async function tryDelivery(
  services: Services,
  hook: WebhookRow,
  name: 'push_events' | 'pipeline_events',
  payload: object,
): Promise<void> {
  const { header: event, trigger } = eventKinds[name];
  const outcome = await deliverNow(services, unfiltered(hook), { event, trigger, payload });
  if (outcome.status === null) throw new Unprocessable(outcome.failure);
  if (outcome.status >= 400) throw new Unprocessable(`The receiver responded with ${outcome.status}.`);
}

async function testEmails(services: Services, hook: WebhookRow, name: EmailKind, payload: object): Promise<void> {
  const messages = await emailsOf(services, unfiltered(hook), name, { payload, eventUuid: randomUUID() });
  if (messages.length === 0) {
    throw new Unprocessable(
      'There is nothing to send. Ensure that emails are enabled in the project, that it has a finished pipeline, and that its hourly email limit is not reached.',
    );
  }
  await services.db.write((trx) => enqueueEmails(services, trx, messages));
}

async function tryJira(services: Services, hook: WebhookRow): Promise<void> {
  try {
    if (!(await jiraClient(services, hook)('GET', 'myself'))) throw new Unprocessable('No Jira was found at this URL.');
  } catch (error) {
    throw error instanceof JiraError ? new Unprocessable(error.message) : error;
  }
}

/** Checks that the project exists in Harbor and that the account may read it. */
async function tryHarbor(services: Services, hook: WebhookRow): Promise<void> {
  const { project_name = '', username = '' } = settingsOf(hook);
  const { password = '' } = openSecrets(services, hook, 'url_variables');
  const url = `${hook.url}/api/v2.0/projects?project_name=${encodeURIComponent(project_name)}`;
  const status = await statusOf(services, hook, url, 'HEAD', { authorization: basic(username, password) });
  if (status >= 400) throw new Unprocessable(`Harbor responded with ${status}.`);
}

async function statusOf(
  { egress }: Services,
  hook: WebhookRow,
  url: string,
  method: 'GET' | 'HEAD' = 'GET',
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  try {
    const { status, body } = await egress.fetch(url, {
      method,
      headers,
      redirects: 0,
      timeoutsMs: { headers: 10_000, body: 10_000, total: 10_000 },
      sender: senderOf(hook),
    });
    body.destroy();
    return status;
  } catch (error) {
    throw new Unprocessable(error instanceof Error ? error.message : 'The server is unreachable.');
  }
}

/** Checks that the tracker's project URL is reachable. */
async function tryTracker(services: Services, hook: WebhookRow): Promise<void> {
  const status = await statusOf(services, hook, settingsOf(hook).project_url ?? '');
  if (status >= 400) throw new Unprocessable(`The tracker responded with ${status}.`);
}

/** Tests an integration with its settings; throws the error if it fails. */
export async function testIntegration(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  slug: string,
): Promise<{ message: string }> {
  const kind = requireKind(slug);
  const hook = await effectiveIntegration(services.db.read, place, slug);
  if (!hook) throw new NotFound('Integration');
  await requireAllowed(services, slug);
  await countSent(services, caller, hook.id, 'web_hook_test');
  if (slug === 'jira') await tryJira(services, hook);
  else if (kind.isTracker) await tryTracker(services, hook);
  else if (isEmailKind(slug)) {
    const event = slug === 'pipelines-email' ? 'pipeline_events' : 'push_events';
    await testEmails(services, hook, slug, await samplePayload(services, caller, place, event));
  } else if (slug === 'harbor') await tryHarbor(services, hook);
  else {
    const event = kind.switches.includes('push_events') ? 'push_events' : 'pipeline_events';
    await tryDelivery(services, hook, event, await samplePayload(services, caller, place, event));
  }
  return { message: '201 Created' };
}
