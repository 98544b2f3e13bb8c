import type { Services } from '../../access/services.ts';
import { requireCommit, type SignedInProjectCall } from '../../code/repository/public.ts';
import { createTag } from '../../code/tags/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import type { NewNoteParams, Noteable } from '../notes/public.ts';
import { notes } from '../notes/public.ts';
import { ensureNoteableCommit } from './noteable.ts';
import { readTagCommand, type TagCommand, tagSummary } from './tag-command.ts';

/** Response to a comment that consisted of a quick action only. */
export interface CommandOutcome {
  readonly commands_changes: Record<string, unknown>;
  readonly summary: string[];
}

/** The comment that remains after its quick action was executed, or the outcome if nothing remains. */
export type CommitComment =
  | { readonly noteable: Noteable; readonly commit: Commit; readonly params: NewNoteParams }
  | { readonly outcome: CommandOutcome };

/** Executes the quick action of a comment on a commit and returns the remaining comment. */
export async function readComment(
  services: Services,
  call: SignedInProjectCall,
  sha: string,
  params: NewNoteParams,
): Promise<CommitComment> {
  const { caller, subject } = call;
  const commit = await requireCommit(services, subject, sha);
  if (!subject.can('create_note')) throw new Forbidden();
  const { text, command } = readTagCommand(notes.checkBody(params.body));
  const outcome = command && (await tagCommit(services, call, commit, command));
  if (outcome && text === '') return { outcome };
  return {
    noteable: await ensureNoteableCommit(services, caller, subject, commit),
    commit,
    params: { ...params, body: text },
  };
}

async function tagCommit(
  services: Services,
  { caller, subject }: SignedInProjectCall,
  commit: Commit,
  command: TagCommand,
): Promise<CommandOutcome> {
  if (!subject.can('push_code')) return { commands_changes: {}, summary: ['Could not apply tag command.'] };
  const { name, message } = command;
  await createTag(services, caller, subject, { tag_name: name, ref: commit.oid, message }).catch((error: unknown) => {
    throw error instanceof HttpError ? notes.noteValidationError({ validation: [problemText(error)] }) : error;
  });
  const changes = { tag_name: name, ...(message === undefined ? {} : { tag_message: message }) };
  return { commands_changes: changes, summary: [tagSummary(command)] };
}

function problemText({ body, message }: HttpError): string {
  if (typeof body !== 'object' || body === null || !('message' in body)) return message;
  return typeof body.message === 'string' ? body.message : message;
}
