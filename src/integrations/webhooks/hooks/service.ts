import type { Services } from '../../../access/services.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { NotFound, ParameterError, Unprocessable } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { healthy } from '../disabling.ts';
import { type EventSwitch, readSwitches } from '../events.ts';
import {
  checkBranchFilter,
  checkHeaders,
  checkTexts,
  checkUrl,
  checkVariables,
  filledUrl,
  type Secrets,
  senderOf,
} from '../rules.ts';
import type { WebhookRow } from '../tables.ts';
import { defaultSwitches, type HookOwner, limitOf, ownerColumns, switchesOf } from './owner.ts';
import { presentHook } from './present.ts';
import type { HookChange, HookEntity, NewHook } from './schema.ts';
import { openSecrets, sealSecrets, sealToken } from './secrets.ts';
import * as store from './store.ts';

export async function listHooks(services: Services, owner: HookOwner, slice: Slice): Promise<Page<HookEntity>> {
  const { rows, total } = await store.listHooks(services.db.read, ownerColumns(owner), slice);
  return new Page(rows, total).map((row) => presentHook(services, row, false));
}

export async function requireHook({ db }: Services, owner: HookOwner, id: number): Promise<WebhookRow> {
  const hook = await store.findHook(db.read, ownerColumns(owner), id);
  if (!hook) throw NotFound.record();
  return hook;
}

export async function getHook(services: Services, owner: HookOwner, id: number): Promise<HookEntity> {
  return presentHook(services, await requireHook(services, owner, id), true);
}

type Pairs = readonly { key: string; value: string }[] | undefined;

const named = (sent: Pairs): Secrets => Object.fromEntries((sent ?? []).map(({ key, value }) => [key, value]));

/** Returns the origin that a webhook sends to. */
function originOf(url: string, variables: Secrets): string {
  const filled = filledUrl(url, variables);
  return URL.canParse(filled) ? new URL(filled).origin : filled;
}

/**
 * Returns the secrets after a change. Changing a webhook must not reveal its secrets: if the origin changes, only the
 * secrets in the request are kept. At the same origin, new headers and variables are merged with the old ones, which
 * are otherwise kept as long as the URL is unchanged.
 */
function secretsAfter(services: Services, change: HookChange, url: string, before?: WebhookRow) {
  const of = (column: 'url_variables' | 'custom_headers') => (before ? openSecrets(services, before, column) : {});
  const [oldVariables, oldHeaders] = [of('url_variables'), of('custom_headers')];
  const [newVariables, newHeaders] = [named(change.url_variables), named(change.custom_headers)];
  const other = before !== undefined && url !== before.url;
  const away =
    before !== undefined && originOf(url, { ...oldVariables, ...newVariables }) !== originOf(before.url, oldVariables);
  const keeps = (pairs: Pairs) => !away && (!other || pairs !== undefined);
  return {
    variables: { ...(keeps(change.url_variables) && oldVariables), ...newVariables },
    headers: { ...(keeps(change.custom_headers) && oldHeaders), ...newHeaders },
    ...((away || other) && { token: null, signing_token: null }),
  };
}

/** Returns the enabled events after a change. */
function switchedBy(owner: HookOwner, before: readonly EventSwitch[], change: HookChange): EventSwitch[] {
  return switchesOf(ownerColumns(owner)).filter((name) => change[name] ?? before.includes(name));
}

/** Validates a change and returns its columns; `before` is unset for a new webhook. */
async function columnsAfter(services: Services, owner: HookOwner, change: HookChange, before?: WebhookRow) {
  const url = change.url?.trim() ?? before?.url ?? '';
  const { variables, headers, ...tokens } = secretsAfter(services, change, url, before);
  const filter = {
    push_events_branch_filter:
      change.push_events_branch_filter === undefined
        ? (before?.push_events_branch_filter ?? null)
        : change.push_events_branch_filter,
    branch_filter_strategy: change.branch_filter_strategy ?? before?.branch_filter_strategy ?? 'wildcard',
  };
  checkVariables(variables);
  await checkUrl(services, url, variables, senderOf(ownerColumns(owner)));
  checkBranchFilter(filter);
  checkHeaders(headers);
  checkTexts(change);
  const events = before ? readSwitches(before.events) : defaultSwitches(owner);
  return {
    url,
    ...filter,
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...tokens,
    ...(change.token === undefined ? {} : { token: sealToken(services, 'token', change.token) }),
    ...(change.signing_token === undefined
      ? {}
      : { signing_token: sealToken(services, 'signing_token', change.signing_token) }),
    ...(change.custom_webhook_template === undefined
      ? {}
      : { custom_webhook_template: change.custom_webhook_template || null }),
    enable_ssl_verification: (change.enable_ssl_verification ?? before?.enable_ssl_verification !== 0) ? 1 : 0,
    events: JSON.stringify(switchedBy(owner, events, change)),
    url_variables: sealSecrets(services, 'url_variables', variables),
    custom_headers: sealSecrets(services, 'custom_headers', headers),
    updated_at: Date.now(),
  };
}

