import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { Role, Visibility, visibilityNames } from '../../../access/roles.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findTagRule, protectBranch, protectTag, unprotectBranch } from '../../../code/protected-refs/public.ts';
import {
  findRelease,
  insertRelease,
  insertReleaseLink,
  replaceReleaseMilestones,
} from '../../../code/releases/public.ts';
import { changeProject, findProject } from '../../../namespaces/projects/public.ts';
import { Conflict, HttpError } from '../../../platform/http/errors.ts';
import { ifMissing } from '../../../platform/missing.ts';
import { approvalSettingNames, updateApprovalSettings } from '../../../review/merge-requests/public.ts';
import { ImportEnded, type ImportRun } from '../../project-imports/public.ts';
import { type ArchiveOptions, openArchive } from '../archive.ts';
import { enumOf, type Fields, flagOf, listOf, shaOf, textOf, timeOf } from '../fields.ts';
import { maxLineBytes, readLines } from '../lines.ts';
import { readRelations } from '../relations.ts';
import { settingsIn } from '../settings.ts';
import { milestoneIdOf } from './boards.ts';
import { contextOf } from './context.ts';
import { attributesIn } from './repository.ts';

export async function importReleases(run: ImportRun): Promise<void> {
  const { every, personOrNull, text } = await contextOf(run);
  const { project } = run;
  await every('releases', async (release, line) => {
    const tag = textOf(release.tag);
    if (!tag || tag.length > 255) return run.fail('release', `line ${line}`, new Error('it has no tag'));
    const author_id = await personOrNull(release.author_id);
    const planned = [];
    for (const { milestone } of listOf(release.milestone_releases)) planned.push(await milestoneIdOf(run, milestone));
    const milestones = [...new Set(planned.filter((id) => id !== null))];
    await run.once('release', tag, async (trx) => {
      if (await findRelease(trx, project.id, tag)) return null;
      const row = await insertRelease(trx, {
        project_id: project.id,
        tag,
        name: textOf(release.name)?.slice(0, 255) || tag,
        description: text(release.description),
        sha: shaOf(release.sha),
        author_id,
        released_at: timeOf(release.released_at),
        created_at: timeOf(release.created_at),
        updated_at: timeOf(release.updated_at),
      });
      for (const link of listOf(release.links)) {
        const [name, url] = [textOf(link.name)?.slice(0, 255), textOf(link.url)];
        if (!name || !url || !/^(https?|ftp):\/\//i.test(url) || url.length > 2048) continue;
        await insertReleaseLink(trx, {
          release_id: row.id,
          name,
          url,
          filepath: textOf(link.filepath)?.slice(0, 128) ?? null,
          link_type: enumOf(link.link_type, ['other', 'runbook', 'image', 'package']) ?? 'other',
          created_at: row.created_at,
        });
      }
      await replaceReleaseMilestones(run.services, trx, row.id, milestones);
      return row.id;
    });
  });
}

export async function importerOf({ services, project, userId }: ImportRun) {
  const user = await findUser(services.db.read, userId);
  const current = await findProject(services.db.read, project.id);
  if (!user || !current) throw new ImportEnded('the requesting user no longer exists');
  const actor = actorOnBehalfOf(user);
  return { actor, subject: await projectSubject(services.db.read, actor, current) };
}

/** Minimum access level of a list of levels. */
function levelOf(list: unknown): number {
  const levels = listOf(list).flatMap(({ access_level: level }) => (typeof level === 'number' ? [level] : []));
  const roles: readonly number[] = [Role.none, Role.developer, Role.maintainer, Role.admin];
  const validLevels = levels.filter((level) => roles.includes(level) && level !== Role.none);
  if (validLevels.length > 0) return Math.min(...validLevels);
  return levels.includes(Role.none) ? Role.none : Role.maintainer;
}

export async function importProtectedRefs(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  const { subject, actor } = await importerOf(run);
  const { db } = run.services;
  await every('protected_branches', (rule) =>
    protectFrom(run, 'protected_branch', rule, async (name) => {
      const protecting = () =>
        protectBranch(db, subject, {
          name,
          push_access_level: levelOf(rule.push_access_levels),
          merge_access_level: levelOf(rule.merge_access_levels),
          unprotect_access_level: levelOf(rule.unprotect_access_levels) || Role.maintainer,
          allow_force_push: flagOf(rule.allow_force_push),
          code_owner_approval_required: flagOf(rule.code_owner_approval_required),
        });
      // The default branch is already protected by default; the imported protection replaces it.
      await protecting().catch(async (error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
        await unprotectBranch(db, actor, subject, name);
        await protecting();
      });
    }),
  );
  await every('protected_tags', (rule) =>
    protectFrom(run, 'protected_tag', rule, async (name) => {
      // An earlier attempt protected the tag and crashed before recording it.
      if (await findTagRule(db.read, run.project.id, name)) return;
      await protectTag(db, subject, { name, create_access_level: levelOf(rule.create_access_levels) });
    }),
  );
}

async function protectFrom(
  run: ImportRun,
  kind: string,
  rule: Fields,
  protect: (name: string) => Promise<unknown>,
): Promise<void> {
  const name = textOf(rule.name) ?? '';
  if ((await run.targetOf(kind, name)) !== undefined) return;
  try {
    await protect(name);
  } catch (error) {
    return run.fail(kind, name, error);
  }
  await run.once(kind, name, async () => null);
}

/** Imports description, visibility and settings, as far as permitted here. */
export async function importAttributes(run: ImportRun): Promise<void> {
  const folder = await openArchive(run);
  const attributes = await attributesIn(folder);
  const { visibility: chosen, ...overrides } = run.options<ArchiveOptions>().overrides;
  const { actor, subject } = await importerOf(run);
  const description = textOf(attributes.description);
  const topics = Array.isArray(attributes.topics) ? attributes.topics.filter((topic) => typeof topic === 'string') : [];
  const wanted = {
    ...settingsIn(attributes, await featuresIn(folder)),
    ...(description === null ? {} : { description }),
    topics: overrides.tag_list ?? topics,
    ...overrides,
  };
  const change = (some: Record<string, unknown>) => changeProject(run.services, actor, subject, some);
  const tryChange = async (some: Record<string, unknown>) => {
    try {
      await change(some);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      await run.fail('project', Object.keys(some).join(' ').slice(0, 200), error);
    }
  };
  // Retried individually, so that one rejected setting does not affect the others.
  await change(wanted).catch(async (error: unknown) => {
    if (!(error instanceof HttpError)) throw error;
    for (const [name, value] of Object.entries(wanted)) await tryChange({ [name]: value });
  });
  const approvals = approvalSettingNames.flatMap((name) =>
    typeof attributes[name] === 'boolean' ? [[name, attributes[name]]] : [],
  );
  if (approvals.length > 0) {
    await updateApprovalSettings(run.services, (await importerOf(run)).subject, Object.fromEntries(approvals));
  }
  const visibility = visibilityFor({ ...attributes, visibility: chosen ?? attributes.visibility }, subject);
  if (visibility !== 'private') await tryChange({ visibility });
  await recordUnsupported(run);
}

async function featuresIn(folder: string): Promise<Fields> {
  for await (const { fields } of readLines(join(folder, 'tree', 'project', 'project_feature.ndjson'), maxLineBytes)) {
    if (fields) return fields;
  }
  return {};
}

/** Records relations in the archive that are not supported. */
async function recordUnsupported(run: ImportRun): Promise<void> {
  const root = join(await openArchive(run), 'tree', 'project');
  for (const file of ((await readdir(root).catch(ifMissing)) ?? []).sort()) {
    const name = file.replace(/\.ndjson$/, '');
    const { size } = await stat(join(root, file));
    // GitLab writes `null` for empty relations.
    if (!readRelations.includes(name) && size > 5)
      await run.fail(name, file, new Error('the relation is not supported'));
  }
}

/** The original visibility, limited by that of the namespace. */
function visibilityFor(attributes: Fields, { namespace }: ProjectSubject) {
  const named = enumOf(attributes.visibility, visibilityNames);
  const level = attributes.visibility_level;
  const wanted = named === undefined ? (typeof level === 'number' ? level : 0) : Visibility[named];
  const most = Math.min(wanted, namespace.visibility);
  return visibilityNames.findLast((name) => Visibility[name] <= most) ?? 'private';
}
