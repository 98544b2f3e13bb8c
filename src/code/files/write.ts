import { type Actor, isSignedIn } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { BadRequest, Forbidden } from '../../platform/http/errors.ts';
import {
  type Committing,
  commitFiles,
  contentField,
  encodingField,
  type Fields,
  type FileAction,
  type FileCommit,
  mayPush,
  modeField,
  noPushText,
  readAuthor,
  requiredField,
  requirePush,
  textField,
} from '../commits/public.ts';

const staleUpdate = 'You are attempting to update a file that has changed since you started editing it.';
const staleDeletion = 'You are attempting to delete a file that has been previously updated.';
const unchanged = 'A file with this content is already there';

/** What a write of a file answers. */
export interface WrittenFile {
  readonly file_path: string;
  readonly branch: string;
}

/** Reads and checks the body of a request that writes a file; the first thing wrong is said. */
export function readFileWrite(fields: Fields, kind: 'create' | 'update', path: string): FileCommit {
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

/** Creates or updates a file by a commit. */
export async function writeFile(
  services: Services,
  committing: Committing,
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

/** Deletes a file by a commit: for those who may push to the project, or at least to the branch. */
export async function deleteFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  wanted: FileDeletion,
): Promise<void> {
  if (!isSignedIn(caller)) throw new Forbidden();
  const committing = { caller, subject };
  if (!(await mayPush(services, committing, wanted.branch))) {
    throw subject.can('push_code') ? BadRequest.plain(noPushText) : new Forbidden();
  }
  const { file_path: path, last_commit_id: lastCommitId } = wanted;
  await commitFiles(services, committing, {
    branch: wanted.branch,
    message: wanted.commit_message,
    actions: [{ action: 'delete', path, lastCommitId }],
    startBranch: wanted.start_branch || undefined,
    authorName: wanted.author_name || undefined,
    authorEmail: wanted.author_email || undefined,
    staleText: () => staleDeletion,
  });
}
