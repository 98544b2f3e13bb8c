import type { Actor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { defaultBranch, repositoryOf } from '../../code/repository/public.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import * as store from './badge-store.ts';
import { addressProblem, type BadgeFacts, fillPlaceholders } from './placeholders.ts';
import type { BadgeChange, BadgeEntity, NewBadge, RenderedBadgeEntity } from './schema.ts';
import type { BadgeRow } from './tables.ts';

/** Maximum number of own badges of a project or group: every page of it shows them all. */
const maxBadges = 100;

/** Values of the placeholders. A group uses its oldest project, if the caller can read it. */
async function factsOf(services: Services, caller: Actor, owner: ProjectOrGroup): Promise<Partial<BadgeFacts>> {
  const gitlab_server = new URL(services.externalUrl).host;
  const subject = isProject(owner) ? owner : await projectFor(services, caller, owner.group.id);
  if (!subject?.can('read_project')) return { gitlab_server };
  const { project, namespace, fullPath } = subject;
  const facts = {
    gitlab_server,
    project_path: fullPath,
    project_title: project.name,
    project_name: project.path,
    project_id: `${project.id}`,
    project_namespace: namespace.full_path,
    group_name: namespace.full_path.split('/').at(-1) ?? '',
  };
  if (!subject.can('read_code')) return facts;
  const branch = defaultBranch(subject);
  const commit = await services.git.readRef(repositoryOf(services, subject), `refs/heads/${branch}`);
  return { ...facts, default_branch: branch, ...(commit === null ? {} : { commit_sha: commit }) };
}

async function projectFor({ db }: Services, caller: Actor, groupId: number): Promise<ProjectSubject | undefined> {
  const id = await store.firstProjectOf(db.read, groupId);
  const found = id === undefined ? undefined : await lookUpProject(db.read, `${id}`);
  return found && projectSubject(db.read, caller, found.project);
}

function rendered(
  { link_url, image_url }: Pick<BadgeRow, 'link_url' | 'image_url'>,
  facts: Partial<BadgeFacts>,
): RenderedBadgeEntity {
  return {
    link_url,
    image_url,
    rendered_link_url: fillPlaceholders(link_url, facts),
    rendered_image_url: fillPlaceholders(image_url, facts),
  };
}

function present(row: BadgeRow, facts: Partial<BadgeFacts>): BadgeEntity {
  const kind = row.project_id === null ? 'group' : 'project';
  return { name: row.name, id: row.id, ...rendered(row, facts), kind };
}

/** Lists the badges of a project or group, including those of ancestor groups. */
export async function listBadges(
  services: Services,
  caller: Actor,
  owner: ProjectOrGroup,
  name: string | undefined,
  page: PageRequest,
): Promise<Page<BadgeEntity>> {
  const { rows, total } = await store.listBadges(services.db.read, owner, name, page);
  const facts = rows.length === 0 ? {} : await factsOf(services, caller, owner);
  return new Page(rows, total).map((row) => present(row, facts));
}

async function requireBadge({ db }: Services, owner: ProjectOrGroup, id: number): Promise<BadgeRow> {
  const row = await store.findBadge(db.read, owner, id);
  if (!row) throw new NotFound('Badge');
  return row;
}

export async function getBadge(
  services: Services,
  caller: Actor,
  owner: ProjectOrGroup,
  id: number,
): Promise<BadgeEntity> {
  return present(await requireBadge(services, owner, id), await factsOf(services, caller, owner));
}

function validate({ link_url, image_url, name }: BadgeChange): void {
  const problems: Record<string, string[]> = {};
  for (const [field, address] of Object.entries({ link_url, image_url })) {
    const problem = address === undefined ? undefined : addressProblem(address);
    if (problem !== undefined) problems[field] = [problem];
  }
  const long = name === undefined ? undefined : lengthProblem(name, 255);
  if (long !== undefined) problems.name = [long];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Renders the URLs of a badge without saving it. */
export async function previewBadge(
  services: Services,
  caller: Actor,
  owner: ProjectOrGroup,
  badge: Pick<NewBadge, 'link_url' | 'image_url'>,
): Promise<RenderedBadgeEntity> {
  validate(badge);
  return rendered(badge, await factsOf(services, caller, owner));
}

export async function createBadge(
  services: Services,
  caller: Actor,
  owner: ProjectOrGroup,
  { link_url, image_url, name }: NewBadge,
): Promise<BadgeEntity> {
  validate({ link_url, image_url, name });
  const row = await services.db.write(async (trx) => {
    if ((await store.countBadges(trx, owner)) >= maxBadges)
      throw new Invalid({ base: [`Maximum number of badges (${maxBadges}) exceeded`] });
    return store.insertBadge(trx, owner, { link_url, image_url, name: name ?? null });
  });
  return present(row, await factsOf(services, caller, owner));
}

/** Returns a badge owned by this project or group. Inherited badges can only be changed in their own group. */
async function ownBadge(services: Services, owner: ProjectOrGroup, id: number): Promise<BadgeRow> {
  const row = await requireBadge(services, owner, id);
  const own = isProject(owner) ? row.project_id === owner.project.id : row.namespace_id === owner.group.id;
  if (own) return row;
  throw isProject(owner)
    ? new Forbidden('To delete a Group badge please use the Group endpoint')
    : new NotFound('Badge');
}

export async function updateBadge(
  services: Services,
  caller: Actor,
  owner: ProjectOrGroup,
  id: number,
  change: BadgeChange,
): Promise<BadgeEntity> {
  const { id: badgeId } = await ownBadge(services, owner, id);
  validate(change);
  const fields = Object.entries({ link_url: change.link_url, image_url: change.image_url, name: change.name });
  const columns = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  const row = await services.db.write((trx) => store.updateBadge(trx, badgeId, columns));
  return present(row, await factsOf(services, caller, owner));
}

export async function deleteBadge(services: Services, owner: ProjectOrGroup, id: number): Promise<void> {
  const { id: badgeId } = await ownBadge(services, owner, id);
  await services.db.write((trx) => store.deleteBadge(trx, badgeId));
}
