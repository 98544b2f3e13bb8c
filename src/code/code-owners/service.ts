import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { repositoryOf, requireCommit } from '../repository/public.ts';
import { codeOwnersAt } from './file.ts';
import { matchingSectionEntry } from './match.ts';
import type { FileOwnersEntity } from './schema.ts';

/** Returns the owners of a path as written in the CODEOWNERS file of a commit, one item per section. */
export async function ownersOfFile(
  services: Services,
  subject: ProjectSubject,
  { file_path: path, ref }: { readonly file_path: string; readonly ref?: string },
): Promise<FileOwnersEntity[]> {
  const commit = await requireCommit(services, subject, ref);
  const found = await codeOwnersAt(services.git.objects(repositoryOf(services, subject)), commit.oid);
  return (found?.sections ?? []).flatMap((section) => {
    const line = matchingSectionEntry(section, path);
    if (!line) return [];
    const { names, emails, levels } = line.owners;
    return {
      section: section.name,
      pattern: line.pattern,
      optional: section.optional,
      approvals_required: section.optional ? 0 : section.approvals,
      users_and_groups: [...names],
      emails: [...emails],
      roles: [...levels],
    };
  });
}
