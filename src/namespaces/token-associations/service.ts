import type { SignedInActor } from '../../access/actor.ts';
import { Role, visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { levelsInGroups } from '../../access/visibility/levels.ts';
import { presentedToken } from '../../people/tokens/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { groupUrl } from '../groups/public.ts';
import { presentSubjects, subjectsOf } from '../projects/public.ts';
import { groupsOf, projectsOf } from './list.ts';

/** Lists the groups and projects accessible with the current token through the roles of its user. */
export async function listAssociations(
  services: Services,
  actor: SignedInActor,
  least: number | undefined,
  slice: Slice,
) {
  presentedToken(actor);
  const { id } = actor.user;
  const groups = await groupsOf(services.db.read, id, least ?? Role.minimal, slice);
  const projects = await projectsOf(services.db.read, id, least ?? Role.guest, slice);
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