export async function createHook(services: Services, owner: HookOwner, params: NewHook): Promise<HookEntity> {
  const columns = await columnsAfter(services, owner, params);
  const { most, text } = limitOf(owner);
  const place = ownerColumns(owner);
  const hook = await services.db.write(async (trx) => {
    await acquireLock(trx, `webhooks of ${place.project_id} ${place.namespace_id}`);
    if ((await store.countHooks(trx, place)) >= most) throw new Unprocessable({ base: [text] });
    return store.insertHook(trx, {
      token: null,
      custom_webhook_template: null,
      ...columns,
      ...place,
      created_at: columns.updated_at,
    });
  });
  return presentHook(services, hook, true);
}

export async function updateHook(
  services: Services,
  owner: HookOwner,
  id: number,
  change: HookChange,
): Promise<HookEntity> {
  const before = await requireHook(services, owner, id);
  const known = ['url', 'name', 'description', 'enable_ssl_verification', 'token', 'push_events_branch_filter'];
  const more = [
    'signing_token',
    'branch_filter_strategy',
    'custom_webhook_template',
    'url_variables',
    'custom_headers',
  ];
  const changes = [...known, ...more, ...switchesOf(ownerColumns(owner))] as (keyof HookChange)[];
  if (changes.every((name) => change[name] === undefined)) throw new ParameterError('No parameters provided');
  const columns = await columnsAfter(services, owner, change, before);
  // A changed URL resets the failures, which say nothing about the new receiver.
  const health = columns.url === before.url ? {} : healthy;
  const hook = await services.db.write((trx) => store.updateHook(trx, id, { ...columns, ...health }));
  return presentHook(services, hook, true);
}

export async function deleteHook(
  services: Services,
  owner: HookOwner,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const hook = await requireHook(services, owner, id);
  checkUnmodified(http, hook.updated_at);
  await services.db.write((trx) => store.deleteHook(trx, hook.id));
}

interface OneSecret {
  readonly hook_id: number;
  readonly key: string;
  readonly value?: string;
}

async function changeSecret(
  services: Services,
  owner: HookOwner,
  { hook_id, key, value }: OneSecret,
  column: 'url_variables' | 'custom_headers',
): Promise<void> {
  const hook = await requireHook(services, owner, hook_id);
  await services.db.write(async (trx) => {
    const locked = await store.lockHook(trx, hook.id);
    if (!locked) throw NotFound.record();
    const { [key]: old, ...rest } = openSecrets(services, locked, column);
    if (value === undefined && old === undefined) {
      throw new NotFound(column === 'url_variables' ? 'URL variable' : 'Custom header');
    }
    const changed: Secrets = value === undefined ? rest : { ...rest, [key]: value };
    const away =
      column === 'url_variables' &&
      value !== undefined &&
      originOf(locked.url, changed) !== originOf(locked.url, openSecrets(services, locked, column));
    const secrets: Secrets = away ? { [key]: value } : changed;
    if (column === 'url_variables') {
      checkVariables(secrets);
      if (value !== undefined) await checkUrl(services, locked.url, secrets, senderOf(locked));
    } else checkHeaders(secrets);
    await store.updateHook(trx, hook.id, {
      ...(away && {
        token: null,
        signing_token: null,
        custom_headers: sealSecrets(services, 'custom_headers', {}),
      }),
      [column]: sealSecrets(services, column, secrets),
      updated_at: Date.now(),
    });
  });
}

/** Sets a URL variable, or deletes it if there is no value. */
export function changeVariable(services: Services, owner: HookOwner, secret: OneSecret): Promise<void> {
  return changeSecret(services, owner, secret, 'url_variables');
}

/** Sets a custom header, or deletes it if there is no value. */
export function changeHeader(services: Services, owner: HookOwner, secret: OneSecret): Promise<void> {
  return changeSecret(services, owner, secret, 'custom_headers');
}
