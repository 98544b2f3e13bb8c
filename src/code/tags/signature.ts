import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { parseTag } from '../../platform/git/objects/tag.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { repositoryOf } from '../repository/public.ts';
import type { TagSignatureEntity } from '../signatures/schema.ts';
import { judgeSignature, readSigned } from '../signatures/service.ts';
import { requireTag } from './read.ts';

/** How a tag is signed, and how far that can be trusted now; 404 when it is not. */
export async function signatureOfTag(
  services: Services,
  subject: ProjectSubject,
  name: string,
): Promise<TagSignatureEntity> {
  const { oid } = await requireTag(services, subject, name);
  const signed = await readSigned(services.git.objects(repositoryOf(services, subject)), 'tag', oid);
  if (!signed) throw new NotFound('Signature');
  // Tags of the earliest gits have no tagger.
  const { tagger } = parseTag(oid, signed.raw);
  return judgeSignature(services, oid, signed, tagger ?? { email: '', seconds: 0 });
}
