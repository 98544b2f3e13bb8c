import type { Actor } from '../../access/actor.ts';
import { levelsInGroups } from '../../access/levels.ts';
import { Role, visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { memberGroups, memberProjects } from '../../access/visible.ts';
import { groupUrl } from '../../namespaces/groups/public.ts';
import { presentSubjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { Slice } from '../../platform/database/paging.ts';

/** The groups and projects that the presented token reaches through its user's roles. */
export async function listAssociations(services: Services, actor: Actor, least: number | undefined, slice: Slice) {
  const { id } = actor.user as User;
  const groups = await services.db.read
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where((eb) => memberGroups(eb, id, least ?? Role.minimal))
    .orderBy('namespaces.id')
    .limit(slice.perPage)
    .offset(slice.offset)
    .execute();
  const projects = await services.db.read
    .selectFrom('projects')
    .selectAll()
    .where((eb) => memberProjects(eb, id, least ?? Role.guest))
    .orderBy('projects.id')
    .limit(slice.perPage)
    .offset(slice.offset)
    .execute();
  const levels = await levelsInGroups(
    services.db.read,
    id,
    groups.map((group) => group.id),
  );
  const subjects = await subjectsOf(services.db.read, actor, projects);
  const entities = await presentSubjects(services, actor, subjects, { layer: 'basic' });
  return {
    groups: groups.map((group) => presentGroup(services, group, levels.get(group.id) ?? Role.none)),
    projects: entities.map((project, index) => ({
      ...project,
      access_levels: {
        project_access_level: subjects[index]?.levels.direct || null,
        group_access_level: subjects[index]?.levels.inherited || null,
      },
    })),
  };
}

function presentGroup({ externalUrl }: Services, group: Namespace, level: number) {
  return {
    id: group.id,
    web_url: groupUrl(externalUrl, group.full_path),
    name: group.name,
    parent_id: group.parent_id,
    organization_id: 1,
    access_levels: level,
    visibility: visibilityName(group.visibility),
  };
}
