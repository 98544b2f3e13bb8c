import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { type Folder, templateIn, templatesIn } from './repository-templates.ts';

/** Folder of each kind of template in the template project of a group or the instance. */
const folders = {
  dockerfiles: { path: 'Dockerfile', ending: '.dockerfile' },
  gitignores: { path: 'gitignore', ending: '.gitignore' },
  gitlab_ci_ymls: { path: 'gitlab-ci', ending: '.yml' },
  licenses: { path: 'LICENSE', ending: '.txt' },
} as const satisfies Record<string, Folder>;
export type CustomKind = keyof typeof folders;

/** Returns the template projects for a project: nearest group first, the instance's last. */
async function sources(services: Services, actor: Actor, { project }: ProjectSubject): Promise<ProjectSubject[]> {
  const { read } = services.db;
  const ancestors = await settingsWithAncestors(read, project.namespace_id);
  const { file_template_project_id: instanceProjectId } = await services.settings.read();
  const ids = [...ancestors.map(({ settings }) => settings.file_template_project_id), instanceProjectId];
  const found: ProjectSubject[] = [];
  for (const id of new Set(ids)) {
    const source = typeof id === 'number' ? await lookUpProject(read, `${id}`) : undefined;
    if (source) found.push(await projectSubject(read, actor, source.project));
  }
  return found;
}

/** Lists the custom templates of the ancestor groups and the instance, as far as the caller can read them. */
export async function customTemplates(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  kind: CustomKind,
): Promise<string[]> {
  const names = new Set<string>();
  for (const source of await sources(services, actor, subject)) {
    for (const name of await templatesIn(services, source, folders[kind])) names.add(name);
  }
  return [...names];
}

export async function customTemplate(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  { type, key, source: only }: { readonly type: CustomKind; readonly key: string; readonly source?: number },
): Promise<string | undefined> {
  for (const source of await sources(services, actor, subject)) {
    if (only !== undefined && source.project.id !== only) continue;
    const content = await templateIn(services, source, folders[type], key);
    if (content !== undefined) return content;
  }
  return undefined;
}
