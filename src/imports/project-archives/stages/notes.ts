import { keepAround, resolveCommit } from '../../../code/repository/public.ts';
import { insertAward } from '../../../planning/award-emoji/public.ts';
import { ensureCommitId } from '../../../planning/commit-notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { addImportedNote, type Commented } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { allOf, enumOf, type Fields, flagOf, listOf, numberOf, shaOf, textOf, timeOf, timeOrNull } from '../fields.ts';
import { type ArchiveContext, contextOf } from './context.ts';
import { importerOf } from './places.ts';
import { lineOf, positionOf } from './positions.ts';

interface Award {
  readonly name: string;
  readonly userId: number;
  readonly at: number;
}

export async function awardsOf({ person }: ArchiveContext, thing: Fields): Promise<Award[]> {
  const awards: Award[] = [];
  for (const { name, user_id, created_at } of listOf(thing.award_emoji)) {
    const emoji = textOf(name);
    if (emoji === null || !/^[\w+-]{1,100}$/.test(emoji)) continue;
    awards.push({ name: emoji, userId: await person(user_id), at: timeOf(created_at) });
  }
  return awards;
}

export async function addAwards(
  { run }: ArchiveContext,
  trx: Writer,
  awards: readonly Award[],
  { type, id }: { readonly type: string; readonly id: number },
): Promise<void> {
  for (const { name, userId, at } of awards) {
    await insertAward(trx, {
      name,
      user_id: userId,
      awardable_type: type,
      awardable_id: id,
      project_id: run.project.id,
      namespace_id: null,
      created_at: at,
      updated_at: at,
    });
  }
}

/** Imports the notes on a record, with reactions to them. */
export async function importNotes(
  context: ArchiveContext,
  notes: unknown,
  target: Commented,
  named: string,
): Promise<void> {
  for (const [at, note] of allOf(notes).entries()) {
    await importNote(context, note, target, `${named} ${textOf(note.id) ?? numberOf(note.id) ?? `at ${at}`}`);
  }
}

/** The type of a note and its place in a diff. A note whose place is unknown is not on a line. */
function placeOf({ type: sent, position, original_position, line_code }: Fields) {
  const type = enumOf(sent, ['DiscussionNote', 'DiffNote', 'LegacyDiffNote']);
  if (type === undefined || type === 'DiscussionNote') return type ? { type } : {};
  const place = position ?? original_position;
  const found = type === 'DiffNote' ? positionOf(place) : lineOf(place);
  if (found !== undefined) return { type, position: found, lineCode: textOf(line_code)?.slice(0, 255) ?? '' };
  return type === 'DiffNote' ? { type: 'DiscussionNote' as const } : {};
}

async function importNote(context: ArchiveContext, note: Fields, target: Commented, named: string): Promise<void> {
  const { run, person, personOrNull, text } = context;
  const authorId = await person(note.author_id);
  const resolvedAt = timeOrNull(note.resolved_at);
  const resolvedBy = await personOrNull(note.resolved_by_id);
  const awards = await awardsOf(context, note);
  const discussionId = textOf(note.discussion_id);
  const commitId = shaOf(note.commit_id);
  await run.once('note', named, async (trx) => {
    const added = await addImportedNote(run, trx, target, {
      authorId,
      body: text(note.note),
      createdAt: timeOf(note.created_at),
      updatedAt: timeOf(note.updated_at ?? note.created_at),
      system: flagOf(note.system),
      internal: flagOf(note.internal) || flagOf(note.confidential),
      ...(resolvedAt === null ? {} : { resolved: { at: resolvedAt, byId: resolvedBy } }),
      ...(discussionId === null ? {} : { discussionId: context.threadOf(discussionId) }),
      ...(commitId === null ? {} : { commitId }),
      ...placeOf(note),
    });
    await addAwards(context, trx, awards, { type: 'Note', id: added.id });
    return added.id;
  });
}

/** Imports comments on commits of the repository. */
export async function importCommitNotes(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  const { services, project } = run;
  const { subject } = await importerOf(run);
  await context.every('commit_notes', async (note, line) => {
    const sha = shaOf(note.commit_id);
    if (sha === null || !(await resolveCommit(services, subject, sha))) {
      return run.fail('commit_note', `line ${line}`, new Error('its commit does not exist'));
    }
    await keepAround(services, subject, sha);
    const id = await services.db.write((trx) => ensureCommitId(trx, project.id, sha));
    await importNotes(context, [note], { type: 'Commit', id }, `commit ${sha}`);
  });
}
