import { BadRequest } from '../../../platform/http/errors.ts';
import { isRecord } from '../../../platform/http/parameters/param-readers.ts';
import type { Content } from './content.ts';
import { contentField, encodingField, flagField, modeField, requiredField, textField } from './fields.ts';
import type { BodyFields } from './large-body.ts';

const kinds = ['create', 'update', 'move', 'delete', 'chmod'] as const;

/**
 * Maximum number of actions per commit. This is about ten seconds of work, split into short steps, and some hundred
 * megabytes.
 */
const maxActions = 20_000;

/** A change of one file. */
export interface FileAction {
  readonly action: (typeof kinds)[number] | 'submodule';
  readonly path: string;
  /** The new target commit of a submodule. */
  readonly pointsTo?: string;
  /** The previous path of a moved file. */
  readonly previousPath?: string;
  /** For a move, absent content leaves the file unchanged. */
  readonly content?: Content;
  readonly executable?: boolean;
  /** The last commit of the file known to the caller. */
  readonly lastCommitId?: string;
  /** Whether the content is stored in LFS if the attributes say so. */
  readonly lfs?: boolean;
}

/** The parsed body of a request to create a commit. */
export interface CommitInput {
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly FileAction[];
  readonly startBranch?: string;
  readonly startSha?: string;
  readonly startProject?: string;
  readonly authorName?: string;
  readonly authorEmail?: string;
  readonly force: boolean;
  readonly stats: boolean;
}

/** Validates the body of a commit request. Throws on the first error. */
export function readCommitInput(fields: BodyFields): CommitInput {
  const branch = requiredField(fields, 'branch');
  const message = requiredField(fields, 'commit_message');
  const actions = readActions(fields);
  const startBranch = textField(fields, 'start_branch');
  const startSha = textField(fields, 'start_sha');
  if (startBranch !== undefined && startSha !== undefined) {
    throw new BadRequest('start_branch, start_sha are mutually exclusive');
  }
  return {
    branch,
    message,
    actions: actions.map(readAction),
    startBranch,
    startSha,
    startProject: textField(fields, 'start_project'),
    ...readAuthor(fields),
    force: flagField(fields, 'force') ?? false,
    stats: flagField(fields, 'stats') ?? true,
  };
}

/** Reads the author fields of a request, if present. */
export function readAuthor(fields: BodyFields): Pick<CommitInput, 'authorName' | 'authorEmail'> {
  return { authorName: textField(fields, 'author_name'), authorEmail: textField(fields, 'author_email') };
}

function readActions(fields: BodyFields): readonly unknown[] {
  const { actions } = fields;
  // Form encoding may number the elements: `actions[0][action]`.
  const list =
    isRecord(actions) && Object.keys(actions).every((key) => /^\d+$/.test(key)) ? Object.values(actions) : actions;
  if (list === undefined || list === null || list === '' || (Array.isArray(list) && list.length === 0)) {
    if (!flagField(fields, 'allow_empty')) {
      throw new BadRequest('Provide at least one action, or set allow_empty to true');
    }
    return [];
  }
  if (!Array.isArray(list)) throw new BadRequest('actions must be an array');
  if (list.length > maxActions) throw new BadRequest(`actions is too long (maximum is ${maxActions} actions)`);
  return list;
}

function readAction(sent: unknown, index: number): FileAction {
  const at = (name: string) => `actions[${index}][${name}]`;
  const fields: BodyFields = isRecord(sent) ? sent : {};
  const demand = (name: string, purpose = '') => {
    const text = textOf(fields, name, at(name));
    if (text === undefined || text === '') throw new BadRequest(`${at(name)} is required${purpose}`);
    return text;
  };
  const word = demand('action');
  const path = demand('file_path');
  const action = kinds.find((kind) => kind === word);
  if (!action) throw new BadRequest(`${at('action')} must be one of: ${kinds.join(', ')}`);
  const encoding = encodingField(fields, at('encoding'));
  const writes = action === 'create' || action === 'update';
  if (writes && fields.content === undefined) throw new BadRequest(`${at('content')} is required for ${action} action`);
  const previousPath = action === 'move' ? demand('previous_path', ' for move action') : undefined;
  if (action === 'chmod' && fields.execute_filemode == null) {
    throw new BadRequest(`${at('execute_filemode')} is required for chmod action`);
  }
  const executable = modeField(fields, at('execute_filemode'));
  const hasContent = writes || (action === 'move' && fields.content != null);
  return {
    action,
    path,
    previousPath,
    executable,
    content: hasContent ? contentField(fields, at('content'), encoding, 'strict') : undefined,
    lastCommitId: textOf(fields, 'last_commit_id', at('last_commit_id')),
    lfs: action === 'create',
  };
}

function textOf(fields: BodyFields, name: string, label: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new BadRequest(`${label} must be a string`);
}
