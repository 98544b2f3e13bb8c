import { GitArgumentError } from '../process/errors.ts';
import { isObjectId, isTagName } from '../refs/refname.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { cleanIdentity, formatIdentity, type Identity } from './identity.ts';
import type { ObjectWriter } from './writer.ts';

/** A commit to write. */
export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Identity;
  readonly committer: Identity;
  /** Stored unchanged: no newline is added. */
  readonly message: string;
}

/** An annotated tag to write. */
export interface NewTag {
  readonly name: string;
  readonly object: string;
  readonly tagger: Identity;
  readonly message: string;
}

/** Adds a commit object to a write and returns its id. */
export async function createCommit(writer: ObjectWriter, commit: NewCommit): Promise<string> {
  // git has the empty tree built in and never writes it when a merge leaves nothing, but its checks and bitmaps need
  // the object.
  if (commit.tree === EMPTY_TREE) await writer.add('tree', Buffer.alloc(0));
  const unsigned = formatCommit(commit);
  return writer.add('commit', writer.sign ? withSignature(unsigned, writer.sign(unsigned)) : unsigned);
}

/** Adds an annotated tag of a commit to a write and returns its id. */
export function createTag(writer: ObjectWriter, tag: NewTag): Promise<string> {
  return writer.add('tag', formatTag(tag));
}

/** Formats a commit object. */
export function formatCommit({ tree, parents, author, committer, message }: NewCommit): Buffer {
  requireIds([tree, ...parents]);
  const lines = [
    `tree ${tree}`,
    ...Array.from(new Set(parents), (parent) => `parent ${parent}`),
    `author ${formatIdentity(cleanIdentity(author))}`,
    `committer ${formatIdentity(cleanIdentity(committer))}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${withoutNul(message)}`);
}

/** Adds the signature as the last header of a commit. */
function withSignature(commit: Buffer, signature: string): Buffer {
  const end = commit.indexOf('\n\n') + 1;
  const header = `gpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}\n`;
  return Buffer.concat([commit.subarray(0, end), Buffer.from(header), commit.subarray(end)]);
}

/** Formats an annotated tag object that points to a commit. */
export function formatTag({ name, object, tagger, message }: NewTag): Buffer {
  requireIds([object]);
  if (!isTagName(name)) throw new GitArgumentError('not a tag name');
  const lines = [`object ${object}`, 'type commit', `tag ${name}`, `tagger ${formatIdentity(cleanIdentity(tagger))}`];
  // git ends tag messages with a newline, and its checks expect one.
  const text = withoutNul(message);
  return Buffer.from(`${lines.join('\n')}\n\n${text.endsWith('\n') ? text : `${text}\n`}`);
}

function requireIds(ids: readonly string[]): void {
  for (const id of ids) if (!isObjectId(id)) throw new GitArgumentError('not an object id');
}

// git truncates a message at a NUL, and its checks reject the object.
function withoutNul(message: string): string {
  return message.replaceAll('\0', '');
}
