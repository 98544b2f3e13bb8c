import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { readableIssue } from '../../issues/public.ts';
import { presentIterations } from '../present.ts';
import { iterationsById } from '../store.ts';
import type { IterationEventRow } from '../tables.ts';
import type { IterationEventEntity } from './schema.ts';
import * as store from './store.ts';

/** Records a changed iteration of an issue as a "remove" and an "add" event. */
export async function recordIteration(
  _services: Services,
  trx: Writer,
  { actorId, before, after }: DomainEvents['issue.changed'],
): Promise<void> {
  const [old, now] = [before?.issue.iteration_id ?? null, after.issue.iteration_id];
  if (old === now) return;
  const event = { issue_id: after.issue.id, user_id: actorId, created_at: Date.now() };
  await store.insertEvents(trx, [
    ...(old === null ? [] : [{ ...event, iteration_id: old, action: 'remove' as const }]),
    ...(now === null ? [] : [{ ...event, iteration_id: now, action: 'add' as const }]),
  ]);
}

async function present(services: Services, rows: readonly IterationEventRow[]): Promise<IterationEventEntity[]> {
  const { db, externalUrl } = services;
  const [users, found] = await Promise.all([
    basicUsers(
      db.read,
      rows.map(({ user_id }) => user_id),
      externalUrl,
    ),
    iterationsById(
      db.read,
      rows.map(({ iteration_id }) => iteration_id),
    ),
  ]);
  const iterations = new Map((await presentIterations(services, [...found.values()])).map((each) => [each.id, each]));
  return rows.map((row) => ({
    id: row.id,
    user: users.get(row.user_id) ?? null,
    created_at: instant(row.created_at),
    resource_type: 'Issue',
    resource_id: row.issue_id,
    iteration: (row.iteration_id !== null && iterations.get(row.iteration_id)) || null,
    action: row.action,
  }));
}

export async function listIterationEvents(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<IterationEventEntity>> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  const { rows, total } = await store.eventsOf(services.db.read, issue.id, page);
  return new Page(await present(services, rows), total);
}

export async function getIterationEvent(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue_iid, event_id }: { readonly issue_iid: number; readonly event_id: number },
): Promise<IterationEventEntity> {
  const { issue } = await readableIssue(services, caller, subject, issue_iid);
  const row = await store.findEvent(services.db.read, issue.id, event_id);
  const [entity] = row ? await present(services, [row]) : [];
  if (!entity) throw NotFound.record();
  return entity;
}
