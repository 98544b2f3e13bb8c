import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { repositoryOf, requireCommit } from '../repository/public.ts';
import type { CommitSignatureEntity } from '../signatures/schema.ts';
import { judgeSignature, readSigned } from '../signatures/service.ts';

/** How a commit is signed, and how far that can be trusted now; 404 when it is not. */
export async function signatureOfCommit(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<CommitSignatureEntity> {
  const { oid, committer } = await requireCommit(services, subject, sha);
  const signed = await readSigned(services.git.objects(repositoryOf(services, subject)), 'commit', oid);
  if (!signed) throw new NotFound('Signature');
  return { ...(await judgeSignature(services, oid, signed, committer)), commit_source: 'gitaly' };
}
