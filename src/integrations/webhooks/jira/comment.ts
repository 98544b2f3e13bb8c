import type { Services } from '../../../access/services.ts';
import { RunAgain } from '../../../platform/queue/queue.ts';
import { type Settings, settingsOf } from '../integrations/settings.ts';
import type { WebhookRow } from '../tables.ts';
import { type JiraAnswer, type JiraClient, jiraClient } from './client.ts';
import { commentText, remoteLink } from './comment-text.ts';
import { jira } from './kind.ts';
import { type JiraPayload, type Mention, mentionsOf } from './mentions.ts';
import { claimMention, markReported } from './store.ts';

/** Time budget of one run; after it the delivery is requeued and continues where it stopped. */
const budgetMs = 15_000;

const at = (key: string, rest = '') => `issue/${encodeURIComponent(key)}${rest}`;
const record = (value: unknown) => (typeof value === 'object' && value !== null ? (value as JiraAnswer) : undefined);
const list = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []);

/** Returns the transitions that close an issue: the configured ones, or the first to a state of the "done" category. */
async function transitionsFor(ask: JiraClient, settings: Settings, key: string): Promise<string[]> {
  if (!settings.jira_issue_transition_automatic) {
    return (settings.jira_issue_transition_id ?? '').split(/[,; ]+/).filter((id) => id !== '');
  }
  const known = list((await ask('GET', at(key, '/transitions')))?.transitions);
  const last = known.find((each) => record(record(record(each)?.to)?.statusCategory)?.key === 'done');
  const id = record(last)?.id;
  return typeof id === 'string' ? [id] : [];
}

async function isReported(ask: JiraClient, key: string, text: string): Promise<boolean> {
  const found = await ask('GET', at(key, '/comment?orderBy=-created&maxResults=50'));
  return list(found?.comments).some((comment) => record(comment)?.body === text);
}

/** Reports one mention to Jira. If an earlier attempt was interrupted, it does not repeat what was done. */
async function reportMention(ask: JiraClient, settings: Settings, mention: Mention, isSecond: boolean): Promise<void> {
  const { key, deed, source } = mention;
  const issue = await ask('GET', at(key, '?fields=resolution'));
  if (!issue) return;
  if (deed === 'close') {
    if (!isSecond && record(record(issue.fields)?.resolution)) return;
    const ids = await transitionsFor(ask, settings, key);
    if (ids.length === 0) return;
    for (const id of ids) await ask('POST', at(key, '/transitions'), { transition: { id } });
  }
  const text = commentText(source, deed);
  const comments = settings.comment_on_event_enabled ?? jira.defaults.comment_on_event_enabled;
  if (comments && !(isSecond && (await isReported(ask, key, text))))
    await ask('POST', at(key, '/comment'), { body: text });
  await ask('POST', at(key, '/remotelink'), remoteLink(source, deed === 'close'));
}

/** Reports the issues that an event mentions, each once. Throws `JiraError` if Jira is unavailable. */
export async function commentInJira(
  services: Services,
  hook: WebhookRow,
  { payload, idempotencyKey }: { readonly payload: unknown; readonly idempotencyKey: string },
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  const started = performance.now();
  const told = payload as JiraPayload;
  const settings = settingsOf(hook);
  const ask = jiraClient(services, hook, signal);
  for (const mention of await mentionsOf(services, settings, told)) {
    const { key, deed, source } = mention;
    const about = deed === 'close' ? `close by ${source.about}` : source.about;
    const row = { project_id: told.project.id, issue_key: key, about };
    const claim = await db.write((trx) => claimMention(trx, row, idempotencyKey));
    if (claim === 'theirs') continue;
    if (performance.now() - started > budgetMs) throw new RunAgain(100);
    await reportMention(ask, settings, mention, claim === 'again');
    await db.write((trx) => markReported(trx, row));
  }
}
