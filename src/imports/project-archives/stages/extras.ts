import { findUser } from '../../../access/credentials/identify.ts';
import { Visibility } from '../../../access/roles.ts';
import { insertSnippet, makeSnippet } from '../../../planning/snippets/public.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { contentOf, type Fields, listOf, numberOf, textOf, timeOf } from '../fields.ts';
import { type ArchiveContext, contextOf } from './context.ts';
import { addAwards, awardsOf, importNotes } from './notes.ts';

export async function importSnippets(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  await context.every('snippets', (snippet, line) => importSnippet(context, snippet, line));
}

async function importSnippet(context: ArchiveContext, snippet: Fields, line: number): Promise<void> {
  const { run } = context;
  const named = numberOf(snippet.id) ?? `line ${line}`;
  const id = (await run.targetOf('snippet', named)) ?? (await addSnippet(context, snippet, named));
  if (id === undefined) return;
  const target = { type: 'Snippet', id } as const;
  await importNotes(context, snippet.notes, target, `snippet ${named}`);
  const awards = await awardsOf(context, snippet);
  if (awards.length === 0) return;
  await run.once('extras', `snippet ${named}`, async (trx) => {
    await addAwards(context, trx, awards, target);
    return null;
  });
}

/** Returns the ID of the snippet; undefined if it cannot be imported. */
async function addSnippet(
  { run, person, text }: ArchiveContext,
  snippet: Fields,
  named: string | number,
): Promise<number | undefined> {
  const { services, project } = run;
  const author = await findUser(services.db.read, await person(snippet.author_id));
  if (!author) {
    await run.fail('snippet', named, new Error('it has no author'));
    return undefined;
  }
  try {
    const made = await makeSnippet(services, author, {
      title: textOf(snippet.title)?.slice(0, 255) ?? '',
      description: text(snippet.description),
      visibility: visibilityOf(snippet.visibility_level),
      files: filesOf(snippet),
      created_at: timeOf(snippet.created_at),
      updated_at: timeOf(snippet.updated_at),
      imported_from: run.type,
    });
    await run.once('snippet', named, async (trx) => (await insertSnippet(trx, { ...made, project_id: project.id })).id);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    await run.fail('snippet', named, error);
  }
  return run.targetOf('snippet', named);
}

// The original visibility. Access is additionally limited by that of the project whenever it is read.
function visibilityOf(level: unknown): number {
  return level === Visibility.public || level === Visibility.internal ? level : Visibility.private;
}

/** All files of a snippet; archives of other servers contain a single file. */
function filesOf(snippet: Fields) {
  const files = listOf(snippet.files).map(({ file_path, content }) => ({
    file_path: textOf(file_path) ?? '',
    content: contentOf(content),
  }));
  if (files.length > 0) return files;
  return [{ file_path: textOf(snippet.file_name) || 'snippetfile1.txt', content: contentOf(snippet.content) }];
}
