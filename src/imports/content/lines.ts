import { hash } from 'node:crypto';

/** A line of a diff. Lines and commits are null if the source host no longer knows them. */
export interface LinePosition {
  readonly path: string;
  readonly oldPath?: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly base: string | null;
  readonly head: string | null;
}

/** A diff note at a line, or, if the line is unknown, a regular note that names the file. */
export function noteOnLine(place: LinePosition, body: string) {
  const { path, oldPath = path, oldLine, newLine, base, head } = place;
  if (base === null || head === null || (oldLine === null && newLine === null)) {
    const text = `*Comment on ${oldPath}:${oldLine ?? ''} --> ${path}:${newLine ?? ''}*\n\n${body}`;
    return { type: 'DiscussionNote' as const, body: text };
  }
  const position = {
    base_sha: base,
    start_sha: base,
    head_sha: head,
    old_path: oldPath,
    new_path: path,
    position_type: 'text',
    old_line: oldLine,
    new_line: newLine,
    line_range: null,
  };
  const lineCode = `${hash('sha1', path, 'hex')}_${oldLine ?? 0}_${newLine ?? 0}`;
  return { type: 'DiffNote' as const, body, position: JSON.stringify(position), lineCode };
}
