import { requestListOrFail } from '../../content/public.ts';
import { ImportFailed } from '../../project-imports/public.ts';
import { destinationOf } from '../present.ts';
import { apiPathOf, sourceGroup, sourceProject } from '../source.ts';
import * as store from '../store.ts';
import type { EntityRow } from '../tables.ts';
import type { TransferRun } from '../transfer-run.ts';

const perPage = 100;
/** More pages than any group has. A server that exceeds this sends endless pages. */
const maxPages = 500;

/** The used attributes of a subgroup or project. */
interface Child {
  readonly entity_type: EntityRow['entity_type'];
  readonly fullPath: string;
  readonly slug: string;
}

export async function listSubgroups(run: TransferRun): Promise<void> {
  const place = `${apiPathOf('group', run.entity.source_full_path)}/subgroups?`;
  await addChildren(run, 'subgroups', place, (found) =>
    sourceGroup.fits(found) ? { entity_type: 'group', fullPath: found.full_path, slug: found.path } : undefined,
  );
}

export async function listProjects(run: TransferRun): Promise<void> {
  if (run.entity.migrate_projects !== 1) return;
  const place = `${apiPathOf('group', run.entity.source_full_path)}/projects?include_subgroups=false&with_shared=false&`;
  await addChildren(run, 'projects', place, (found) =>
    sourceProject.fits(found)
      ? { entity_type: 'project', fullPath: found.path_with_namespace, slug: found.path }
      : undefined,
  );
}

async function addChildren(
  run: TransferRun,
  relation: string,
  place: string,
  read: (found: unknown) => Child | undefined,
): Promise<void> {
  for (let page = Number(run.cursor('page') ?? 1); ; page++) {
    if (page > maxPages) throw new ImportFailed(`The source server has more than ${maxPages} pages of ${relation}`);
    const url = `${place}order_by=${relation === 'projects' ? 'id' : 'path'}&sort=asc&per_page=${perPage}&page=${page}`;
    const { body } = await requestListOrFail(run, run.client, url);
    const children: Child[] = [];
    for (const [at, found] of body.entries()) {
      const child = read(found);
      // Only children within the group are accepted, because lists that lead back to themselves would never end.
      if (child && isWithin(run.entity.source_full_path, child.fullPath)) children.push(child);
      else await run.fail(relation, `page ${page} ${at + 1}`, new Error('the record is not in the group'));
    }
    await run.advance('page', String(page + 1), async (trx) => {
      for (const child of children) {
        const id = await store.insertEntity(trx, childRow(run.entity, child));
        if (id) await run.services.queue.enqueue(trx, 'bulk-imports.entity', { entityId: id.id });
      }
    });
    if (body.length < perPage) return;
  }
}

const isWithin = (group: string, path: string) => path.toLowerCase().startsWith(`${group.toLowerCase()}/`);

function childRow(parent: EntityRow, { entity_type, fullPath, slug }: Child) {
  const now = Date.now();
  return {
    bulk_import_id: parent.bulk_import_id,
    user_id: parent.user_id,
    parent_id: parent.id,
    entity_type,
    source_full_path: fullPath,
    destination_namespace: destinationOf(parent),
    destination_slug: slug,
    migrate_projects: parent.migrate_projects,
    migrate_memberships: parent.migrate_memberships,
    status: 'created' as const,
    created_at: now,
    updated_at: now,
  };
}
