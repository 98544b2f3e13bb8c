import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { cursorPage, keysetUnavailable } from '../../platform/http/pages/cursor.ts';
import { type KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import { instant } from '../../platform/http/schema.ts';
import { storedRecord } from '../../platform/stored-json.ts';
import { type AuditScope, auditList, findAuditEvent } from './list.ts';
import type { AuditEventEntity } from './schema.ts';
import type { AuditEventRow } from './tables.ts';

function present(row: AuditEventRow): AuditEventEntity {
  return { ...row, details: storedRecord(row.details), created_at: instant(row.created_at) };
}

/** Scope of a project's or group's own audit events; those of its contents are excluded. */
export function scopeOf(place: ProjectOrGroup): Required<AuditScope> {
  return isProject(place) ? { type: 'Project', id: place.project.id } : { type: 'Group', id: place.group.id };
}

type Listed = ParamsOf<typeof auditList.params> & { readonly pagination?: string; readonly cursor?: string };

/** Returns a page of audit events, newest first. */
export async function listAuditEvents(
  { db }: Services,
  scope: AuditScope,
  { pagination, cursor, created_after, created_before }: Listed,
  page: PageRequest,
): Promise<Page<AuditEventEntity> | KeysetPage<AuditEventEntity>> {
  const filters = {
    ...(created_after === undefined ? {} : { created_after }),
    ...(created_before === undefined ? {} : { created_before }),
  };
  const byNewest = { by: 'id', direction: 'desc' } as const;
  if (pagination === 'keyset') {
    const order = auditList.keyset(byNewest);
    if (!order) throw keysetUnavailable();
    const found = await cursorPage(order, cursor, (position) =>
      auditList.walk(db.read, scope, filters, order, position, page.perPage),
    );
    return found.map(present);
  }
  const { rows, total } = await auditList.page(db.read, scope, filters, byNewest, page);
  return new Page(rows, total).map(present);
}

export async function getAuditEvent({ db }: Services, scope: AuditScope, id: number): Promise<AuditEventEntity> {
  const row = await findAuditEvent(db.read, id);
  const elsewhere = scope.type !== undefined && (row?.entity_type !== scope.type || row.entity_id !== scope.id);
  if (!row || elsewhere) throw new NotFound('Audit Event');
  return present(row);
}
