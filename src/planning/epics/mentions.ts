import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { type MentioningItem, scheduleMentions } from '../mentions/public.ts';
import { targetOf } from './service.ts';
import { epicsById } from './store.ts';
import type { EpicRow } from './tables.ts';

function thingOf(epic: EpicRow): MentioningItem {
  return { noun: 'epic', sign: '&', target: targetOf(epic), iid: epic.iid };
}

/** Schedules cross-references and to-do items for the mentions in the title and description of an epic. */
export async function scheduleDescriptionMentions(
  services: Services,
  trx: Writer,
  { actorId, before, after }: DomainEvents['epic.changed'],
): Promise<void> {
  const old = before?.description ?? null;
  if (before && old === after.description && before.title === after.title) return;
  await scheduleMentions(services, trx, {
    thing: thingOf(after),
    actorId,
    text: after.description,
    before: old,
    title: after.title,
    titleBefore: before?.title,
    changed: before !== undefined,
  });
}

/** Schedules cross-references and to-do items for the mentions in a note on an epic. */
export async function scheduleNoteMentions(
  services: Services,
  trx: Writer,
  { action, actorId, note, before, noteable: { target } }: DomainEvents['note.changed'],
): Promise<void> {
  if (action === 'delete' || target.type !== 'Epic') return;
  const epic = (await epicsById(trx, [target.id])).get(target.id);
  if (!epic) return;
  const written = { thing: thingOf(epic), actorId, text: note.body, before: before ?? null, noteId: note.id };
  await scheduleMentions(services, trx, { ...written, internal: note.internal === 1, changed: action === 'update' });
}
