import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import { commitFiles, mayPush } from '../../../code/commits/public.ts';
import { committerOf } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { NoteRow } from '../../../planning/notes/public.ts';
import { BadRequest, Forbidden, HttpError } from '../../../platform/http/errors.ts';
import { moveDiffNotes } from '../discussions/move.ts';
import { sourceOf } from '../source.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipsOf } from '../versions/collect.ts';
import { refreshRequest } from '../versions/refresh.ts';
import { suggestionMessage } from './message.ts';
import { present, type SuggestionState, suggestionState, textAt } from './note-suggestions.ts';
import { overlap, replaceLines } from './replace.ts';
import type { SuggestionEntity } from './schema.ts';
import { recordCommit, suggestionsWithNotes } from './store.ts';
import type { SuggestionRow } from './tables.ts';

const refused = BadRequest.plain;
const maxAtOnce = 500;

const missing = (many: boolean) =>
  new HttpError(404, {
    message: many
      ? 'Suggestions are not applicable as one or more suggestions were not found.'
      : 'Suggestion is not applicable as the suggestion was not found.',
  });

interface Found {
  readonly suggestion: SuggestionRow;
  readonly note: NoteRow;
}

/** A suggestion that is ready to be applied. */
interface Ready extends Found, SuggestionState {}

/** The merge request of the suggestions, which must all be in the same one that the caller may read. */
async function requestOfSuggestions(services: Services, caller: SignedInActor, found: readonly Found[], many: boolean) {
  const { read } = services.db;
  const [id, ...others] = new Set(found.map(({ note }) => note.noteable_id));
  const request = id == null ? undefined : await requestById(read, id);
  const project = request && (await findProject(read, request.project_id));
  const subject = project && (await projectSubject(read, caller, project));
  const hidden = found.some(({ note }) => note.internal === 1) && !subject?.can('read_internal_note');
  if (!request || !subject?.can('read_merge_request') || hidden) throw missing(many);
  if (others.length > 0) throw refused('Suggestions must all be on the same branch.');
  return { request, subject, source: await sourceOf(services, caller, request) };
}

/** Reason for which the merge request does not accept suggestions; undefined if it does. */
function closedText({ state }: MergeRequestRow): string | undefined {
  if (state === 'opened') return undefined;
  const how = state === 'closed' ? 'is closed' : 'was merged';
  return `This merge request ${how}. To apply this suggestion, edit this file directly.`;
}

/** Reason for which a suggestion cannot be applied; undefined if it can. */
export function refusalOf(
  { suggestion }: Pick<Found, 'suggestion'>,
  { from, to, written, current, outdated }: SuggestionState,
): string | undefined {
  if (suggestion.commit_id !== null) return "Can't apply this suggestion.";
  if (current === undefined || written === undefined) return 'A file was not found.';
  if (outdated) {
    const what = from === to ? 'this line was' : 'these lines were';
    return `Can't apply as ${what} changed in a more recent version.`;
  }
  return current === suggestion.to_content ? 'This suggestion already matches its content.' : undefined;
}

/** Applies suggestions in one commit on the source branch. */
export async function applySuggestions(
  services: Services,
  caller: SignedInActor,
  ids: readonly number[],
  { message, many }: { readonly message: string | undefined; readonly many: boolean },
): Promise<SuggestionEntity[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length > maxAtOnce) throw refused(`No more than ${maxAtOnce} suggestions can be applied at once.`);
  const found = await suggestionsWithNotes(services.db.read, wanted);
  if (wanted.length === 0 || found.length < wanted.length) throw missing(many);
  const { request: seen, subject, source } = await requestOfSuggestions(services, caller, found, many);
  const closed = closedText(seen);
  if (closed !== undefined) throw refused(closed);
  const tips = await tipsOf(services, seen);
  if (!source || tips.source === null) throw refused("Can't apply as the source branch was deleted.");
  if (!(await mayPush(services, { caller, subject: source }, seen.source_branch))) throw new Forbidden();
  await refreshRequest(services, seen.id);
  await moveDiffNotes(services, seen.id);
  const request = await requestById(services.db.read, seen.id);
  if (request?.head_sha !== tips.source) throw refused('A file has been changed.');
  const ready = await prepared(services, request, wanted);
  await commitReplacements(services, { caller, source, subject }, request, ready, message);
  const applied = await suggestionsWithNotes(services.db.read, wanted);
  return applied.map(({ suggestion }) => {
    const standing = ready.find((each) => each.suggestion.id === suggestion.id);
    return present(request, suggestion, standing ?? { ...nowhere });
  });
}

const nowhere: SuggestionState = { from: 1, to: 1, path: '', written: undefined, current: undefined, outdated: true };

async function prepared(services: Services, request: MergeRequestRow, ids: readonly number[]): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const found of await suggestionsWithNotes(services.db.read, ids)) {
    const standing = await suggestionState(services, request, found.suggestion, found.note);
    const refusal = refusalOf(found, standing);
    if (refusal !== undefined) throw refused(refusal);
    ready.push({ ...found, ...standing });
  }
  for (const ofFile of Map.groupBy(ready, ({ path }) => path).values()) {
    if (overlap(ofFile.map(asReplacement))) {
      throw refused('Suggestions are not applicable as their lines cannot overlap.');
    }
  }
  return ready;
}

const asReplacement = ({ from, to, suggestion }: Ready) => ({ from, to, content: suggestion.to_content });

async function commitReplacements(
  services: Services,
  { caller, source, subject }: { caller: SignedInActor; source: ProjectSubject; subject: ProjectSubject },
  request: MergeRequestRow,
  ready: readonly Ready[],
  message: string | undefined,
): Promise<void> {
  const files = Map.groupBy(ready, ({ path }) => path);
  const head = request.head_sha ?? '';
  const actions = await Promise.all(
    [...files].map(async ([path, ofFile]) => {
      const text = await textAt(services, request.project_id, head, path);
      if (text === undefined) throw refused('A file was not found.');
      const content = replaceLines(text, ofFile.map(asReplacement));
      const sent = { text: content, encoding: 'text', leniency: 'strict' } as const;
      return { action: 'update', path, content: sent, lastCommitId: head } as const;
    }),
  );
  const authors = new Set(ready.map(({ note }) => note.author_id).filter((id) => id !== caller.user.id));
  const users = await Promise.all([...authors].map((id) => findUser(services.db.read, id)));
  const template = settingsOf(subject.project).suggestion_commit_message;
  await commitFiles(
    services,
    { caller, subject: source },
    {
      branch: request.source_branch,
      message: suggestionMessage(message || (typeof template === 'string' && template !== '' ? template : null), {
        branch: request.source_branch,
        paths: [...files.keys()],
        count: ready.length,
        projectName: subject.project.name,
        projectPath: subject.fullPath,
        user: caller.user,
        coAuthors: users.flatMap((user) => {
          const signature = user && committerOf(services, user);
          return signature ? [`${signature.name} <${signature.email}>`] : [];
        }),
      }),
      actions,
      staleText: () => 'A file has been changed.',
      // The push marks them as applied: see settle.ts.
      recordedWith: (trx, sha) =>
        recordCommit(
          trx,
          sha,
          ready.map(({ suggestion }) => suggestion.id),
        ),
    },
  );
}
