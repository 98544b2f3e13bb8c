import { GitArgumentError } from '../process/errors.ts';
import { isObjectId, isTagName } from '../refs/refname.ts';
import { EMPTY_TREE } from '../trees/tree.ts';
import { cleanIdentity, formatIdentity, type Identity } from './identity.ts';
import type { ObjectWriter } from './writer.ts';

/** A commit to be written. */
export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Identity;
  readonly committer: Identity;
  /** Stored as given: no newline is added. */
  readonly message: string;
}

/** An annotated tag to be written. */
export interface NewTag {
  readonly name: string;
  readonly object: string;
  readonly tagger: Identity;
  readonly message: string;
}

/** Adds a commit object to a write and returns its id. */
export async function createCommit(writer: ObjectWriter, commit: NewCommit): Promise<string> {
  // git knows the empty tree by heart and so never writes it where a merge leaves nothing; its checks, and its
  // bitmaps, want the object all the same.
  if (commit.tree === EMPTY_TREE) await writer.add('tree', Buffer.alloc(0));
  const unsigned = formatCommit(commit);
  return writer.add('commit', writer.sign ? withSignature(unsigned, writer.sign(unsigned)) : unsigned);
}

/** Adds an annotated tag object of a commit to a write and returns its id. */
export function createTag(writer: ObjectWriter, tag: NewTag): Promise<string> {
  return writer.add('tag', formatTag(tag));
}

/** The bytes of a commit object. */
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

/** A commit with its signature as the last of its headers. */
function withSignature(commit: Buffer, signature: string): Buffer {
  const end = commit.indexOf('\n\n') + 1;
  const header = `gpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}\n`;
  return Buffer.concat([commit.subarray(0, end), Buffer.from(header), commit.subarray(end)]);
}

/** The bytes of an annotated tag object that points at a commit. */
export function formatTag({ name, object, tagger, message }: NewTag): Buffer {
  requireIds([object]);
  if (!isTagName(name)) throw new GitArgumentError('not a tag name');
  const lines = [`object ${object}`, 'type commit', `tag ${name}`, `tagger ${formatIdentity(cleanIdentity(tagger))}`];
  // git ends a tag's message with a newline and its own checks expect one.
  const text = withoutNul(message);
  return Buffer.from(`${lines.join('\n')}\n\n${text.endsWith('\n') ? text : `${text}\n`}`);
}

function requireIds(ids: readonly string[]): void {
  for (const id of ids) if (!isObjectId(id)) throw new GitArgumentError('not an object id');
}

// git cuts a message at a NUL and its checks refuse the object.
function withoutNul(message: string): string {
  return message.replaceAll('\0', '');
}
