import { pathProblem } from '../../platform/git/trees/path.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

/** A validated change of one file of a snippet. */
export type FileEdit =
  | { readonly action: 'create'; readonly path: string; readonly content: string }
  | { readonly action: 'update'; readonly path: string; readonly content: string }
  | { readonly action: 'delete'; readonly path: string }
  | { readonly action: 'move'; readonly from: string; readonly path: string; readonly content: string | undefined };

/** A file action as sent by the caller. */
export interface WrittenAction {
  readonly action: 'create' | 'update' | 'delete' | 'move';
  readonly file_path?: string;
  readonly previous_path?: string;
  readonly content?: string;
}

export const maxFiles = 10;
const maxDescriptionLength = 1_048_576;

/** A validation error of snippets in GitLab's format. */
export function snippetError(text: string, status: 400 | 403 | 422 = 400): HttpError {
  return new HttpError(status, { message: { error: text } });
}

export function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw snippetError("Title can't be blank", 422);
  const long = lengthProblem(title, 255);
  if (long !== undefined) throw snippetError(`Title ${long}`, 422);
  return title;
}

export function checkDescription(text: string | undefined): string | undefined {
  if (text !== undefined && Buffer.byteLength(text) > maxDescriptionLength) {
    throw snippetError(`Description is too long (maximum is ${maxDescriptionLength} characters)`, 422);
  }
  return text;
}

/** The maximum file size is an instance setting. */
export const tooLarge = (limit: number) => `is too long. The maximum size is ${limit} Bytes.`;

export function checkSizes(edits: readonly FileEdit[], limit: number): void {
  const sizes = edits.map((edit) => ('content' in edit ? Buffer.byteLength(edit.content ?? '') : 0));
  if (sizes.some((size) => size > limit)) throw snippetError(`Content ${tooLarge(limit)}`, 422);
}

function checkPath(path: string): string {
  const problem = pathProblem(path);
  if (problem !== null) throw snippetError(`Repository Error committing the file: invalid path: '${path}'`);
  return path;
}

/** Returns the first free name of the form `snippetfile1.txt`, for files without a name. */
export function nameFor(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = `snippetfile${number}.txt`;
    if (!taken.has(name)) return name;
  }
}

const invalid = () => snippetError('Snippet actions have invalid data', 422);

function readAction(written: WrittenAction, taken: ReadonlySet<string>): FileEdit {
  const { action, previous_path: from, content } = written;
  const given = written.file_path?.trim() ?? '';
  if (action === 'create') {
    if (content === undefined || content === '') throw invalid();
    return { action, path: given === '' ? nameFor(taken) : checkPath(given), content };
  }
  if (given === '') throw invalid();
  const path = checkPath(given);
  if (action === 'delete') return { action, path };
  if (action === 'update') {
    if (content === undefined || content === '' || (from !== undefined && from !== '' && from !== given))
      throw invalid();
    return { action, path, content };
  }
  if (from === undefined || from === '' || from === given) throw invalid();
  return { action, from: checkPath(from), path, content };
}

/** Validates file actions against the current files of a snippet. */
export function readActions(actions: readonly WrittenAction[], present: readonly string[]): FileEdit[] {
  const taken = new Set(present);
  return actions.map((written) => {
    const edit = readAction(written, taken);
    taken.add(edit.path);
    return edit;
  });
}

/** The edits that rename or update the only file of a snippet. */
export function editsOfSingle(
  present: readonly string[],
  { file_name, content }: { readonly file_name?: string; readonly content?: string },
): FileEdit[] {
  const [only] = present;
  const name = file_name?.trim() ?? '';
  if (only === undefined) {
    return content === undefined ? [] : readActions([{ action: 'create', file_path: name, content }], present);
  }
  if (name !== '' && name !== only) {
    const move = { action: 'move' as const, previous_path: only, file_path: name };
    return readActions([content === undefined ? move : { ...move, content }], present);
  }
  return content === undefined ? [] : readActions([{ action: 'update', file_path: only, content }], present);
}
