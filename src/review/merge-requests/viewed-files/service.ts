import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { requireRequest } from '../service.ts';
import type { ViewedFileEntity } from './schema.ts';
import * as store from './store.ts';

/** File versions that the caller has viewed. */
export async function listViewed(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<ViewedFileEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const owner = { user_id: caller.user.id, merge_request_id: request.id };
  const { rows, total } = await store.listViewed(services.db.read, owner, page);
  return new Page(
    rows.map(({ version, viewed_at }) => ({ version, viewed_at: new Date(viewed_at).toISOString() })),
    total,
  );
}

interface Marking {
  readonly merge_request_iid: number;
  readonly version: string;
}

/** Marks a file version as viewed or not viewed. */
export async function markViewed(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, version }: Marking,
  isViewed: boolean,
): Promise<void> {
  if (!/^[0-9a-f]{16,64}$/.test(version)) throw new Invalid({ version: ['is invalid'] });
  const { request } = await requireRequest(services, subject, iid);
  const mark = { user_id: caller.user.id, merge_request_id: request.id, version };
  await services.db.write((trx) =>
    isViewed ? store.insertViewed(trx, mark, Date.now()) : store.deleteViewed(trx, mark),
  );
}
