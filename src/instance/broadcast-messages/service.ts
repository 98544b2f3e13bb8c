import type { Insertable } from 'kysely';
import { isActive, targetLevels } from '../../access/broadcast-messages.ts';
import type { Services } from '../../access/services.ts';
import type { BroadcastMessage, BroadcastMessagesTable, User } from '../../access/tables.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { instant } from '../../platform/http/schema.ts';
import type { BroadcastMessageEntity, MessageChange } from './schema.ts';
import * as store from './store.ts';

type Row = Insertable<BroadcastMessagesTable>;

function present(row: BroadcastMessage, now = Date.now()): BroadcastMessageEntity {
  return {
    ...row,
    starts_at: instant(row.starts_at),
    ends_at: instant(row.ends_at),
    target_access_levels: targetLevels(row.target_access_levels),
    dismissable: row.dismissable === 1,
    active: isActive(row, now),
  };
}

export async function listMessages({ db }: Services, slice: PageRequest): Promise<Page<BroadcastMessageEntity>> {
  const { rows, total } = await store.listMessages(db.read, slice);
  return new Page(rows, total).map((row) => present(row));
}

export async function getMessage({ db }: Services, id: number): Promise<BroadcastMessageEntity> {
  const row = await store.findMessage(db.read, id);
  if (!row) throw new NotFound();
  return present(row);
}

const colorProblem = (color: string | null | undefined) =>
  color && !/^#(?:[0-9a-f]{3}){1,2}$/i.test(color) ? 'must be a valid color code' : undefined;

/** Validates a message; its length is limited because it is shown on every page. */
function check({ message, starts_at, ends_at, color, font, target_path }: Row): void {
  const problems = {
    message: message.trim() === '' ? "can't be blank" : lengthProblem(message, 10_000),
    ends_at: ends_at > starts_at ? undefined : 'must be after starts_at',
    color: colorProblem(color),
    font: colorProblem(font),
    target_path: lengthProblem(target_path ?? '', 255),
  };
  const found = Object.entries(problems).flatMap(([name, text]) => (text === undefined ? [] : [[name, [text]]]));
  if (found.length > 0) throw new Invalid(Object.fromEntries(found));
}

/** Converts the parameters to columns. */
function columns({ color, font, target_path, target_access_levels, dismissable, ...rest }: MessageChange) {
  const levels = target_access_levels && [...new Set(target_access_levels)];
  return {
    ...rest,
    ...(color !== undefined && { color: color || null }),
    ...(font !== undefined && { font: font || null }),
    ...(target_path !== undefined && { target_path: target_path?.trim() || null }),
    ...(levels && { target_access_levels: JSON.stringify(levels) }),
    ...(dismissable !== undefined && { dismissable: dismissable ? 1 : 0 }),
  };
}

const hour = 3_600_000;

export async function createMessage(
  services: Services,
  by: User,
  sent: MessageChange & { readonly message: string },
): Promise<BroadcastMessageEntity> {
  const now = Date.now();
  const row: Row = {
    color: '#E75E40',
    font: '#FFFFFF',
    target_access_levels: '[]',
    target_path: null,
    broadcast_type: 'banner',
    dismissable: 0,
    theme: 'indigo',
    starts_at: now,
    ends_at: Math.max(now, sent.starts_at ?? now) + hour,
    ...columns(sent),
    message: sent.message,
  };
  check(row);
  const inserted = await services.db.write(async (trx) => {
    const message = await store.insertMessage(trx, row);
    await services.announce(trx, 'broadcast-message.changed', { action: 'created', message, by });
    return message;
  });
  return present(inserted);
}

export async function updateMessage(
  services: Services,
  by: User,
  id: number,
  sent: MessageChange,
): Promise<BroadcastMessageEntity> {
  const change = columns(sent);
  const changed = await services.db.write(async (trx) => {
    const before = await lockRow(trx, 'broadcast_messages', id);
    if (!before) throw new NotFound();
    check({ ...before, ...change });
    if (Object.keys(change).length === 0) return before;
    const message = await store.updateMessage(trx, id, change);
    await services.announce(trx, 'broadcast-message.changed', { action: 'updated', message, before, by });
    return message;
  });
  return present(changed);
}

export async function deleteMessage(services: Services, by: User, id: number): Promise<void> {
  await services.db.write(async (trx) => {
    const message = await store.deleteMessage(trx, id);
    if (!message) throw new NotFound();
    await services.announce(trx, 'broadcast-message.changed', { action: 'deleted', message, by });
  });
}
