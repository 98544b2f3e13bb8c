/** Reason why a path cannot name a file of a repository. */
export type PathProblem =
  | 'empty'
  | 'absolute'
  | 'empty-segment'
  | 'traversal'
  | 'control-character'
  | 'dot-git'
  | 'too-deep'
  | 'too-long';

const MAX_SEGMENTS = 256;
const MAX_BYTES = 4096;
const MAX_SEGMENT_BYTES = 255;

// Code points that HFS+ ignores when it compares names: `.g\u200cit` opens `.git` there.
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// NTFS drops trailing dots and spaces, treats `:` as a stream separator, and has `git~1` as a short name of `.git`.
const NTFS_DOT_GIT = /^(?:\.git|git~1)[. ]*(?:$|:)/i;

/** Returns the reason why a path is unsuitable for reading or writing a file; null when it is valid. */
export function pathProblem(path: string): PathProblem | null {
  if (path === '') return 'empty';
  if (path.startsWith('/')) return 'absolute';
  if (/[\0\n]/.test(path)) return 'control-character';
  if (Buffer.byteLength(path) > MAX_BYTES) return 'too-long';
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return 'too-deep';
  for (const segment of segments) {
    const problem = segmentProblem(segment);
    if (problem) return problem;
  }
  return null;
}

/** Whether any file system would open `.git` under this name. */
export function isDotGit(name: string): boolean {
  // Windows treats a backslash as a separator.
  return name.split('\\').some((part) => {
    return part.replace(HFS_IGNORED, '').toLowerCase() === '.git' || NTFS_DOT_GIT.test(part);
  });
}

// 8.3 short names of Windows: `gitmod~1`, or `gi7eba~1` if that one is taken.
const SHORT_NAME = /^gi[0-9a-z]*~\d/;

/** Whether git validates the content at a path, under any name that some file system maps to it. */
export function isCheckedByGit(path: string): boolean {
  return path.split(/[\\/]/).some((part) => {
    const name = part.replace(HFS_IGNORED, '').toLowerCase();
    return name.startsWith('.gitmodules') || name.startsWith('.gitattributes') || SHORT_NAME.test(name);
  });
}

function segmentProblem(segment: string): PathProblem | null {
  if (segment === '') return 'empty-segment';
  if (segment.split('\\').some((part) => part === '..') || segment === '.') return 'traversal';
  if (isDotGit(segment)) return 'dot-git';
  return Buffer.byteLength(segment) > MAX_SEGMENT_BYTES ? 'too-long' : null;
}
