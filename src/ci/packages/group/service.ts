import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { presentPackages } from '../present.ts';
import { groupPackageList, packagesOfGroup } from './list.ts';
import type { GroupListingParams, GroupPackageEntity } from './schema.ts';

/** Lists the packages of a group and its subgroups that the caller can read. */
export async function listGroupPackages(
  services: Services,
  caller: Actor,
  { group }: GroupSubject,
  params: GroupListingParams,
  page: PageRequest,
): Promise<Page<GroupPackageEntity>> {
  const { id: _, exclude_subgroups, order_by: by, sort: direction, ...filters } = params;
  const { read } = services.db;
  const scope = packagesOfGroup(read, { group: group.id, alone: exclude_subgroups, ...viewerOf(caller) });
  const status = params.status ?? 'shown';
  const { rows, total } = await groupPackageList.page(read, scope, { ...filters, status }, { by, direction }, page);
  const projects = rows.length === 0 ? [] : await findProjects(read, [...new Set(rows.map((row) => row.project_id))]);
  const found = await subjectsOf(read, caller, projects);
  // IP restrictions of a subgroup may deny access to its projects.
  const readable = found.filter((subject) => subject.can('read_package'));
  const subjects = new Map(readable.map((subject) => [subject.project.id, subject]));
  const shown = await presentPackages(services, subjects, rows);
  const projectOf = new Map(rows.map((row) => [row.id, row.project_id]));
  return new Page(
    shown.map((one) => {
      const project_id = projectOf.get(one.id) ?? 0;
      return { ...one, project_id, project_path: subjects.get(project_id)?.fullPath ?? '' };
    }),
    total,
  );
}
