import { type Actor, isSignedIn } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { BadRequest, Forbidden } from '../../platform/http/errors.ts';
import {
  type BodyFields,
  type CommitCall,
  commitFiles,
  contentField,
  encodingField,
  type FileAction,
  type FileCommit,
  mayPush,
  modeField,
  pushForbiddenMessage,
  readAuthor,
  requiredField,
  requirePush,
  textField,
} from '../commits/public.ts';

const staleUpdate = 'You are attempting to update a file that has changed since you started editing it.';
const staleDeletion = 'You are attempting to delete a file that has been previously updated.';
const unchanged = 'A file with this content is already there';

/** The response to a file write. */
export interface WrittenFile {
  readonly file_path: string;
  readonly branch: string;
}

/** Validates the body of a file write. Throws on the first error. */
export function readFileWrite(fields: BodyFields, kind: 'create' | 'update', path: string): FileCommit {
  const branch = requiredField(fields, 'branch');
  const message = requiredField(fields, 'commit_message');
  if (fields.content === undefined) throw new BadRequest('content is required');
  const encoding = encodingField(fields, 'encoding');
  const content = contentField(fields, 'content', encoding, 'lenient');
  const executable = modeField(fields);
  const lastCommitId = kind === 'update' ? textField(fields, 'last_commit_id') : undefined;
  const actions: FileAction[] = [{ action: kind, path, content, lastCommitId, lfs: true }];
  if (executable !== undefined) actions.push({ action: 'chmod', path, executable });
  return {
    branch,
    message,
    actions,
    startBranch: textField(fields, 'start_branch'),
    ...readAuthor(fields),
    staleText: () => staleUpdate,
    unchangedText: unchanged,
  };
}

/** Commits the creation or update of a file. */
export async function writeFile(
  services: Services,
  committing: CommitCall,
  commit: FileCommit,
  path: string,
): Promise<WrittenFile> {
  await requirePush(services, committing, commit.branch);
  await commitFiles(services, committing, commit);
  return { file_path: path, branch: commit.branch };
}

export interface FileDeletion {
  readonly file_path: string;
  readonly branch: string;
  readonly commit_message: string;
  readonly start_branch?: string;
  readonly author_name?: string;
  readonly author_email?: string;
  readonly last_commit_id?: string;
}

/** Commits the deletion of a file. The caller must be able to push to the project, or at least to the branch. */
export async function deleteFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  deletion: FileDeletion,
): Promise<void> {
  if (!isSignedIn(caller)) throw new Forbidden();
  const committing = { caller, subject };
  if (!(await mayPush(services, committing, deletion.branch))) {
    throw subject.can('push_code') ? BadRequest.plain(pushForbiddenMessage) : new Forbidden();
  }
  const { file_path: path, last_commit_id: lastCommitId } = deletion;
  await commitFiles(services, committing, {
    branch: deletion.branch,
    message: deletion.commit_message,
    actions: [{ action: 'delete', path, lastCommitId }],
    startBranch: deletion.start_branch || undefined,
    authorName: deletion.author_name || undefined,
    authorEmail: deletion.author_email || undefined,
    staleText: () => staleDeletion,
  });
}
