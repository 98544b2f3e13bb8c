import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { repositoryOf, resolveCommit } from '../repository/public.ts';

const folders = { issues: '.gitlab/issue_templates', merge_requests: '.gitlab/merge_request_templates' } as const;
type Kind = keyof typeof folders;

const ending = '.md';
const mostTemplates = 1000;
const mostBytes = 1_048_576;

/** The folder of a kind on the default branch; undefined where there is none, or the caller may not read code. */
async function folderOf(services: Services, subject: ProjectSubject, kind: Kind) {
  if (!subject.can('read_code')) return undefined;
  const commit = await resolveCommit(services, subject, undefined);
  if (!commit) return undefined;
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(commit.tree, folders[kind]);
  if (!entry || entryType(entry) !== 'tree') return undefined;
  return { objects, folder: entry.oid };
}

/** What the descriptions of issues or merge requests may begin with, by name. */
export async function descriptionTemplates(services: Services, subject: ProjectSubject, kind: Kind): Promise<string[]> {
  const found = await folderOf(services, subject, kind);
  const tree = found && (await found.objects.tree(found.folder));
  if (!tree) return [];
  const names: string[] = [];
  for (const entry of tree.entries) {
    if (entryType(entry) === 'blob' && entry.name.toLowerCase().endsWith(ending))
      names.push(entry.name.slice(0, -ending.length));
    if (names.length === mostTemplates) break;
  }
  return names.sort();
}

export async function descriptionTemplate(
  services: Services,
  subject: ProjectSubject,
  kind: Kind,
  name: string,
): Promise<string | undefined> {
  if (name.includes('/')) return undefined;
  const found = await folderOf(services, subject, kind);
  const entry = found && (await found.objects.entryAt(found.folder, `${name}${ending}`));
  if (!entry || entryType(entry) !== 'blob') return undefined;
  const content = await found?.objects.blob(entry.oid, mostBytes);
  return content?.toString('utf8');
}
