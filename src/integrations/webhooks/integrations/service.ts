import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { EgressRefused } from '../../../platform/egress/client.ts';
import { checkStoredUrl } from '../../../platform/egress/stored-url.ts';
import { Invalid, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { healthy } from '../disabling.ts';
import { type EventSwitch, readSwitches } from '../events.ts';
import { openSecrets, sealSecrets } from '../hooks/secrets.ts';
import { deleteHook, effectiveIntegrations, type HookScope, insertHook, updateHook } from '../hooks/store.ts';
import { filledUrl, type Secrets } from '../rules.ts';
import type { WebhookRow } from '../tables.ts';
import { requireAllowed } from './allowed.ts';
import { type IntegrationKind, type SecretName, triggeredBy } from './kind.ts';
import { integrationKind, trackerKind } from './kinds.ts';
import { presentDetail, presentIntegration } from './present.ts';
import {
  channelNames,
  type IntegrationChange,
  type IntegrationDetailEntity,
  type IntegrationEntity,
} from './schema.ts';
import { type SettingName, type Settings, settingsOf } from './settings.ts';

const scopeOf = (place: ProjectOrGroup): HookScope =>
  isProject(place) ? { projectId: place.project.id } : { namespaceId: place.group.id };

const isOwn = (place: ProjectOrGroup, row: WebhookRow) =>
  isProject(place) ? row.project_id === place.project.id : row.namespace_id === place.group.id;

export function requireKind(slug: string): IntegrationKind {
  const kind = integrationKind(slug);
  if (!kind) throw new NotFound('Integration');
  return kind;
}

/** Returns the integration in effect for a place: its own, or that of the nearest group. */
export async function effectiveIntegration(
  db: Reader,
  place: ProjectOrGroup,
  slug: string,
): Promise<WebhookRow | undefined> {
  return (await effectiveIntegrations(db, scopeOf(place))).find(({ kind }) => kind === slug);
}

/** Lists the integrations of a place, own and inherited. */
export async function listIntegrations(
  { db }: Services,
  place: ProjectOrGroup,
  { offset, perPage }: PageRequest,
): Promise<Page<IntegrationEntity>> {
  const rows = (await effectiveIntegrations(db.read, scopeOf(place))).filter(({ active }) => active === 1);
  const page = new Page(rows.slice(offset, offset + perPage), rows.length);
  return page.map((row) => presentIntegration(row.kind ?? '', requireKind(row.kind ?? ''), row, !isOwn(place, row)));
}

export async function getIntegration(
  { db }: Services,
  place: ProjectOrGroup,
  slug: string,
): Promise<IntegrationDetailEntity> {
  const kind = requireKind(slug);
  const row = await effectiveIntegration(db.read, place, slug);
  if (!row) throw new NotFound('Integration');
  return presentDetail(slug, kind, row, !isOwn(place, row));
}

const lengths: Readonly<Partial<Record<string, number>>> = {
  labels_to_be_notified: 1024,
  recipients: 65_536,
  url: 2048,
  api_url: 2048,
  project_url: 2048,
  issues_url: 2048,
  new_issue_url: 2048,
  jira_issue_regex: 511,
  jenkins_url: 2048,
  server: 2048,
  repository_url: 2048,
  datadog_tags: 2048,
};
const defaultLength = 255;

function checkSettings(kind: IntegrationKind, settings: Settings): void {
  const problems: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries({ ...settings, ...settings.channels })) {
    const text = typeof value === 'string' ? value : '';
    const long = lengthProblem(text, lengths[name] ?? defaultLength);
    if (long !== undefined) problems[name] = [long];
    if (/channel$/.test(name) && text.includes(',')) problems[name] = ['must be a single channel'];
  }
  // Values that are too long are not checked further.
  if (Object.keys(problems).length === 0) Object.assign(problems, kind.check?.(settings));
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Translates deprecated parameters. */
function byNewNames({ notify_only_default_branch: only, project_key, ...change }: IntegrationChange) {
  const branches = only === undefined ? undefined : only ? ('default' as const) : ('all' as const);
  return {
    ...(branches === undefined ? {} : { branches_to_be_notified: branches }),
    ...(project_key === undefined ? {} : { project_keys: project_key ? [project_key] : [] }),
    ...change,
  };
}

/** Returns the settings after a change; null or a blank value removes a setting. */
function settingsAfter(kind: IntegrationKind, sent: IntegrationChange, before: Settings): Settings {
  const change: Readonly<Record<string, unknown>> = byNewNames(sent);
  const after: Record<string, unknown> = {};
  for (const name of kind.takes.filter((each) => each !== 'channels')) {
    const value = change[name] === undefined ? before[name] : change[name];
    if (value !== undefined && value !== null && value !== '') after[name] = value;
  }
  if (!kind.takes.includes('channels')) return after;
  const named = channelNames.map((name) => [name, sent[name] === undefined ? before.channels?.[name] : sent[name]]);
  const channels = Object.fromEntries(named.filter(([, value]) => value));
  return Object.keys(channels).length === 0 ? after : { ...after, channels };
}

interface Addressed {
  readonly url: string;
  readonly secrets: Secrets;
}

/** Returns the secret after a change. A stored secret is kept only if the URL is unchanged. */
function secretAfter(kind: IntegrationKind, change: IntegrationChange, url: string, before: Addressed | undefined) {
  if (kind.secret === undefined) return undefined;
  const stored = before?.url === url ? before.secrets[kind.secret] : undefined;
  return change[kind.secret]?.trim() || stored;
}

const isSecret = (kind: IntegrationKind, name: SecretName | SettingName): name is SecretName => name === kind.secret;

function checkSecret({ secretPattern }: IntegrationKind, name: SecretName, secret: string): void {
  const long = lengthProblem(secret, 2048);
  if (long !== undefined) throw new Invalid({ [name]: [long] });
  if (secretPattern && !secretPattern.test(secret)) throw new Invalid({ [name]: ['is invalid'] });
}

/** Returns the URL of its requests, with the secret. */
async function addressAfter(
  { egress }: Services,
  kind: IntegrationKind,
  change: IntegrationChange,
  settings: Settings,
  before: Addressed | undefined,
): Promise<Addressed> {
  const url = kind.address(settings);
  const secret = secretAfter(kind, change, url, before);
  const missing = kind.required.filter((name) => (isSecret(kind, name) ? !secret : !settings[name as SettingName]));
  if (missing.length > 0) throw new ParameterError(missing.map((name) => `${name} is missing`).join(', '));
  checkSettings(kind, settings);
  const secrets: Secrets = kind.secret === undefined ? {} : { [kind.secret]: secret ?? '' };
  if (kind.secret !== undefined && kind.secret !== 'webhook') checkSecret(kind, kind.secret, secret ?? '');
  try {
    if (url !== '') await checkStoredUrl(egress, filledUrl(url, secrets));
  } catch (error) {
    const name = kind.addressedBy ?? 'url';
    throw error instanceof EgressRefused ? new Invalid({ [name]: [`is blocked: ${error.message}`] }) : error;
  }
  return { url, secrets };
}

async function columnsAfter(
  services: Services,
  kind: IntegrationKind,
  change: IntegrationChange,
  before: WebhookRow | undefined,
) {
  const settings = settingsAfter(kind, change, before ? settingsOf(before) : {});
  const known = before && { url: before.url, secrets: openSecrets(services, before, 'url_variables') };
  const { url, secrets } = await addressAfter(services, kind, change, settings, known);
  const on: readonly EventSwitch[] = before ? readSwitches(before.events) : kind.switches.map(triggeredBy);
  return {
    url,
    url_variables: sealSecrets(services, 'url_variables', secrets),
    settings: JSON.stringify(settings),
    events: JSON.stringify(
      kind.switches.filter((name) => change[name] ?? on.includes(triggeredBy(name))).map((name) => triggeredBy(name)),
    ),
    active: (change.active ?? true) ? 1 : 0,
    enable_ssl_verification: settings.enable_ssl_verification === false ? 0 : 1,
    updated_at: Date.now(),
    ...healthy,
  };
}

/** Allows only one active issue tracker. */
async function requireOnlyTracker(trx: Writer, place: ProjectOrGroup, slug: string): Promise<void> {
  const others = (await effectiveIntegrations(trx, scopeOf(place))).filter(
    (row) => isOwn(place, row) && row.active === 1 && row.kind !== slug && trackerKind(row.kind ?? '') !== undefined,
  );
  if (others.length > 0)
    throw new Invalid({ base: ['Another issue tracker is already active. Only one can be active at a time'] });
}

/** Creates or updates an integration of a place, or reverts it to the inherited one. */
export async function setIntegration(
  services: Services,
  place: ProjectOrGroup,
  slug: string,
  change: IntegrationChange,
): Promise<IntegrationDetailEntity> {
  const kind = requireKind(slug);
  if (change.active !== false && !change.use_inherited_settings) await requireAllowed(services, slug);
  const columns = ownerColumnsOf(place);
  await services.db.write(async (trx) => {
    await acquireLock(trx, `webhooks of ${columns.project_id} ${columns.namespace_id}`);
    const row = await effectiveIntegration(trx, place, slug);
    const own = row && isOwn(place, row) ? row : undefined;
    if (change.use_inherited_settings) {
      if (own) await deleteHook(trx, own.id);
      return;
    }
    const after = await columnsAfter(services, kind, change, own);
    if (kind.isTracker && after.active === 1) await requireOnlyTracker(trx, place, slug);
    if (own) await updateHook(trx, own.id, after);
    else await insertHook(trx, { ...after, ...columns, kind: slug, token: null, created_at: after.updated_at });
  });
  // Without an inherited one, reverting leaves nothing.
  const row = await effectiveIntegration(services.db.read, place, slug);
  return presentDetail(slug, kind, row, row !== undefined && !isOwn(place, row));
}

/** Deletes the integration of a place, which reverts it to the inherited one. */
export async function removeIntegration({ db }: Services, place: ProjectOrGroup, slug: string): Promise<void> {
  requireKind(slug);
  await db.write(async (trx) => {
    const row = await effectiveIntegration(trx, place, slug);
    if (!row || !isOwn(place, row)) throw new NotFound('Integration');
    await deleteHook(trx, row.id);
  });
}
