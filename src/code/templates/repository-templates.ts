import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { repositoryOf, resolveCommit } from '../repository/public.ts';

/** The folder and file extension of a kind of template. */
export interface Folder {
  readonly path: string;
  readonly ending: string;
}

export const descriptionFolders = {
  issues: { path: '.gitlab/issue_templates', ending: '.md' },
  merge_requests: { path: '.gitlab/merge_request_templates', ending: '.md' },
} as const satisfies Record<string, Folder>;

const maxTemplates = 1000;
const maxBytes = 1_048_576;

/** Returns a folder of the default branch; undefined if it does not exist or the caller cannot read code. */
async function folderOf(services: Services, subject: ProjectSubject, path: string) {
  if (!subject.can('read_code')) return undefined;
  const commit = await resolveCommit(services, subject, undefined);
  if (!commit) return undefined;
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(commit.tree, path);
  if (!entry || entryType(entry) !== 'tree') return undefined;
  return { objects, folder: entry.oid };
}

/** Lists the templates in a folder. */
export async function templatesIn(
  services: Services,
  subject: ProjectSubject,
  { path, ending }: Folder,
): Promise<string[]> {
  const found = await folderOf(services, subject, path);
  const tree = found && (await found.objects.tree(found.folder));
  if (!tree) return [];
  const names: string[] = [];
  for (const entry of tree.entries) {
    if (entryType(entry) === 'blob' && entry.name.toLowerCase().endsWith(ending))
      names.push(entry.name.slice(0, -ending.length));
    if (names.length === maxTemplates) break;
  }
  return names.sort();
}

export async function templateIn(
  services: Services,
  subject: ProjectSubject,
  { path, ending }: Folder,
  name: string,
): Promise<string | undefined> {
  if (name.includes('/')) return undefined;
  const found = await folderOf(services, subject, path);
  const entry = found && (await found.objects.entryAt(found.folder, `${name}${ending}`));
  if (!entry || entryType(entry) !== 'blob') return undefined;
  const content = await found?.objects.blob(entry.oid, maxBytes);
  return content?.toString('utf8');
}
