import { columnsOf, isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { EgressRefused } from '../../../platform/egress/client.ts';
import { checkWritten } from '../../../platform/egress/written.ts';
import { Invalid, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import { healthy } from '../disabling.ts';
import { type EventSwitch, readSwitches } from '../events.ts';
import { openSecrets, sealSecrets } from '../hooks/secrets.ts';
import { chatsAround, deleteHook, type HookScope, insertHook, updateHook } from '../hooks/store.ts';
import { filledUrl, type Secrets } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';
import { type ChatKind, type ChatSettings, chatKind, chatSwitches } from './kinds.ts';
import { presentChat, presentDetail } from './present.ts';
import { type ChatChange, channelNames, type IntegrationDetailEntity, type IntegrationEntity } from './schema.ts';
import { settingsOf } from './settings.ts';

const scopeOf = (place: ProjectOrGroup): HookScope =>
  isProject(place) ? { projectId: place.project.id } : { namespaceId: place.group.id };

const isOwn = (place: ProjectOrGroup, row: WebhookRow) =>
  isProject(place) ? row.project_id === place.project.id : row.namespace_id === place.group.id;

function requireKind(slug: string): ChatKind {
  const kind = chatKind(slug);
  if (!kind) throw new NotFound('Integration');
  return kind;
}

async function chatInForce(db: Reader, place: ProjectOrGroup, slug: string): Promise<WebhookRow | undefined> {
  return (await chatsAround(db, scopeOf(place))).find(({ kind }) => kind === slug);
}

/** The chats that a place posts to: its own and those of the groups around it. */
export async function listChats(
  { db }: Services,
  place: ProjectOrGroup,
  { offset, perPage }: PageRequest,
): Promise<Page<IntegrationEntity>> {
  const rows = (await chatsAround(db.read, scopeOf(place))).filter(({ active }) => active === 1);
  const page = new Page(rows.slice(offset, offset + perPage), rows.length);
  return page.map((row) => presentChat(row.kind ?? '', requireKind(row.kind ?? ''), row, !isOwn(place, row)));
}

export async function getChat({ db }: Services, place: ProjectOrGroup, slug: string): Promise<IntegrationDetailEntity> {
  const kind = requireKind(slug);
  const row = await chatInForce(db.read, place, slug);
  return presentDetail(slug, kind, row, row !== undefined && !isOwn(place, row));
}

const longest = 255;

function checkTexts(settings: ChatSettings): void {
  const problems: Record<string, string[]> = {};
  for (const [name, value] of Object.entries({ ...settings, ...settings.channels })) {
    const text = typeof value === 'string' ? value : '';
    const long = tooLong(text, name === 'labels_to_be_notified' ? 1024 : longest);
    if (long !== undefined) problems[name] = [long];
    if (/channel$/.test(name) && text.includes(',')) problems[name] = ['must be one channel'];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** What is set after a change; null and blank take a setting away. */
function settingsAfter(kind: ChatKind, change: ChatChange, before: ChatSettings): ChatSettings {
  const own = kind.takes.filter((name) => name !== 'channels');
  const names = ['notify_only_broken_pipelines', 'branches_to_be_notified', ...own] as const;
  const after: Record<string, unknown> = {};
  for (const name of names) {
    const value = change[name as keyof ChatChange] === undefined ? before[name] : change[name as keyof ChatChange];
    if (value !== undefined && value !== null && value !== '') after[name] = value;
  }
  if (!(kind.takes as readonly string[]).includes('channels')) return after;
  const named = channelNames.map((name) => [name, change[name] === undefined ? before.channels?.[name] : change[name]]);
  const channels = Object.fromEntries(named.filter(([, value]) => value));
  return Object.keys(channels).length === 0 ? after : { ...after, channels };
}

/** Where messages go, and the secret in it. One that is kept goes nowhere else than where it was given for. */
async function addressAfter(
  { egress }: Services,
  kind: ChatKind,
  change: ChatChange,
  settings: ChatSettings,
  before?: { readonly url: string; readonly secrets: Secrets },
): Promise<{ url: string; secrets: Secrets }> {
  const url = kind.address(settings);
  const kept = before?.url === url ? before.secrets[kind.secret] : undefined;
  const secret = change[kind.secret]?.trim() || kept;
  const missing = kind.required.filter((name) => (name === kind.secret ? !secret : !settings[name as 'room']));
  if (missing.length > 0) throw new ParameterError(missing.map((name) => `${name} is missing`).join(', '));
  const secrets = { [kind.secret]: secret ?? '' };
  if (kind.secret === 'token' && !/^[\w:-]{1,255}$/.test(secret ?? '')) throw new Invalid({ token: ['is invalid'] });
  try {
    await checkWritten(egress, filledUrl(url, secrets));
  } catch (error) {
    const name = kind.secret === 'webhook' ? 'webhook' : 'hostname';
    throw error instanceof EgressRefused ? new Invalid({ [name]: [`is blocked: ${error.message}`] }) : error;
  }
  return { url, secrets };
}

async function columnsAfter(services: Services, kind: ChatKind, change: ChatChange, before: WebhookRow | undefined) {
  const settings = settingsAfter(kind, change, before ? settingsOf(before) : {});
  checkTexts(settings);
  const known = before && { url: before.url, secrets: openSecrets(services, before, 'url_variables') };
  const { url, secrets } = await addressAfter(services, kind, change, settings, known);
  const on: readonly EventSwitch[] = before ? readSwitches(before.events) : chatSwitches;
  return {
    url,
    url_variables: sealSecrets(services, 'url_variables', secrets),
    settings: JSON.stringify(settings),
    events: JSON.stringify(chatSwitches.filter((name) => change[name] ?? on.includes(name))),
    active: (change.active ?? true) ? 1 : 0,
    updated_at: Date.now(),
    ...healthy,
  };
}

/** Sets up a chat for a place, or changes how it is set up; or has the place use again what a group around it has. */
export async function setChat(
  services: Services,
  place: ProjectOrGroup,
  slug: string,
  change: ChatChange,
): Promise<IntegrationDetailEntity> {
  const kind = requireKind(slug);
  const columns = columnsOf(place);
  await services.db.write(async (trx) => {
    await acquireLock(trx, `webhooks of ${columns.project_id} ${columns.namespace_id}`);
    const row = await chatInForce(trx, place, slug);
    const own = row && isOwn(place, row) ? row : undefined;
    if (change.use_inherited_settings) {
      if (own) await deleteHook(trx, own.id);
      return;
    }
    const after = await columnsAfter(services, kind, change, own);
    if (own) await updateHook(trx, own.id, after);
    else await insertHook(trx, { ...after, ...columns, kind: slug, token: null, created_at: after.updated_at });
  });
  return getChat(services, place, slug);
}

/** Forgets what a place has set up; it uses again what a group around it has. */
export async function removeChat({ db }: Services, place: ProjectOrGroup, slug: string): Promise<void> {
  requireKind(slug);
  await db.write(async (trx) => {
    const row = await chatInForce(trx, place, slug);
    if (!row || !isOwn(place, row)) throw new NotFound('Integration');
    await deleteHook(trx, row.id);
  });
}
